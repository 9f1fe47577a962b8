/** A reference to a variable, `${NAME}` or `${NAME:-default}`. */
export interface VariableReference {
  readonly name: string;
  /** Literal text: references inside it are not expanded. */
  readonly defaultText?: string | undefined;
  /** The reference as it stands in the text. */
  readonly written: string;
}

/**
 * The beginning of a reference. A name is a run of visible characters without `$`, `{`, `}` and `:`, so `${A:+x}`,
 * `${env:A}`, `${}` and `${a + b}` are ordinary text.
 */
const BEGINNING = /\$\{([^\s\p{Cc}${}:]+)(:-|\})/gu;

/**
 * Replaces every reference in a single pass from left to right: what was put in is never looked at again, so a value that
 * contains `${…}` arrives as it is. An unclosed reference leaves the rest of the text as it is.
 */
export function expandVariables(text: string, fill: (reference: VariableReference) => string): string {
  let expanded = "";
  let copiedTo = 0;
  for (const { from, to, reference } of references(text)) {
    expanded += text.slice(copiedTo, from) + fill(reference);
    copiedTo = to;
  }
  return expanded + text.slice(copiedTo);
}

/** Whether a text refers to a variable. */
export function hasVariables(text: string): boolean {
  return !references(text).next().done;
}

interface FoundReference {
  readonly from: number;
  readonly to: number;
  readonly reference: VariableReference;
}

function* references(text: string): Generator<FoundReference, void> {
  const beginning = new RegExp(BEGINNING);
  for (let match = beginning.exec(text); match; match = beginning.exec(text)) {
    const [opening, name = "", mark] = match;
    const bodyFrom = match.index + opening.length;
    const bodyTo = mark === "}" ? bodyFrom - 1 : closingBrace(text, bodyFrom);
    if (bodyTo === undefined) return;
    const to = bodyTo + 1;
    const defaultText = mark === "}" ? undefined : text.slice(bodyFrom, bodyTo);
    yield { from: match.index, to, reference: { name, defaultText, written: text.slice(match.index, to) } };
    beginning.lastIndex = to;
  }
}

/** The brace that closes a default, past any whole `${…}` inside it. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith("${", at)) depth += 1;
    else if (text[at] === "}" && depth === 0) return at;
    else if (text[at] === "}") depth -= 1;
  }
  return undefined;
}
