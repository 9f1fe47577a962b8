import {
  isMcpError,
  McpError,
  Redactor,
  type ResolvedRemoteServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { FetchLike, OAuthTokens, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { checkAuthorizationUrl } from "../callback/authorization-url.ts";
import { type CallbackAnswer, type CallbackServer, openCallbackServer } from "../callback/callback-server.ts";
import { createState } from "../callback/state.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { CallbackOptions, ShowAuthorizationPage } from "../oauth-options.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import type { Authority } from "./authority.ts";
import { identifyClient, redirectUrisOf } from "./client-identity.ts";
import { grantedCredential, requireBearer } from "./grant.ts";
import { authRequired, type LoginStep, loginError, quote } from "./login-error.ts";
import { secretsOfClient } from "./login-secrets.ts";
import { withoutNullMembers } from "./null-members.ts";
import { isOwnTrouble } from "./outage.ts";

/** Errors that refuse the client, not the code (RFC 6749, section 5.2). */
const DEAD_CLIENT = new Set<string>(["invalid_client", "unauthorized_client"]);

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
  /** The credential of an earlier login to this server. */
  readonly earlier: StoredCredential | undefined;
  /** Called when the client that an earlier login registered is refused. */
  readonly onDeadClient: (earlier: StoredCredential) => Promise<void>;
  /** Called when the authorization server was asked, and it or the person has declined. */
  readonly onDeclined: () => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Sends a person to the authorization server, waits for the response and redeems its code: authorization code grant with PKCE
 * (S256), `state`, `resource` and a check of the response's issuer (RFC 7636, 6749, 8707, 9207). None of them can be switched off.
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
    earlierScopes: earlier?.scopes,
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

/** Tries the port of the last login first, unless one is configured: some authorization servers accept only the registered port. */
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

async function redeem(options: LogInOptions, { callback, client, scope }: Redemption): Promise<OAuthTokens> {
  const { sdk, fetch, server, authority, earlier } = options;
  const { metadata, resourceIndicator } = authority;
  const { redirectUri } = callback;
  const resource = resourceIndicator === undefined ? {} : { resource: resourceIndicator };
  const { code, iss, codeVerifier, secrets } = await authorizeCode(options, { callback, client, scope });
  try {
    const tokens = await sdk.exchangeAuthorization(authority.url, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier,
      redirectUri,
      ...resource,
      fetchFn: withoutNullMembers(fetch),
    });
    return requireBearer(tokens);
  } catch (error) {
    const endpoint = metadata.token_endpoint;
    const mcpError = loginError(sdk, error, {
      server: server.name,
      doing: "token request",
      endpoint,
      secrets,
    });
    const isDead = error instanceof sdk.OAuthError && DEAD_CLIENT.has(error.code);
    if (!isDead || client !== earlier?.client) throw mcpError;
    const isForgotten = await options.onDeadClient(earlier).then(
      () => true,
      () => false,
    );
    if (!isForgotten) throw mcpError;
    const { code: failure, message, ...details } = mcpError.toJSON();
    const advice = "The client that an earlier login registered was discarded. Log in again.";
    throw new McpError(failure, `${message} ${advice}`, { ...details, cause: mcpError.cause });
  }
}

interface AuthorizedCode extends CallbackAnswer {
  readonly codeVerifier: string;
  /** Texts that errors must not quote. */
  readonly secrets: readonly string[];
}

/** Sends the person to the authorization server, and waits until the browser returns with a code. */
async function authorizeCode(
  { sdk, server, authority, authorize, onDeclined, now, signal }: LogInOptions,
  { callback, client, scope }: Redemption,
): Promise<AuthorizedCode> {
  const { metadata, issuer, resourceIndicator } = authority;
  const state = createState({ serverUrl: server.url, issuer, now });
  const secrets = [state.value, ...secretsOfClient(client)];
  const endpoint = metadata.authorization_endpoint;
  const step: LoginStep = { server: server.name, doing: "authorization request", endpoint, secrets };
  try {
    // As it was announced: the URL that is built from it no longer shows what a parser has dropped.
    checkAuthorizationUrl(endpoint);
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authority.url, {
      metadata,
      clientInformation: client,
      redirectUrl: callback.redirectUri,
      state: state.value,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceIndicator === undefined ? {} : { resource: resourceIndicator }),
    });
    secrets.push(codeVerifier);
    const url = checkAuthorizationUrl(authorizationUrl);
    const isIssuerPromised = metadata.authorization_response_iss_parameter_supported === true;
    const answer = callback.expect(state, {
      isIssuerPromised,
      onRefused: (code) => isOwnTrouble(code) || onDeclined(),
    });
    const show = async () => {
      try {
        await authorize(url, { server: server.name, signal });
      } catch (error) {
        throw isMcpError(error) ? error : notShown(server.name, error, secrets);
      }
    };
    await Promise.race([show(), answer]);
    const { code, iss } = await answer;
    return { code, iss, codeVerifier, secrets: [...secrets, code] };
  } catch (error) {
    throw loginError(sdk, error, step);
  }
}

function notShown(server: string, error: unknown, secrets: readonly string[]): McpError {
  const redactor = new Redactor(secrets);
  const reason = `the login page could not be shown: ${quote(redactor.hide(thrownMessage(error)))}`;
  return authRequired(server, reason, { cause: redactor.hideIn(error) });
}
