import { McpError } from "@jackfield/mcp-core";
import type { OAuthTokens, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { fitsHeader } from "../vault/credential.ts";
import { canonicalServerUrl } from "../vault/server-url.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import type { Authority } from "./authority.ts";
import { withoutSecret } from "./client-identity.ts";
import { splitScopes } from "./scope-choice.ts";

/** Longer lifetimes mean "forever", and would exceed the largest `Date`. */
const LONGEST_LIFETIME_S = 10 * 365 * 24 * 3_600;

/** The result of a login. */
export interface Grant {
  readonly serverUrl: string;
  readonly authority: Authority;
  readonly client: StoredOAuthClientInformation;
  readonly settings: AuthorizationSettings;
  /** The scopes that were requested. */
  readonly scopes: readonly string[];
  readonly tokens: OAuthTokens;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The credential to store for a login, bound to issuer, resource and client. */
export function grantedCredential(grant: Grant): StoredCredential {
  const { authority, client, settings, scopes, tokens, now } = grant;
  const serverUrl = canonicalServerUrl(grant.serverUrl);
  return {
    serverUrl,
    issuer: authority.issuer,
    resource: authority.resourceIndicator ?? serverUrl,
    resourceIndicator: authority.resourceIndicator,
    configuredResource: settings.resource,
    loginId: crypto.randomUUID(),
    clientId: settings.clientId,
    client: withoutSecret(client, settings),
    tokens: withoutEmptyRefreshToken(tokens),
    // Includes the requested scopes, so that a server that grants fewer is not asked for them again.
    scopes: [...new Set([...scopes, ...splitScopes(tokens.scope)])],
    obtainedAt: now,
    expiresAt: expiryOf(tokens, now),
  };
}

/** The credential after a refresh. Values that the answer omits are kept (RFC 6749, section 6). */
export function refreshedCredential(
  earlier: StoredCredential,
  tokens: OAuthTokens,
  now: number,
): StoredCredential {
  const { expires_in: _, ...kept } = earlier.tokens;
  return {
    ...earlier,
    tokens: { ...kept, ...withoutEmptyRefreshToken(tokens) },
    scopes: [...new Set([...earlier.scopes, ...splitScopes(tokens.scope)])],
    obtainedAt: now,
    expiresAt: expiryOf(tokens, now),
  };
}

/**
 * Returns the tokens if they can be sent as Bearer tokens. A token of another type would be refused or, worse, accepted.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`
 */
export function requireBearer(tokens: OAuthTokens): OAuthTokens {
  if (tokens.token_type.toLowerCase() !== "bearer") throw refusal("a token that is not a Bearer token");
  if (!fitsHeader(tokens.access_token)) throw refusal("an access token that cannot be sent in a header");
  return tokens;
}

function refusal(given: string): McpError {
  return new McpError("MCP_AUTH_REQUIRED", `The authorization server issued ${given}; it was not used.`);
}

function withoutEmptyRefreshToken(tokens: OAuthTokens): OAuthTokens {
  if (tokens.refresh_token !== "") return tokens;
  const { refresh_token: _, ...rest } = tokens;
  return rest;
}

/** Ignores a lifetime that is not a positive number, which would cause a renewal before every request. */
function expiryOf({ expires_in }: OAuthTokens, now: number): number | undefined {
  if (expires_in === undefined || !Number.isFinite(expires_in) || expires_in <= 0) return undefined;
  return now + Math.min(expires_in, LONGEST_LIFETIME_S) * 1000;
}
