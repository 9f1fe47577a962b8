import { McpError } from "@jackfield/mcp-core";
import type {
  AuthorizationServerMetadata,
  DpopSession,
  FetchLike,
  OAuthTokens,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { Sdk } from "../sdk.ts";
import { canonicalServerUrl, fitsHeader } from "../vault/credential.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import { readableTokens } from "./answers.ts";
import type { Authority } from "./authority.ts";
import { isBound, type ProofKey } from "./authorization-headers.ts";
import { withoutSecret } from "./client-identity.ts";
import { splitScopes } from "./scope-choice.ts";

/** Longer lifetimes mean "forever", and would exceed the largest `Date`. */
const LONGEST_LIFETIME_S = 10 * 365 * 24 * 3_600;

/** What a token request needs of the SDK's functions. */
export interface TokenRequest {
  readonly metadata: AuthorizationServerMetadata;
  readonly clientInformation: StoredOAuthClientInformation;
  readonly fetchFn: FetchLike;
  readonly dpop?: DpopSession;
}

/** Tokens, and the client; with the method of authentication that got them, if its own did not. */
export interface ReceivedTokens {
  readonly tokens: OAuthTokens;
  readonly client: StoredOAuthClientInformation;
  readonly proofKey?: ProofKey | undefined;
}

/**
 * Requests tokens. If the authorization server does not recognize the client, the next method of authentication is tried: registrations
 * and metadata contradict each other, or are silent. A code or refresh token is not spent before its client is recognized.
 *
 * @throws what `send` throws; for the first method if no method is recognized
 */
export async function requestTokens(
  {
    sdk,
    metadata,
    client,
    fetch,
    proofs,
  }: {
    readonly sdk: Sdk;
    readonly metadata: AuthorizationServerMetadata;
    readonly client: StoredOAuthClientInformation;
    readonly fetch: FetchLike;
    /** Signs for the key that the tokens are, or are to be, bound to. */
    readonly proofs?: DpopSession | undefined;
  },
  send: (request: TokenRequest) => Promise<OAuthTokens>,
): Promise<ReceivedTokens> {
  const { token_endpoint_auth_methods_supported: announced = [], ...rest } = metadata;
  let status = 0;
  const fetchFn: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    status = response.status;
    return response;
  };
  let refusal: unknown;
  for (const method of authMethods(sdk, client, announced)) {
    // Without a list of methods, the SDK uses the client's own.
    const clientInformation = { ...client, token_endpoint_auth_method: method };
    try {
      const bound = proofs && { dpop: proofs };
      const sent = send({ metadata: rest, clientInformation, fetchFn: readableTokens(fetchFn), ...bound });
      const tokens = requireUsable(await sent, proofs !== undefined);
      return { tokens, client: refusal === undefined ? client : clientInformation };
    } catch (error) {
      refusal ??= error;
      const isUnknown =
        error instanceof sdk.OAuthError && (error.code === "invalid_client" || status === 401);
      if (!isUnknown) throw error;
    }
  }
  throw refusal;
}

/** The methods that a client can use: its registered one, the one that the SDK chooses, then what else its secret allows. */
function authMethods(
  sdk: Sdk,
  client: StoredOAuthClientInformation,
  announced: readonly string[],
): readonly string[] {
  const { token_endpoint_auth_method: registered } = client as {
    readonly token_endpoint_auth_method?: string;
  };
  if (!client.client_secret) return ["none"];
  const chosen = sdk.selectClientAuthMethod(client, [...announced]);
  const usable = ["client_secret_basic", "client_secret_post", "none"];
  const wanted = [
    registered,
    chosen,
    ...announced.filter((method) => method !== "none"),
    ...usable.slice(0, 2),
  ];
  return [...new Set(wanted.filter((method) => method !== undefined && usable.includes(method)))] as string[];
}

/** The result of a login. */
export interface Grant {
  readonly serverUrl: string;
  readonly authority: Authority;
  readonly client: StoredOAuthClientInformation;
  readonly settings: AuthorizationSettings;
  /** The scopes that were requested. */
  readonly scopes: readonly string[];
  readonly tokens: OAuthTokens;
  readonly proofKey?: ProofKey | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The credential to store for a login, bound to issuer, resource and client. */
export function grantedCredential(grant: Grant): StoredCredential {
  const { authority, client, settings, scopes, tokens, proofKey, now } = grant;
  const serverUrl = canonicalServerUrl(grant.serverUrl);
  return {
    serverUrl,
    issuer: authority.issuer,
    resource: authority.resourceIndicator ?? serverUrl,
    resourceIndicator: authority.resourceIndicator,
    configuredResource: settings.resource || undefined,
    loginId: crypto.randomUUID(),
    clientId: settings.clientId,
    client: withoutSecret(client, settings),
    tokens: withoutEmptyRefreshToken(tokens),
    proofKey,
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
 * Returns the tokens if they can be sent: as Bearer tokens or, with a key to prove them by, bound to it. A token of another type would be
 * refused or, worse, accepted.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`
 */
export function requireUsable(tokens: OAuthTokens, hasKey = false): OAuthTokens {
  const isBearer = tokens.token_type.toLowerCase() === "bearer";
  if (!isBearer && !(hasKey && isBound(tokens))) throw refusal("a token that is not a Bearer token");
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
export function expiryOf({ expires_in }: OAuthTokens, now: number): number | undefined {
  if (expires_in === undefined || !Number.isFinite(expires_in) || expires_in <= 0) return undefined;
  return now + Math.min(expires_in, LONGEST_LIFETIME_S) * 1000;
}
