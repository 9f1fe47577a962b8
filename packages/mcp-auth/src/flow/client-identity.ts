import { isMcpError } from "@jackfield/mcp-core";
import type {
  FetchLike,
  OAuthClientInformationFull,
  OAuthClientMetadata,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { ADVICE_ON_CLIENT, authRequired, loginError, quote } from "../errors.ts";
import { isLoopbackHost } from "../network/endpoint-url.ts";
import type { Sdk } from "../sdk.ts";
import { readableRegistration, watchAnswers } from "./answers.ts";
import type { Authority } from "./authority.ts";
import { isSameIdentifier } from "./metadata.ts";
import { splitScopes } from "./scope-choice.ts";

export interface IdentifyClientOptions {
  readonly sdk: Sdk;
  readonly fetch: FetchLike;
  /** The server's name as configured. */
  readonly server: string;
  readonly authority: Authority;
  readonly settings: AuthorizationSettings;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly clientName: string;
  readonly clientMetadataUrl: string | undefined;
  /** The client of an earlier login, with any issuer. */
  readonly earlier: StoredOAuthClientInformation | undefined;
  /** The scopes of that login. Default: none. */
  readonly earlierScopes?: readonly string[] | undefined;
  readonly now: () => number;
}

/**
 * Chooses the client of a login, in this order: the entry's client; a client ID metadata document, if the authorization server accepts
 * one; the client that an earlier login registered there; a new registration. If that fails, a client that was registered earlier for
 * fewer scopes is used.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if there is none of them, with endpoint and status if registration was refused;
 * `clientSecretError`, for the entry's client
 */
export async function identifyClient(options: IdentifyClientOptions): Promise<StoredOAuthClientInformation> {
  const { sdk, server, authority, settings, clientMetadataUrl, earlier } = options;
  const { issuer, metadata } = authority;
  if (settings.clientId !== undefined) return withSecret({ client_id: settings.clientId, issuer }, settings);
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl, issuer };
  }
  const isKnown = earlier !== undefined && isSameIdentifier(earlier.issuer, issuer);
  const known = isKnown && isCurrent(earlier, options) ? earlier : undefined;
  if (known && mayAskFor(known, options)) return known;
  const endpoint = metadata.registration_endpoint;
  if (endpoint === undefined) {
    if (known) return known;
    const reason = `its authorization server ${quote(issuer)} does not register clients. ${ADVICE_ON_CLIENT}`;
    throw authRequired(server, reason);
  }
  const { scope } = options;
  const { fetch: fetchFn, answers } = watchAnswers(options.fetch);
  const clientMetadata = describeClient(options);
  let registered: OAuthClientInformationFull;
  try {
    registered = await sdk.registerClient(authority.url, {
      metadata,
      clientMetadata,
      ...(scope === undefined ? {} : { scope }),
      fetchFn: readableRegistration(fetchFn, [options.redirectUri]),
    });
  } catch (error) {
    // Only the authorization server knows whether the known client may ask for more scopes than it was registered for.
    if (known && (answers.length > 0 || isAnswer(error))) return known;
    throw loginError(sdk, error, { server, doing: "registration", endpoint });
  }
  if (registered.client_id === "") {
    if (known) return known;
    const reason = `its authorization server ${quote(issuer)} registered a client without an id. ${ADVICE_ON_CLIENT}`;
    throw authRequired(server, reason);
  }
  return withGrantedScopes({ ...withoutEmptySecret(registered), issuer }, splitScopes(scope));
}

/** A client that was registered for other scopes than were asked for; the vault keeps it so. */
interface LimitedClient {
  readonly granted_scope?: string | undefined;
}

function withGrantedScopes<T extends OAuthClientInformationFull>(
  registered: T,
  wanted: readonly string[],
): T & LimitedClient {
  const granted = splitScopes(registered.scope);
  const isAsWanted =
    granted.length === 0 || (wanted.length > 0 && wanted.every((one) => granted.includes(one)));
  return isAsWanted ? registered : { ...registered, granted_scope: granted.join(" ") };
}

/** The scopes that a client was registered for, if these are not all that it asked for. */
export function grantedScopes(client: StoredOAuthClientInformation): readonly string[] {
  return splitScopes((client as LimitedClient).granted_scope);
}

/** The scopes that a client may ask for: a request for more than it was registered for may be refused as a whole. */
export function askableScopes(
  client: StoredOAuthClientInformation,
  wanted: readonly string[],
): readonly string[] {
  const granted = grantedScopes(client);
  if (granted.length === 0) return wanted;
  if (wanted.length === 0) return granted;
  const common = wanted.filter((scope) => granted.includes(scope));
  return common.length > 0 ? common : wanted;
}

/** Whether an error stands for an answer that the network refused, such as a redirect. Without an answer there is no status. */
function isAnswer(error: unknown): boolean {
  return isMcpError(error) && error.httpStatus !== undefined;
}

/**
 * The client with the secret of its entry.
 *
 * @throws `clientSecretError`, for the entry's own client
 */
export function withSecret(
  client: StoredOAuthClientInformation,
  { clientId, clientSecret, clientSecretError }: AuthorizationSettings,
): StoredOAuthClientInformation {
  if (client.client_id !== clientId) return client;
  if (clientSecretError !== undefined) throw clientSecretError;
  if (clientSecret === undefined) return client;
  return { ...client, client_secret: clientSecret };
}

/** The client as stored, without a secret that its entry already holds. */
export function withoutSecret(
  client: StoredOAuthClientInformation,
  { clientId }: AuthorizationSettings,
): StoredOAuthClientInformation {
  if (client.client_id !== clientId) return client;
  const { client_secret: _, ...rest } = client;
  return rest;
}

/** The client without its redirect URIs, so that no later login reuses it. */
export function withoutRegistration(client: StoredOAuthClientInformation): StoredOAuthClientInformation {
  if (!("redirect_uris" in client)) return client;
  const { redirect_uris: _, ...rest } = client;
  return rest;
}

/** The redirect URIs that a client was registered with. */
export function redirectUrisOf(client: StoredOAuthClientInformation): readonly string[] {
  return "redirect_uris" in client && Array.isArray(client.redirect_uris) ? client.redirect_uris : [];
}

/** Whether an earlier client can still log in. `client_secret_expires_at` is in seconds, 0 for never (RFC 7591, section 3.2.1). */
function isCurrent(
  earlier: StoredOAuthClientInformation,
  { redirectUri, now }: Pick<IdentifyClientOptions, "redirectUri" | "now">,
): boolean {
  const { client_secret_expires_at: end = 0 } = earlier as { readonly client_secret_expires_at?: number };
  return redirectUrisOf(earlier).includes(redirectUri) && (end === 0 || end * 1_000 > now());
}

/** Whether a client may ask for the scopes: it may be limited to those it registered (RFC 7591, section 2) or was granted since. */
function mayAskFor(
  earlier: StoredOAuthClientInformation,
  { scope: wanted, earlierScopes = [] }: Pick<IdentifyClientOptions, "scope" | "earlierScopes">,
): boolean {
  const { scope } = earlier as { readonly scope?: unknown };
  if (typeof scope !== "string" || scope === "") return true;
  const known = new Set([...splitScopes(scope), ...earlierScopes]);
  return splitScopes(wanted).every((name) => known.has(name));
}

/** Some authorization servers write "no secret" as an empty one, which no method of authentication can use. */
function withoutEmptySecret<T extends OAuthClientInformationFull>(registered: T): T {
  if (registered.client_secret !== "") return registered;
  const { client_secret: _, token_endpoint_auth_method: __, ...rest } = registered;
  return rest as T;
}

function describeClient({ clientName, redirectUri, authority }: IdentifyClientOptions): OAuthClientMetadata {
  const methods = authority.metadata.token_endpoint_auth_methods_supported;
  // A native app cannot keep a secret (RFC 8252, section 8.4), so it asks for none unless the server requires one.
  const isPublic = methods === undefined || methods.includes("none");
  return {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: isLoopbackHost(new URL(redirectUri).hostname) ? "native" : "web",
    ...(isPublic ? { token_endpoint_auth_method: "none" } : {}),
  };
}
