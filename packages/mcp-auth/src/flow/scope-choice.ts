/** Where the scopes of a login come from. In scope texts, spaces separate scopes (RFC 6749, section 3.3). */
export interface ScopeSources {
  /** From the challenge: what the refused request needs. */
  readonly challenged?: string | undefined;
  /** From the entry and the options of the login. */
  readonly configured: readonly string[];
  /** From an earlier login, whose scopes the new one must keep. */
  readonly earlier?: readonly string[] | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly resourceScopes?: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly issuerScopes?: readonly string[] | undefined;
}

/** The scope that requests a refresh token (OpenID Connect Core, section 11). */
const OFFLINE_ACCESS = "offline_access";

/**
 * Chooses the scopes to request: those of the challenge, the configuration and an earlier login together. If there are none, all that
 * the resource supports. If that is empty too, none, and the authorization server decides (MCP 2025-11-25, scope selection).
 * `offline_access` is added only if the authorization server supports it (SEP-2207).
 */
export function chooseScopes(sources: ScopeSources): readonly string[] {
  const { challenged, configured, earlier = [], resourceScopes = [], issuerScopes = [] } = sources;
  const named = [...earlier, ...splitScopes(challenged), ...configured].flatMap(splitScopes);
  const chosen = new Set(named.length > 0 ? named : resourceScopes.flatMap(splitScopes));
  if (chosen.size > 0 && issuerScopes.includes(OFFLINE_ACCESS)) chosen.add(OFFLINE_ACCESS);
  return [...chosen];
}

/** The distinct scopes of a text. */
export function splitScopes(scope: string | undefined): readonly string[] {
  return [...new Set((scope ?? "").split(/\s+/).filter((name) => name !== ""))];
}
