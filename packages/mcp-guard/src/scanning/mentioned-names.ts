/** A word of a text that has the form of a tool's name. */
export interface MentionedName {
  readonly name: string;
  /** Where it stands, in UTF-16 units. */
  readonly index: number;
}

const WORD = /[A-Za-z0-9_](?:[A-Za-z0-9_.:/-]*[A-Za-z0-9_])?/g;
/** A compound word is taken for a name; a single word may be ordinary language. */
const COMPOUND = /[_.:/-]|[a-z][A-Z]/;
/** What marks a single word as a name: a quotation mark or backtick after it, or the word "tool" or "function". */
const MARKED = /^(?:["'`”’]|\s+(?:tool|function)\b)/i;
const LONGEST_MARK = 16;

/** The words of a text that may be names of tools. Linear in the length of the text. */
export function mentionedNames(text: string): readonly MentionedName[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: name, index }) => {
    const after = text.slice(index + name.length, index + name.length + LONGEST_MARK);
    return COMPOUND.test(name) || MARKED.test(after) ? [{ name, index }] : [];
  });
}
