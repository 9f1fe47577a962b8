/** What a choice of scopes rests on. Scope texts have spaces between scopes (RFC 6749, section 3.3). */
export interface ScopeSources {
  /** Of the challenge: what the request that was refused needs. */
  readonly challenged?: string | undefined;
  /** Of the entry, and of whoever logs in. */
  readonly configured: readonly string[];
  /** Of an earlier login that is to be widened, not replaced. */
  readonly earlier?: readonly string[] | undefined;
  /** What the protected resource says that it knows. */
  readonly resourceScopes?: readonly string[] | undefined;
  /** What the authorization server says that it knows. */
  readonly issuerScopes?: readonly string[] | undefined;
}

/** Whoever is granted this one gets a refresh token (OpenID Connect Core, section 11). */
const OFFLINE_ACCESS = "offline_access";

/**
 * Which scopes are asked for: those of the challenge, of the entry and of an earlier login together; where nobody names any, all
 * that the resource knows; where that is nothing either, none, and the authorization server decides (MCP 2025-11-25, scope
 * selection). `offline_access` comes along only where the authorization server knows it (SEP-2207).
 */
export function chooseScopes(sources: ScopeSources): readonly string[] {
  const { challenged, configured, earlier = [], resourceScopes = [], issuerScopes = [] } = sources;
  const named = [...earlier, ...splitScopes(challenged), ...configured].flatMap(splitScopes);
  const chosen = new Set(named.length > 0 ? named : resourceScopes.flatMap(splitScopes));
  if (chosen.size > 0 && issuerScopes.includes(OFFLINE_ACCESS)) chosen.add(OFFLINE_ACCESS);
  return [...chosen];
}

/** The scopes of a text, each once. */
export function splitScopes(scope: string | undefined): readonly string[] {
  return [...new Set((scope ?? "").split(/\s+/).filter((name) => name !== ""))];
}
