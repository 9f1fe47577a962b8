import { isMcpError } from "@jackfield/mcp-core";
import type {
  FetchLike,
  OAuthClientInformationFull,
  OAuthClientMetadata,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { Sdk } from "../sdk.ts";
import type { Authority } from "./authority.ts";
import { ADVICE_ON_CLIENT, authRequired, loginError, quote } from "./login-error.ts";
import { watchAnswers } from "./outage.ts";
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
  /** What an earlier login was registered as, with whichever issuer. */
  readonly earlier: StoredOAuthClientInformation | undefined;
  /** What that login was granted. Default: nothing. */
  readonly earlierScopes?: readonly string[] | undefined;
  readonly now: () => number;
}

/**
 * As whom a login is made: the client of the entry, a client ID metadata document where the authorization server takes one, the
 * client that an earlier login registered there, else one that is registered now. A client that was registered for fewer scopes is
 * taken where no other can be had.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if there is none of them, with endpoint and status where registration was refused; why the entry's
 * client has no secret, if that is so
 */
export async function identifyClient(options: IdentifyClientOptions): Promise<StoredOAuthClientInformation> {
  const { sdk, server, authority, settings, clientMetadataUrl, earlier } = options;
  const { issuer, metadata } = authority;
  if (settings.clientId !== undefined) return withSecret({ client_id: settings.clientId, issuer }, settings);
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl, issuer };
  }
  const known = earlier?.issuer === issuer && isCurrent(earlier, options) ? earlier : undefined;
  if (known && mayAskFor(known, options)) return known;
  const endpoint = metadata.registration_endpoint;
  if (endpoint === undefined) {
    if (known) return known;
    const fact = `its authorization server ${quote(issuer)} registers no clients. ${ADVICE_ON_CLIENT}`;
    throw authRequired(server, fact);
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
      fetchFn,
    });
  } catch (error) {
    // Whether it may ask for more than it was registered for only the authorization server knows.
    if (known && (answers.length > 0 || isAnswer(error))) return known;
    throw loginError(sdk, error, { server, doing: "registration", endpoint });
  }
  if (registered.client_id === "") {
    if (known) return known;
    const fact = `its authorization server ${quote(issuer)} registered a client without an id. ${ADVICE_ON_CLIENT}`;
    throw authRequired(server, fact);
  }
  return { ...withoutEmptySecret(registered), issuer };
}

/** Whether the network did not hand an answer on, such as one that redirects; where nobody has answered there is no status. */
function isAnswer(error: unknown): boolean {
  return isMcpError(error) && error.httpStatus !== undefined;
}

/**
 * The client with the secret of its entry.
 *
 * @throws what has kept the secret from being had
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

/** The client as it is kept: a secret that its entry holds is not written down a second time. */
export function withoutSecret(
  client: StoredOAuthClientInformation,
  { clientId }: AuthorizationSettings,
): StoredOAuthClientInformation {
  if (client.client_id !== clientId) return client;
  const { client_secret: _, ...rest } = client;
  return rest;
}

/** The client without the addresses that it was registered with: no login takes it for its own then. */
export function withoutRegistration(client: StoredOAuthClientInformation): StoredOAuthClientInformation {
  if (!("redirect_uris" in client)) return client;
  const { redirect_uris: _, ...rest } = client;
  return rest;
}

/** Where an earlier login was sent back to. */
export function redirectUrisOf(client: StoredOAuthClientInformation): readonly string[] {
  return "redirect_uris" in client && Array.isArray(client.redirect_uris) ? client.redirect_uris : [];
}

/** Whether a client that was registered earlier can still log in; `client_secret_expires_at` is in seconds, 0 for never (RFC 7591, section 3.2.1). */
function isCurrent(
  earlier: StoredOAuthClientInformation,
  { redirectUri, now }: Pick<IdentifyClientOptions, "redirectUri" | "now">,
): boolean {
  const { client_secret_expires_at: end = 0 } = earlier as { readonly client_secret_expires_at?: number };
  return redirectUrisOf(earlier).includes(redirectUri) && (end === 0 || end * 1_000 > now());
}

/** A client that was registered for some scopes may be held to them (RFC 7591, section 2), but for what its login was granted all the same. */
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
  // A program on somebody's machine keeps no secret (RFC 8252, section 8.4), so it wants none where it need not have one.
  const isPublic = methods === undefined || methods.includes("none");
  return {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
    ...(isPublic ? { token_endpoint_auth_method: "none" } : {}),
  };
}
