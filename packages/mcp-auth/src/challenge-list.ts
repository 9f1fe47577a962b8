/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** In small letters. */
  readonly scheme: string;
  /** The first of each name; names in small letters. */
  readonly parameters: ReadonlyMap<string, string>;
}

const BETWEEN = /[\s,]*/y;
/** The value may be bare, though a URL must not be; what begins with "=" is the end of a token68. */
const PARAMETER = /([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(?!=)([^\s,"]+))/y;
const SCHEME = /[!#$%&'*+.^_`|~\w-]+(?=[\s,]|$)/y;
const ANYTHING = /[^\s,]+/y;

/**
 * The challenges of a header, in the order in which they stand (RFC 9110, section 11.6.1). Every part of the text is looked at a
 * fixed number of times, whatever it is. A quotation that never ends is the end of what can be read.
 */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let at = 0;
  let mayBeToken = false;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    const [separator = ""] = next(BETWEEN) ?? [];
    if (at >= header.length) return challenges;
    const current = challenges.at(-1);
    const parameter = next(PARAMETER);
    if (parameter) {
      const [, name = "", quoted, bare = ""] = parameter;
      const value = quoted?.replace(/\\(.)/gs, "$1") ?? bare;
      const key = name.toLowerCase();
      if (current && !current.parameters.has(key)) current.parameters.set(key, value);
      mayBeToken = false;
      continue;
    }
    // Without a comma before it, what follows a scheme is its token68, though it may look like a scheme.
    const scheme: RegExpExecArray | null = mayBeToken && !separator.includes(",") ? null : next(SCHEME);
    if (scheme) challenges.push({ scheme: scheme[0].toLowerCase(), parameters: new Map() });
    else if (next(ANYTHING)?.[0].includes('"')) return challenges;
    mayBeToken = scheme !== null;
  }
}
