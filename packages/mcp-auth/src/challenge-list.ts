/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** The first value of each name; names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const BETWEEN = /[\s,]*/y;
/** A bare value may contain any visible character, so an unquoted URL is read too. What begins with "=" is the end of a token68. */
const PARAMETER = /([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(?!=)([^\s,"]+))/y;
const SCHEME = /[!#$%&'*+.^_`|~\w-]+(?=[\s,]|$)/y;
const ANYTHING = /[^\s,]+/y;

/**
 * Returns a header's challenges in order (RFC 9110, section 11.6.1). It runs in linear time on any text. An unterminated quotation
 * ends the parsing.
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
    // A word after a scheme, without a comma between them, is a token68, even if it looks like a scheme.
    const scheme: RegExpExecArray | null = mayBeToken && !separator.includes(",") ? null : next(SCHEME);
    if (scheme) challenges.push({ scheme: scheme[0].toLowerCase(), parameters: new Map() });
    else if (next(ANYTHING)?.[0].includes('"')) return challenges;
    mayBeToken = scheme !== null;
  }
}
