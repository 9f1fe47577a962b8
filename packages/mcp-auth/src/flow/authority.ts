import { isMcpError, type McpError, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import type { ReadChallenge } from "../challenge.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { Sdk } from "../sdk.ts";
import { canonicalServerUrl } from "../vault/server-url.ts";
import type { StoredCredential } from "../vault/token-vault.ts";
import { authRequired, loginError, quote } from "./login-error.ts";
import { isOutage, notJustNow, type WatchedAnswer, watchAnswers } from "./outage.ts";

/** A gateway may fail for one path and serve the next, so a 502 decides only as the last answer. */
const BAD_GATEWAY = 502;
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403]);

/** The discovered authorization server of an MCP server. */
export interface Authority {
  readonly url: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707), exactly as advertised or configured; never derived from the URL. */
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
   * The current login. It stands in for the resource metadata during an outage, unless the entry's `resource` has changed since that
   * login.
   */
  readonly earlier?: EarlierLogin | undefined;
}

type EarlierLogin = Pick<StoredCredential, "issuer" | "resourceIndicator" | "configuredResource" | "scopes">;

/**
 * Discovers a server's authorization server from its protected resource metadata (RFC 9728) or, if it has none, at the root of its
 * origin (MCP 2025-03-26). Refuses metadata of another issuer, for another resource or without PKCE.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`; `MCP_CONNECT_FAILED` if either server is busy or down; what the network threw
 */
export async function discoverAuthority(options: DiscoverAuthorityOptions): Promise<Authority> {
  const { sdk, server, fetch } = options;
  const resource = await readResourceMetadata(options);
  const resourceIndicator = chooseResource(options, resource?.resource);
  const url = resource?.authorization_servers?.[0] ?? new URL("/", canonicalServerUrl(server.url)).href;
  const metadata = await readAuthorityMetadata({ sdk, fetch, server: server.name, url });
  const { issuer } = metadata;
  return { url, issuer, metadata, resourceIndicator, resourceScopes: resource?.scopes_supported };
}

export interface ReadAuthorityOptions extends Pick<DiscoverAuthorityOptions, "sdk" | "fetch"> {
  /** The server's name as configured. */
  readonly server: string;
  /** The authorization server; its metadata must name it as issuer. */
  readonly url: string;
}

/**
 * Reads the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if there is none, it names another issuer (RFC 8414, section 3.3), or it does not list PKCE
 * with S256 (required by MCP 2025-11-25); `MCP_CONNECT_FAILED` if the server is busy or down
 */
export async function readAuthorityMetadata(
  options: ReadAuthorityOptions,
): Promise<AuthorizationServerMetadata> {
  const { sdk, fetch, server, url } = options;
  const asked = { sdk, fetch: withoutPages(fetch), server, endpoint: url };
  const { metadata, answers } = await readMetadata(asked, (fetchFn) =>
    sdk.discoverAuthorizationServerMetadata(url, { fetchFn }),
  );
  if (metadata === undefined) {
    const outage = answers.find(({ status }) => isOutage(status));
    if (outage !== undefined)
      throw unreadable(server, "the metadata of its authorization server", url, outage);
    const reason = `it requires a login, but no authorization server was found for it (no metadata at ${quote(url)}). Add an Authorization header to its entry instead.`;
    throw authRequired(server, reason);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    const reason = `its authorization server ${quote(metadata.issuer)} does not announce PKCE with S256, which a safe login requires; nothing was sent.`;
    throw authRequired(server, reason);
  }
  return metadata;
}

/** The members of the resource metadata that are used here. */
type ResourceMetadata = Pick<OAuthProtectedResourceMetadata, "authorization_servers" | "scopes_supported"> & {
  readonly resource?: string | undefined;
};

/** Returns `undefined` if the server has no such metadata. A failure to read it is an error, unless an earlier login can replace it. */
async function readResourceMetadata(
  options: DiscoverAuthorityOptions,
): Promise<ResourceMetadata | undefined> {
  const { sdk, server, settings, challenge, earlier } = options;
  const { resourceMetadataUrl } = challenge;
  const serverUrl = canonicalServerUrl(server.url);
  const endpoint = resourceMetadataUrl?.href ?? serverUrl;
  const where = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  // A page at a URL that the server named is an error, not a sign that there is no metadata.
  const fetch = resourceMetadataUrl ? options.fetch : withoutPages(options.fetch);
  const { metadata, answers } = await readMetadata({ sdk, fetch, server: server.name, endpoint }, (fetchFn) =>
    sdk.discoverOAuthProtectedResourceMetadata(serverUrl, where, fetchFn),
  );
  if (metadata !== undefined) return metadata;
  const last = answers.at(-1);
  const status = last?.status ?? 0;
  // A gateway may answer 401 or 403 for any unknown path, but should not for a URL that the server named.
  const isForbidden = resourceMetadataUrl !== undefined && FORBIDDEN.has(status);
  const inconclusive = isForbidden || status === BAD_GATEWAY ? last : answers.find(isInconclusive);
  const isDown = status >= 500 || (inconclusive === undefined && answers.some(isBadGateway));
  // A resource that only the entry named was never advertised, so it is not used once the entry names another.
  const isForSameEntry = earlier?.configuredResource === settings.resource;
  if (isDown && isForSameEntry && earlier?.resourceIndicator !== undefined)
    return advertisedBy(earlier, earlier.resourceIndicator);
  if (inconclusive !== undefined)
    throw unreadable(server.name, "its authorization metadata", endpoint, inconclusive);
  return undefined;
}

/** Rebuilds the metadata from an earlier login, whose scopes stand in for `scopes_supported`. */
function advertisedBy({ issuer, scopes }: EarlierLogin, resource: string): ResourceMetadata {
  return { resource, authorization_servers: [issuer], scopes_supported: [...scopes] };
}

interface AskedMetadata extends Pick<ReadAuthorityOptions, "sdk" | "fetch" | "server"> {
  /** The first location asked. */
  readonly endpoint: string;
}

/**
 * Reads metadata. If no location has any, the answers say why.
 *
 * @throws McpError for metadata that was read and refused, and what the network threw, whatever another location answered
 */
async function readMetadata<T>(
  { sdk, fetch, server, endpoint }: AskedMetadata,
  read: (fetch: FetchLike) => Promise<T | undefined>,
): Promise<{ readonly metadata: T | undefined; readonly answers: readonly WatchedAnswer[] }> {
  const { fetch: watched, answers } = watchAnswers(fetch);
  try {
    return { metadata: await read(watched), answers };
  } catch (error) {
    const { status = 0 } = answers.at(-1) ?? {};
    if (isMcpError(error) || status < 300)
      throw loginError(sdk, error, { server, doing: "discovery", endpoint });
    return { metadata: undefined, answers };
  }
}

/** Metadata is an object (RFC 8414, section 3.2; RFC 9728, section 3.2). A byte order mark counts as white space. */
const BEGINS_AS_OBJECT = /^\s*\{/;

/**
 * Turns a successful answer that is not a JSON object into a 404, because many servers answer unknown paths with a home page, a line
 * of text or nothing. The content type is ignored: some servers send pages without one, and JSON as HTML.
 */
function withoutPages(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isPage = response.ok && !BEGINS_AS_OBJECT.test(await response.clone().text());
    return isPage ? new Response(null, { status: 404 }) : response;
  };
}

/** Whether an answer leaves open if there is metadata: an outage other than 502, or a redirect that was not followed because it has no location or an unknown status. */
function isInconclusive({ status }: WatchedAnswer): boolean {
  return (status >= 300 && status < 400) || (isOutage(status) && status !== BAD_GATEWAY);
}

function isBadGateway({ status }: WatchedAnswer): boolean {
  return status === BAD_GATEWAY;
}

/** The error of metadata that cannot be read. Without it a login might go to the wrong place, so none is begun. */
function unreadable(server: string, what: string, endpoint: string, answer: WatchedAnswer): McpError {
  const { status: httpStatus, retryAfterMs } = answer;
  const advice = isOutage(httpStatus) ? "Try again later." : "Ask the operator of the server.";
  const { origin, pathname } = new URL(endpoint);
  const reason = `${what} cannot be read at ${quote(origin + pathname)} (HTTP ${httpStatus}). ${advice}`;
  return notJustNow(server, reason, { httpStatus, retryAfterMs });
}

/** Refuses a resource that does not fit the server's URL: a token for another audience could be used elsewhere (threat T34). */
function chooseResource(
  { sdk, server, settings }: DiscoverAuthorityOptions,
  advertised: string | undefined,
): string | undefined {
  const requestedResource = sdk.resourceUrlFromServerUrl(canonicalServerUrl(server.url));
  for (const configuredResource of [advertised, settings.resource]) {
    if (configuredResource === undefined) continue;
    const isUrl = URL.canParse(configuredResource);
    if (isUrl && sdk.checkResourceAllowed({ requestedResource, configuredResource })) continue;
    throw authRequired(
      server.name,
      `the resource in its metadata or entry does not match its URL; no login was started.`,
    );
  }
  return settings.resource ?? advertised;
}
