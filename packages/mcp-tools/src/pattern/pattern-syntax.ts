/** Whether a code point belongs to a set. */
export type CodePointTest = (codePoint: number) => boolean;

/** A regular expression as a tree. */
export type PatternNode =
  | { readonly kind: "set"; readonly test: CodePointTest }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    }
  | { readonly kind: "capture"; readonly index: number; readonly body: PatternNode }
  | { readonly kind: "back-reference"; readonly group: number | string }
  | { readonly kind: "edge"; readonly edge: "start" | "end" | "word" | "no-word" }
  | {
      readonly kind: "look";
      readonly behind: boolean;
      readonly negated: boolean;
      readonly body: PatternNode;
    };

/** A parsed pattern. */
export interface ParsedPattern {
  readonly root: PatternNode;
  readonly groupNames: ReadonlyMap<string, number>;
  readonly groups: number;
}

/** The deepest nesting of groups, deeper than anybody writes. */
const MAX_DEPTH = 100;

/**
 * Parses a JSON Schema pattern: ECMAScript, by code points and without flags. Needless backslashes are allowed, as servers
 * write them.
 *
 * @returns `undefined` for unsupported syntax, such as inline flags.
 */
export function parsePattern(source: string): ParsedPattern | undefined {
  try {
    return new PatternParser(source).parse();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const GROUP = /\(\?(?:(:)|(<)?([=!])|<([^>=!][^>]*)>)/y;
const COUNT = /\{(\d+)(,(\d*))?\}/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const CLASS_ESCAPE = /\\(?:[dDwWsS]|[pP]\{[^}]*\})/y;
const CODE_ESCAPE = /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|c([A-Za-z]))/y;
const PAIR_ESCAPE = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y;
const NAMED_REFERENCE = /\\k<([^>]*)>/y;
const NUMBERED_REFERENCE = /\\([1-9]\d?)/y;
const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["0", 0],
]);

class PatternParser {
  readonly #source: string;
  readonly #groupNames = new Map<string, number>();
  #at = 0;
  #groups = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): ParsedPattern {
    const root = this.#choice();
    if (this.#at < this.#source.length) throw new SyntaxError("A group is closed that was not opened.");
    return { root, groupNames: this.#groupNames, groups: this.#groups };
  }

  #choice(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxError("Too many groups within groups.");
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    this.#depth -= 1;
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#peek())) items.push(this.#quantified());
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "sequence", items };
  }

  #quantified(): PatternNode {
    const body = this.#atom();
    const limits = this.#quantifier();
    if (limits === undefined) return body;
    const greedy = !this.#take("?");
    if (limits.min > limits.max) throw new SyntaxError("A count has a minimum above its maximum.");
    return { kind: "repeat", body, ...limits, greedy };
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    const count = this.#match(COUNT);
    if (count === undefined) return undefined;
    const min = Number(count[1]);
    if (count[2] === undefined) return { min, max: min };
    return { min, max: count[3] ? Number(count[3]) : Number.POSITIVE_INFINITY };
  }

  #atom(): PatternNode {
    const character = this.#peek();
    if (character === "(") return this.#group();
    if (character === "[") return this.#class();
    if (character === "\\") return this.#escape();
    if ("*+?".includes(character)) throw new SyntaxError("There is nothing to repeat.");
    const codePoint = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += codePoint > 0xffff ? 2 : 1;
    if (character === "^") return { kind: "edge", edge: "start" };
    if (character === "$") return { kind: "edge", edge: "end" };
    if (character === ".") return { kind: "set", test: isNoLineEnd };
    return { kind: "set", test: (other) => other === codePoint };
  }

  #group(): PatternNode {
    const special = this.#match(GROUP);
    if (special === undefined && this.#source.startsWith("(?", this.#at))
      throw new SyntaxError("Inline flags are not supported.");
    if (special === undefined) this.#at += 1;
    const [, plain, behind, look, name] = special ?? [];
    const isCapture = plain === undefined && look === undefined;
    if (isCapture) this.#groups += 1;
    const index = this.#groups;
    if (name !== undefined) this.#groupNames.set(name, index);
    const body = this.#choice();
    if (!this.#take(")")) throw new SyntaxError("A group is not closed.");
    if (look !== undefined)
      return { kind: "look", behind: behind !== undefined, negated: look === "!", body };
    return isCapture ? { kind: "capture", index, body } : body;
  }

  #class(): PatternNode {
    const source = this.#match(CLASS)?.[0];
    if (source === undefined) throw new SyntaxError("A class is not closed.");
    return { kind: "set", test: nativeTest(source) };
  }

  #escape(): PatternNode {
    const set = this.#match(CLASS_ESCAPE)?.[0];
    if (set !== undefined) return { kind: "set", test: nativeTest(set) };
    const [, high, low] = this.#match(PAIR_ESCAPE) ?? [];
    if (high !== undefined && low !== undefined)
      return literal(
        String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0,
      );
    const code = this.#match(CODE_ESCAPE);
    if (code !== undefined) return literal(codePointOf(code));
    const character = this.#source[this.#at + 1];
    if (character === undefined) throw new SyntaxError("A backslash is the last character.");
    const named = this.#match(NAMED_REFERENCE)?.[1];
    if (named !== undefined) return { kind: "back-reference", group: named };
    const numbered = this.#match(NUMBERED_REFERENCE)?.[1];
    if (numbered !== undefined) return { kind: "back-reference", group: Number(numbered) };
    this.#at += 2;
    if (character === "b") return { kind: "edge", edge: "word" };
    if (character === "B") return { kind: "edge", edge: "no-word" };
    return literal(CONTROL_ESCAPES.get(character) ?? character.charCodeAt(0));
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}

function literal(codePoint: number): PatternNode {
  return { kind: "set", test: (other) => other === codePoint };
}

function codePointOf([, braced, four, two, control]: RegExpExecArray): number {
  if (control !== undefined) return control.charCodeAt(0) % 32;
  return Number.parseInt(braced ?? four ?? two ?? "0", 16);
}

function isNoLineEnd(codePoint: number): boolean {
  return codePoint !== 10 && codePoint !== 13 && codePoint !== 0x2028 && codePoint !== 0x2029;
}

/** A native `RegExp` tests one character against a set in no time, whatever the set. */
function nativeTest(set: string): CodePointTest {
  const expression = compileNative(`^${set}$`);
  if (expression === undefined) throw new SyntaxError(`The set ${set} is not supported.`);
  return (codePoint) => expression.test(String.fromCodePoint(codePoint));
}

/** Compiles a native `RegExp`: by code points, or by code units for patterns with needless backslashes. */
export function compileNative(source: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next flags are more lenient.
    }
  }
  return undefined;
}
