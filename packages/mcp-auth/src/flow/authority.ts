import { isMcpError, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { AuthorizationServerMetadata, FetchLike } from "@modelcontextprotocol/client";
import type { ReadChallenge } from "../challenge.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import { authRequired, isOutage, loginError, quote } from "../errors.ts";
import type { Sdk } from "../sdk.ts";
import { canonicalServerUrl } from "../vault/credential.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import {
  findDocument,
  inconclusiveAnswer,
  isSameIdentifier,
  issuerPlaces,
  type ReadDocument,
  type ResourceMetadata,
  readIssuerMetadata,
  readResourceMetadata,
  resourcePlaces,
  unreadable,
} from "./metadata.ts";

const FORBIDDEN: ReadonlySet<number> = new Set([401, 403]);

/** The authorization server of an MCP server. */
export interface Authority {
  readonly url: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707), exactly as advertised or configured; missing if there is none, or the entry wants none. */
  readonly resourceIndicator?: string | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly resourceScopes?: readonly string[] | undefined;
}

export interface DiscoverAuthorityOptions {
  readonly sdk: Sdk;
  readonly fetch: FetchLike;
  readonly server: ResolvedRemoteServer;
  readonly settings: AuthorizationSettings;
  readonly challenge: ReadChallenge;
  /**
   * The current login. Its issuer is preferred if the server names several, and it stands in for the resource metadata during an outage,
   * unless the entry's `resource` has changed since that login.
   */
  readonly earlier?: EarlierLogin | undefined;
  /** A client metadata document, for authorization servers that accept it in place of a registration. */
  readonly clientMetadataUrl?: string | undefined;
}

type EarlierLogin = Pick<StoredCredential, "issuer" | "resourceIndicator" | "configuredResource" | "scopes">;

/**
 * Discovers a server's authorization server from its protected resource metadata (RFC 9728) or, if it has none, at the root of its
 * origin (MCP 2025-03-26); what the user's own entry says by hand is not discovered. Refuses metadata of another issuer, for another
 * resource or without PKCE. Of several authorization servers, the first that can be used counts.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`; `MCP_CONNECT_FAILED` if either server is busy or down; what the network threw
 */
export async function discoverAuthority(options: DiscoverAuthorityOptions): Promise<Authority> {
  const { sdk, server, fetch, settings, earlier } = options;
  const { byHand } = settings;
  if (typeof settings.resource === "string") requireCovered(server, settings.resource);
  const found = byHand
    ? await resourceOf(options).catch(() => undefined) // where things are set by hand, metadata only adds to it
    : await resourceOf(options);
  const resourceIndicator = settings.resource === false ? undefined : (settings.resource ?? found?.resource);
  const described = { resourceIndicator, resourceScopes: found?.scopes };
  const named = byHand ? [byHand.issuer] : (found?.authorizationServers ?? []);
  const urls = named.length > 0 ? named : [new URL("/", canonicalServerUrl(server.url)).href];
  const isEarliers = (url: string) => isSameIdentifier(url, earlier?.issuer);
  const byPreference = [...urls.filter(isEarliers), ...urls.filter((url) => !isEarliers(url))];
  let failure: unknown;
  let withoutClient: Authority | undefined;
  for (const url of byPreference) {
    try {
      const metadata = await readAuthorityMetadata({
        sdk,
        fetch,
        server: server.name,
        url,
        byHand,
        isForProgram: settings.program !== undefined,
      });
      const authority = { url, issuer: metadata.issuer, metadata, ...described };
      if (isEarliers(url) || mayHaveClient(metadata, options)) return authority;
      withoutClient ??= authority;
    } catch (error) {
      failure ??= error;
      // The login there is not given up because of an outage, nor is it the other one's fault that the caller has left.
      if (!isMcpError(error) || error.code === "MCP_ABORTED" || (isEarliers(url) && error.retryable)) break;
    }
  }
  if (withoutClient !== undefined) return withoutClient;
  throw failure;
}

/** Whether there can be a client for an authorization server: the entry's, a document, or one that is registered. */
function mayHaveClient(
  metadata: AuthorizationServerMetadata,
  { settings, clientMetadataUrl }: DiscoverAuthorityOptions,
): boolean {
  const isDocumentAccepted = metadata.client_id_metadata_document_supported === true;
  const hasDocument = clientMetadataUrl !== undefined && isDocumentAccepted;
  return settings.clientId !== undefined || hasDocument || metadata.registration_endpoint !== undefined;
}

export interface ReadAuthorityOptions extends Pick<DiscoverAuthorityOptions, "sdk" | "fetch"> {
  /** The server's name as configured. */
  readonly server: string;
  /** The authorization server; its metadata must name it as issuer. */
  readonly url: string;
  /** What the entry says of one authorization server. */
  readonly byHand?: AuthorizationSettings["byHand"];
  /** Whether nobody logs in, so that neither a page nor PKCE is needed. Default false. */
  readonly isForProgram?: boolean | undefined;
}

/**
 * Reads the metadata of an authorization server (RFC 8414, OpenID Connect Discovery), or takes it from the entry.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if there is none, it names another issuer (RFC 8414, section 3.3), or it does not list PKCE
 * with S256 (required by MCP 2025-11-25); `MCP_CONNECT_FAILED` if the server is busy or down
 */
export async function readAuthorityMetadata(
  options: ReadAuthorityOptions,
): Promise<AuthorizationServerMetadata> {
  const { sdk, fetch, server, url, byHand, isForProgram = false } = options;
  if (byHand?.metadata && isSameIdentifier(byHand.issuer, url)) return byHand.metadata;
  const judge = (document: ReadDocument, place: URL) => {
    const metadata = readIssuerMetadata(document, isForProgram);
    if (metadata === undefined) {
      const reason = `${quote(place.origin + place.pathname)} answered the discovery with invalid metadata.`;
      throw authRequired(server, reason);
    }
    requireIssuer(server, metadata, url);
    if (!isForProgram) requirePkce(server, metadata);
    return metadata;
  };
  const places = URL.canParse(url) ? issuerPlaces(sdk, url) : [];
  const { document, answers, refusal } = await findDocument(places, fetch, { server, judge }).catch(
    (error: unknown) => Promise.reject(loginError(sdk, error, { server, doing: "discovery", endpoint: url })),
  );
  if (document !== undefined) return document;
  if (refusal !== undefined) throw loginError(sdk, refusal, { server, doing: "discovery", endpoint: url });
  const outage = answers.find(({ status }) => isOutage(status));
  if (outage !== undefined) throw unreadable(server, "the metadata of its authorization server", url, outage);
  const reason = `it requires a login, but no authorization server was found for it (no metadata at ${quote(url)}). Add an Authorization header to its entry instead.`;
  throw authRequired(server, reason);
}

/** Refuses metadata of another issuer. A URL that ends with a slash may have an issuer without it. */
function requireIssuer(server: string, { issuer }: AuthorizationServerMetadata, url: string): void {
  if (isSameIdentifier(issuer, url) || `${issuer}/` === url) return;
  const reason = `the metadata of ${quote(url)} belongs to another issuer (${quote(issuer)}), so it was not used.`;
  throw authRequired(server, reason);
}

function requirePkce(
  server: string,
  { issuer, code_challenge_methods_supported: methods }: AuthorizationServerMetadata,
): void {
  if (methods?.includes("S256") === true) return;
  const reason = `its authorization server ${quote(issuer)} does not announce PKCE with S256, which a safe login requires; nothing was sent.`;
  throw authRequired(server, reason);
}

/** `undefined` if the server has no such metadata. A failure to read it is an error, unless an earlier login can replace it. */
async function resourceOf(options: DiscoverAuthorityOptions): Promise<ResourceMetadata | undefined> {
  const { sdk, server, settings, challenge, earlier, fetch } = options;
  const { resourceMetadataUrl: named } = challenge;
  const serverUrl = canonicalServerUrl(server.url);
  const judge = (document: ReadDocument) => {
    const read = readResourceMetadata(document);
    if (read?.resource !== undefined) requireCovered(server, read.resource);
    // It describes the URL that it was asked for: a token for no stated resource could be used elsewhere.
    return read && { ...read, resource: read.resource ?? serverUrl };
  };
  const endpoint = named?.href ?? serverUrl;
  const asked = { server: server.name, judge, named };
  const { document, answers, refusal } = await findDocument(
    resourcePlaces(serverUrl, named),
    fetch,
    asked,
  ).catch((error: unknown) =>
    Promise.reject(loginError(sdk, error, { server: server.name, doing: "discovery", endpoint })),
  );
  if (document !== undefined) return document;
  if (refusal !== undefined)
    throw loginError(sdk, refusal, { server: server.name, doing: "discovery", endpoint });
  // A gateway may answer 401 or 403 for any unknown path, but should not for a URL that the server named.
  const [first] = answers;
  const forbidden = named !== undefined && first && FORBIDDEN.has(first.status) ? first : undefined;
  const inconclusive = forbidden ?? inconclusiveAnswer(answers);
  const isDown = answers.some(({ status }) => status >= 500) && !(inconclusive && inconclusive.status < 500);
  // A resource that only the entry named was never advertised, so it is not used once the entry names another.
  const isForSameEntry = earlier?.configuredResource === (settings.resource || undefined);
  if (isDown && isForSameEntry && earlier?.resourceIndicator !== undefined) {
    requireCovered(server, earlier.resourceIndicator);
    return {
      resource: earlier.resourceIndicator,
      authorizationServers: [earlier.issuer],
      scopes: [...earlier.scopes],
    };
  }
  if (inconclusive !== undefined)
    throw unreadable(server.name, "its authorization metadata", endpoint, inconclusive);
  return undefined;
}

/**
 * Refuses a resource that does not cover the server's URL: a token for another audience could be used elsewhere (threat T34). It covers
 * URLs of its own origin at and below its path, with or without a final slash.
 */
function requireCovered({ name, url }: ResolvedRemoteServer, resource: string): void {
  const serverUrl = new URL(canonicalServerUrl(url));
  const named = URL.parse(resource);
  const path = (each: URL) => `${each.pathname.replace(/\/$/, "")}/`;
  if (named?.origin === serverUrl.origin && path(serverUrl).startsWith(path(named))) return;
  const shown = quote(serverUrl.origin + serverUrl.pathname);
  const reason = `the resource ${quote(resource)} in its metadata or entry does not match its URL ${shown}; no login was started.`;
  throw authRequired(name, reason);
}
