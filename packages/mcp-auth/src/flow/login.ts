import {
  isMcpError,
  McpError,
  Redactor,
  type ResolvedRemoteServer,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { FetchLike, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { checkAuthorizationUrl } from "../callback/authorization-url.ts";
import { type CallbackAnswer, type CallbackServer, openCallbackServer } from "../callback/callback-server.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { authRequired, isOwnTrouble, type LoginStep, loginError, quote, secretsOfClient } from "../errors.ts";
import type { CallbackOptions, ShowAuthorizationPage } from "../oauth-options.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import type { Authority } from "./authority.ts";
import { createProofKey, isBound, proofSession } from "./authorization-headers.ts";
import { askableScopes, grantedScopes, identifyClient, redirectUrisOf } from "./client-identity.ts";
import { grantedCredential, type ReceivedTokens, requestTokens } from "./grant.ts";

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
 * Refusals by redirect that are about the person, the scopes or the authorization server itself. Any other may mean that it no longer knows
 * a client that an earlier login registered: there are many words for that as well.
 */
const NOT_ABOUT_CLIENT = new Set<string>([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_scope",
  "invalid_target",
  "login_required",
]);

/** How far a login came. */
interface Attempt {
  client?: StoredOAuthClientInformation;
  wasShown?: boolean;
  /** The error code of the authorization server's redirect. */
  refusedAs?: string;
  isAnswered?: boolean;
}

/**
 * Sends a person to the authorization server, waits for the response and redeems its code: authorization code grant with PKCE
 * (S256), `state`, `resource` and a check of the response's issuer (RFC 7636, 6749, 8707, 9207). None of them can be switched off.
 *
 * A client that an earlier login registered may be forgotten there. If the redirect says so, another one is registered at once; if the code
 * is refused for it, or the page does not come back, for the next login.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, `MCP_ABORTED`, and what the network threw
 */
export async function logIn(options: LogInOptions, isSecond = false): Promise<StoredCredential> {
  const { earlier } = options;
  const attempt: Attempt = {};
  try {
    return await attemptLogin(options, attempt);
  } catch (error) {
    const { client, refusedAs, wasShown = false, isAnswered = false } = attempt;
    const remembered = client !== undefined && client === earlier?.client ? earlier : undefined;
    if (refusedAs !== undefined) {
      if (remembered && isAboutClient(refusedAs) && !isSecond) {
        await isForgotten(options, remembered);
        return logIn({ ...options, earlier: undefined }, true);
      }
      const granted = client && refusedAs === "invalid_scope" ? grantedScopes(client) : [];
      if (granted.length > 0 && !isSecond) return logIn({ ...options, scopes: granted }, true);
      if (!isOwnTrouble(refusedAs)) options.onDeclined();
    } else if (remembered && wasShown && !isAnswered && (await isForgotten(options, remembered))) {
      throw withAdvice(
        error,
        "The next login registers another client, in case the page did not know the last one.",
      );
    }
    throw error;
  }
}

async function attemptLogin(options: LogInOptions, attempt: Attempt): Promise<StoredCredential> {
  const { server, authority, settings, scopes, earlier, now } = options;
  await using callback = await openCallback(options);
  const { redirectUri } = callback;
  const client = await identifyClient({
    ...options,
    server: server.name,
    redirectUri,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
    earlier: earlier?.client,
    earlierScopes: earlier?.scopes,
  });
  attempt.client = client;
  const asked = askableScopes(client, scopes);
  const scope = asked.length === 0 ? undefined : asked.join(" ");
  const received = await redeem(options, { callback, client, scope, attempt });
  return grantedCredential({
    serverUrl: server.url,
    authority,
    client: received.client,
    settings,
    // What the registration left out counts as requested too, so that it is not asked for again and again.
    scopes: [...new Set([...scopes, ...asked])],
    tokens: received.tokens,
    proofKey: received.proofKey,
    now: now(),
  });
}

/** Forgets a registration, and tells whether the vault has done so. */
function isForgotten({ onDeadClient }: LogInOptions, earlier: StoredCredential): Promise<boolean> {
  return onDeadClient(earlier).then(
    () => true,
    () => false,
  );
}

function withAdvice(error: unknown, advice: string): unknown {
  if (!isMcpError(error, "MCP_AUTH_REQUIRED")) return error;
  const { code, message, ...details } = error.toJSON();
  return new McpError(code, `${message} ${advice}`, { ...details, cause: error.cause });
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

/** Whether an error code of a redirect may mean that the authorization server no longer knows the client. */
export function isAboutClient(code: string): boolean {
  return !NOT_ABOUT_CLIENT.has(code) && !isOwnTrouble(code);
}

interface Redemption {
  readonly callback: CallbackServer;
  readonly client: StoredOAuthClientInformation;
  readonly scope: string | undefined;
  readonly attempt: Attempt;
}

async function redeem(options: LogInOptions, redemption: Redemption): Promise<ReceivedTokens> {
  const { earlier } = options;
  const { callback, client } = redemption;
  const answer = await authorizeCode(options, redemption);
  const isEarlier = client === earlier?.client;
  const onDeadClient = async () => {
    if (isEarlier) await options.onDeadClient(earlier);
  };
  return exchangeCode(
    { ...options, onDeadClient: isEarlier ? onDeadClient : undefined },
    { ...answer, client, redirectUri: callback.redirectUri },
  );
}

/** What a code is redeemed with. */
export interface CodeExchange {
  readonly client: StoredOAuthClientInformation;
  readonly code: string;
  readonly iss: string | undefined;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Texts that errors must not quote. */
  readonly secrets: readonly string[];
}

/**
 * Redeems a code. `onDeadClient` is called if the authorization server does not know the client any more.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, and what the network threw
 */
export async function exchangeCode(
  {
    sdk,
    fetch,
    server,
    authority,
    settings,
    onDeadClient,
  }: {
    readonly sdk: Sdk;
    readonly fetch: FetchLike;
    readonly server: Pick<ResolvedRemoteServer, "name">;
    readonly authority: Authority;
    readonly settings: Pick<AuthorizationSettings, "dpop">;
    readonly onDeadClient: (() => Promise<void>) | undefined;
  },
  { client, code, iss, codeVerifier, redirectUri, secrets }: CodeExchange,
): Promise<ReceivedTokens> {
  const { metadata, resourceIndicator } = authority;
  const resource = resourceIndicator === undefined ? {} : { resource: resourceIndicator };
  const proofKey = settings.dpop ? await createProofKey() : undefined;
  const proofs = proofKey && (await proofSession(sdk, proofKey));
  try {
    const received = await requestTokens({ sdk, metadata, client, fetch, proofs }, (request) =>
      sdk.exchangeAuthorization(authority.url, {
        ...request,
        authorizationCode: code,
        ...(iss === undefined ? {} : { iss }),
        codeVerifier,
        redirectUri,
        ...resource,
      }),
    );
    return isBound(received.tokens) ? { ...received, proofKey } : received;
  } catch (error) {
    const endpoint = metadata.token_endpoint;
    const mcpError = loginError(sdk, error, {
      server: server.name,
      doing: "token request",
      endpoint,
      secrets,
    });
    const isDead = error instanceof sdk.OAuthError && DEAD_CLIENT.has(error.code);
    if (!isDead || onDeadClient === undefined) throw mcpError;
    const isForgotten = await onDeadClient().then(
      () => true,
      () => false,
    );
    if (!isForgotten) throw mcpError;
    throw withAdvice(mcpError, "The client that an earlier login registered was discarded. Log in again.");
  }
}

/**
 * Makes the address of the login page.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` for an address that may not be opened
 */
export async function requestAuthorization(
  {
    sdk,
    server,
    authority,
  }: {
    readonly sdk: Sdk;
    readonly server: Pick<ResolvedRemoteServer, "name">;
    readonly authority: Authority;
  },
  {
    client,
    redirectUri,
    state,
    scope,
  }: {
    readonly client: StoredOAuthClientInformation;
    readonly redirectUri: string;
    readonly state: string;
    readonly scope: string | undefined;
  },
): Promise<{ readonly url: URL; readonly codeVerifier: string; readonly secrets: readonly string[] }> {
  const { metadata, resourceIndicator } = authority;
  const secrets = [state, ...secretsOfClient(client)];
  const endpoint = metadata.authorization_endpoint;
  try {
    // As it was announced: the URL that is built from it no longer shows what a parser has dropped.
    checkAuthorizationUrl(endpoint);
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authority.url, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceIndicator === undefined ? {} : { resource: resourceIndicator }),
    });
    secrets.push(codeVerifier);
    return { url: checkAuthorizationUrl(authorizationUrl), codeVerifier, secrets };
  } catch (error) {
    throw loginError(sdk, error, { server: server.name, doing: "authorization request", endpoint, secrets });
  }
}

interface AuthorizedCode extends CallbackAnswer {
  readonly iss: string | undefined;
  readonly codeVerifier: string;
  /** Texts that errors must not quote. */
  readonly secrets: readonly string[];
}

/** Sends the person to the authorization server, and waits until the browser returns with a code. */
async function authorizeCode(options: LogInOptions, redemption: Redemption): Promise<AuthorizedCode> {
  const { sdk, server, authority, authorize, settings, signal } = options;
  const { callback, client, scope, attempt } = redemption;
  const { redirectUri, state } = callback;
  const { metadata, issuer } = authority;
  const request = { client, redirectUri, state, scope };
  const { url, codeVerifier, secrets } = await requestAuthorization(options, request);
  const endpoint = metadata.authorization_endpoint;
  const step: LoginStep = { server: server.name, doing: "authorization request", endpoint, secrets };
  try {
    const isIssuerPromised = metadata.authorization_response_iss_parameter_supported === true;
    const answer = callback.expect({
      issuer,
      isIssuerPromised,
      onRefused: (code) => {
        attempt.refusedAs = code;
      },
    });
    const show = async () => {
      try {
        attempt.wasShown = true;
        await authorize(url, { server: server.name, signal });
      } catch (error) {
        attempt.wasShown = false;
        throw isMcpError(error) ? error : notShown(server.name, error, secrets);
      }
    };
    await Promise.race([show(), answer]);
    const { code, iss: named } = await answer;
    // An entry that names the endpoints alone does not say as whom the authorization server signs.
    const iss = settings.byHand?.isIssuerNamed === false ? undefined : named;
    attempt.isAnswered = true;
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
