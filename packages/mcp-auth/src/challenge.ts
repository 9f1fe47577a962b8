import type { AuthChallenge } from "@jackfield/mcp-core";

/** The Bearer challenge of a server that refused a request. */
export interface ReadChallenge {
  /** Where its metadata is (RFC 9728). */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** The token is valid but lacks scopes (RFC 6750, section 3.1). */
  readonly isInsufficientScope: boolean;
}

/** For a login without a challenge. */
export const NO_CHALLENGE: ReadChallenge = { isInsufficientScope: false };

/**
 * Reads the `WWW-Authenticate` header. Challenges of schemes other than Bearer and DPoP are ignored. If there are several,
 * the scope comes from the one with `insufficient_scope` if it names any, else from the one that names the metadata, else from the
 * first that does.
 */
export function readChallenge({
  wwwAuthenticate = "",
}: Pick<AuthChallenge, "wwwAuthenticate">): ReadChallenge {
  const bearers = readChallenges(wwwAuthenticate).filter(({ scheme }) => SCHEMES.has(scheme));
  const insufficient = bearers.find(isInsufficientScope);
  const describing = bearers.find(({ parameters }) => parameters.has("resource_metadata"));
  const ranked = [insufficient, describing, ...bearers].filter((bearer) => bearer !== undefined);
  const scope = ranked.map(({ parameters }) => parameters.get("scope")).find(Boolean);
  return {
    resourceMetadataUrl: URL.parse(describing?.parameters.get("resource_metadata") ?? "") ?? undefined,
    scope,
    isInsufficientScope: insufficient !== undefined,
  };
}

/** Those that say where tokens come from (RFC 6750; RFC 9449, section 7.1). */
const SCHEMES: ReadonlySet<string> = new Set(["bearer", "dpop"]);

function isInsufficientScope({ parameters }: Challenge): boolean {
  return parameters.get("error") === "insufficient_scope";
}

/** One challenge of a `WWW-Authenticate` header. */
interface Challenge {
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
function readChallenges(header: string): readonly Challenge[] {
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
