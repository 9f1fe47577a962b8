import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { FetchLike, OAuthTokens, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { checkAuthorizationUrl } from "../callback/authorization-url.ts";
import { type CallbackServer, openCallbackServer } from "../callback/callback-server.ts";
import { createState } from "../callback/state.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { CallbackOptions, ShowAuthorizationPage } from "../oauth-options.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import type { Authority } from "./authority.ts";
import { identifyClient, redirectUrisOf } from "./client-identity.ts";
import { grantedCredential, requireBearer } from "./grant.ts";
import { loginError } from "./login-error.ts";

/** What one login needs. */
export interface LogInOptions {
  readonly sdk: Sdk;
  readonly fetch: FetchLike;
  readonly server: ResolvedRemoteServer;
  readonly authority: Authority;
  readonly settings: AuthorizationSettings;
  readonly scopes: readonly string[];
  readonly authorize: ShowAuthorizationPage;
  readonly clientName: string;
  readonly clientMetadataUrl: string | undefined;
  readonly callback: CallbackOptions;
  /** What an earlier login to this server has left. */
  readonly earlier: StoredCredential | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Sends a person to the authorization server, waits for the answer and redeems its code: authorization code grant with PKCE
 * (S256), `state`, `resource` and the issuer of the answer (RFC 7636, 6749, 8707, 9207). None of them can be switched off.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, `MCP_ABORTED`, and what the network threw
 */
export async function logIn(options: LogInOptions): Promise<StoredCredential> {
  const { server, authority, settings, scopes, earlier } = options;
  await using callback = await openCallback(options);
  const { redirectUri } = callback;
  const scope = scopes.length === 0 ? undefined : scopes.join(" ");
  const client = await identifyClient({
    ...options,
    server: server.name,
    redirectUri,
    scope,
    earlier: earlier?.client,
  });
  const tokens = await redeem(options, { callback, client, scope });
  const { now } = options;
  return grantedCredential({
    serverUrl: server.url,
    authority,
    client,
    settings,
    scopes,
    tokens,
    now: now(),
  });
}

/** Some authorization servers know one port only: that of the last login is tried first, unless another is prescribed. */
async function openCallback(options: LogInOptions): Promise<CallbackServer> {
  const { settings, callback, earlier, signal } = options;
  const wanted = { ...callback, ...settings.callback, signal };
  const last = earlier && lastPort(earlier.client);
  if (wanted.port !== undefined || settings.clientId !== undefined || last === undefined) {
    return openCallbackServer(wanted);
  }
  return openCallbackServer({ ...wanted, port: last }).catch(() => openCallbackServer(wanted));
}

function lastPort(client: StoredOAuthClientInformation): number | undefined {
  const [redirectUri] = redirectUrisOf(client);
  return redirectUri === undefined ? undefined : Number(URL.parse(redirectUri)?.port) || undefined;
}

interface Redemption {
  readonly callback: CallbackServer;
  readonly client: StoredOAuthClientInformation;
  readonly scope: string | undefined;
}

async function redeem(
  { sdk, fetch, server, authority, authorize, now, signal }: LogInOptions,
  { callback, client, scope }: Redemption,
): Promise<OAuthTokens> {
  const { metadata, issuer, resourceIndicator } = authority;
  const { redirectUri } = callback;
  const resource = resourceIndicator === undefined ? {} : { resource: resourceIndicator };
  const step = { server: server.name, doing: "token request", endpoint: metadata.token_endpoint } as const;
  try {
    const state = createState({ serverUrl: server.url, issuer, now });
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authority.url, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state: state.value,
      ...(scope === undefined ? {} : { scope }),
      ...resource,
    });
    const url = checkAuthorizationUrl(authorizationUrl);
    const answer = callback.expect(state);
    await Promise.race([authorize(url, { server: server.name, signal }), answer]);
    const { code, iss } = await answer;
    const tokens = await sdk.exchangeAuthorization(authority.url, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier,
      redirectUri,
      ...resource,
      fetchFn: fetch,
    });
    return requireBearer(tokens);
  } catch (error) {
    throw loginError(sdk, error, step);
  }
}
