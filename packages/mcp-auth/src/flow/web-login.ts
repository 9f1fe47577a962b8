import { isRecord, McpError } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import type { FetchLike, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { type CallbackHit, readAuthorizationResponse } from "../callback/callback-hit.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { authRequired, isOwnTrouble, secretsOfClient } from "../errors.ts";
import type { BegunLogin, LoginResponse } from "../oauth-options.ts";
import type { Sdk } from "../sdk.ts";
import type { StoredCredential, VaultNotes } from "../vault/token-vault.ts";
import type { Authority } from "./authority.ts";
import { askableScopes, identifyClient, withoutSecret, withSecret } from "./client-identity.ts";
import { grantedCredential } from "./grant.ts";
import { exchangeCode, isAboutClient, requestAuthorization } from "./login.ts";

/** How long a user may take. */
const WEB_LOGIN_LIFETIME_MS = 600_000;
/** How long a client that was registered for all users is remembered: none is registered for each. */
const CLIENT_LIFETIME_MS = 365 * 24 * 3_600_000;
const STATE_BYTES = 32;

/** A login that has begun: all that is needed to finish it, on any machine. */
export interface PendingLogin {
  readonly principal: string;
  readonly server: { readonly name: string; readonly transport: "http" | "sse"; readonly url: string };
  readonly authority: Authority;
  readonly client: StoredOAuthClientInformation;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** A digest of what only the user's browser has. */
  readonly session: string;
}

interface WebLoginOptions {
  readonly sdk: Sdk;
  readonly fetch: FetchLike;
  readonly settings: AuthorizationSettings;
  readonly notes: VaultNotes;
  readonly now: () => number;
}

export interface BeginWebLoginOptions extends WebLoginOptions {
  readonly principal: string;
  readonly server: PendingLogin["server"];
  readonly authority: Authority;
  readonly scopes: readonly string[];
  readonly clientName: string;
  readonly clientMetadataUrl: string | undefined;
  readonly redirectUri: string;
  readonly session: string;
  /** The credential of an earlier login of this user. */
  readonly earlier: StoredCredential | undefined;
}

/** Makes the address of the login page, and leaves a note of what finishes the login. */
export async function beginWebLogin(options: BeginWebLoginOptions): Promise<BegunLogin> {
  const { sdk, server, authority, settings, notes, scopes, redirectUri, principal, session } = options;
  const scope = scopes.length === 0 ? undefined : scopes.join(" ");
  const registered = await registrationOf(options);
  const earlier = registered ?? options.earlier?.client;
  const client = await identifyClient({
    ...options,
    server: server.name,
    scope,
    earlier,
    earlierScopes: options.earlier?.scopes,
  });
  if (client !== earlier && "redirect_uris" in client)
    await notes.put(clientNote(authority, redirectUri), JSON.stringify(client), CLIENT_LIFETIME_MS);
  const asked = askableScopes(client, scopes);
  const state = cryptography().randomBytes(STATE_BYTES).toString("base64url");
  const { url, codeVerifier } = await requestAuthorization(
    { sdk, server, authority },
    { client, redirectUri, state, scope: asked.length === 0 ? undefined : asked.join(" ") },
  );
  const pending: PendingLogin = {
    principal,
    server: { name: server.name, transport: server.transport, url: server.url },
    authority,
    client: withoutSecret(client, settings),
    codeVerifier,
    redirectUri,
    scopes: [...new Set([...scopes, ...asked])],
    session: digestOf(session),
  };
  await notes.put(loginNote(state), JSON.stringify(pending), WEB_LOGIN_LIFETIME_MS);
  return { url: url.href, lifetimeMs: WEB_LOGIN_LIFETIME_MS };
}

/** A response that belongs to a login which this user's browser began. It counts once, whatever becomes of it. */
export interface WebLoginResponse {
  readonly pending: PendingLogin;
  readonly hit: Exclude<CallbackHit, { kind: "stray" }>;
}

/**
 * Finds the login that a response belongs to, and forgets it.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` for a response that is none, was used, came too late, or came to another browser
 */
export async function takeWebLogin(
  response: LoginResponse,
  { notes, session }: { readonly notes: VaultNotes; readonly session: string },
): Promise<WebLoginResponse> {
  const written = isRecord(response) && !(response instanceof URL) ? response.url : response;
  const url = URL.parse(String(written ?? ""), "http://localhost");
  const hit = url && readAuthorizationResponse(url.searchParams);
  if (!hit) throw refusal("This is not the response of an authorization server.");
  const text = await notes.take(loginNote(hit.state));
  if (text === undefined)
    throw refusal(
      "This login is not known: it was finished already, or took longer than ten minutes. Begin another.",
    );
  const pending = JSON.parse(text) as PendingLogin;
  if (!isSameDigest(pending.session, digestOf(session)))
    throw refusal("This login was begun in another session, so its response was not used. Begin another.");
  return { pending, hit };
}

/**
 * Redeems the code of a response.
 *
 * @param onDeadClient - called if the authorization server does not know the client any more; the next login registers another
 * @throws McpError `MCP_AUTH_REQUIRED` if the authorization server has refused the login or the code, or another one has answered
 */
export async function redeemWebLogin(
  { pending, hit }: WebLoginResponse,
  options: WebLoginOptions & { readonly onDeadClient: () => Promise<void> },
): Promise<StoredCredential> {
  const { sdk, fetch, settings, notes, now, onDeadClient } = options;
  const { server, authority, codeVerifier, redirectUri, scopes } = pending;
  const forget = async () => {
    await notes.take(clientNote(authority, redirectUri));
    await onDeadClient();
  };
  const client = withSecret(pending.client, settings);
  const secrets = [hit.state, codeVerifier, ...secretsOfClient(client)];
  if (hit.kind === "refusal") {
    const isPromised = authority.metadata.authorization_response_iss_parameter_supported === true;
    if (hit.iss === undefined ? isPromised : hit.iss !== authority.issuer)
      throw refusal(
        "The answer did not come from the expected authorization server, so it was not used. Begin another login.",
      );
    if (isAboutClient(hit.code)) await forget();
    const advice = isOwnTrouble(hit.code) ? "Try again later." : "Begin another login to try again.";
    throw authRequired(server.name, `the authorization server refused the login: ${hit.error}. ${advice}`);
  }
  const iss = settings.byHand?.isIssuerNamed === false ? undefined : hit.iss;
  const received = await exchangeCode(
    { sdk, fetch, server, authority, settings, onDeadClient: forget },
    { client, code: hit.code, iss, codeVerifier, redirectUri, secrets: [...secrets, hit.code] },
  );
  return grantedCredential({
    serverUrl: server.url,
    authority,
    client: received.client,
    settings,
    scopes,
    tokens: received.tokens,
    proofKey: received.proofKey,
    now: now(),
  });
}

/** The client that some machine has registered for all users. */
async function registrationOf({
  notes,
  authority,
  redirectUri,
}: BeginWebLoginOptions): Promise<StoredOAuthClientInformation | undefined> {
  const text = await notes.read(clientNote(authority, redirectUri));
  return text === undefined ? undefined : (JSON.parse(text) as StoredOAuthClientInformation);
}

function clientNote({ issuer }: Authority, redirectUri: string): string {
  return JSON.stringify(["client", issuer, redirectUri]);
}

function loginNote(state: string): string {
  return JSON.stringify(["login", state]);
}

function digestOf(session: string): string {
  return cryptography().createHash("sha256").update(session).digest("base64url");
}

function isSameDigest(one: string, other: string): boolean {
  return cryptography().timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function refusal(message: string): McpError {
  return new McpError("MCP_AUTH_REQUIRED", message, { phase: "handshake", outcome: "rejected" });
}
