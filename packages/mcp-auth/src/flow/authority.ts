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

/** A gateway may have no way for one path, and one for the next that is asked; it counts where it is the last word. */
const BAD_GATEWAY = 502;
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403]);

/** The authorization server that guards a server, as it was discovered. */
export interface Authority {
  readonly url: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707), byte for byte as advertised or configured; none is made up. */
  readonly resourceIndicator?: string | undefined;
  /** The scopes that the protected resource knows. */
  readonly resourceScopes?: readonly string[] | undefined;
}

export interface DiscoverAuthorityOptions {
  readonly sdk: Sdk;
  readonly fetch: FetchLike;
  readonly server: ResolvedRemoteServer;
  readonly settings: AuthorizationSettings;
  readonly challenge: ReadChallenge;
  /**
   * The login that there is. What the server had advertised by then holds while its metadata cannot be read, unless the entry named
   * another `resource` at that login than it does now.
   */
  readonly earlier?: EarlierLogin | undefined;
}

type EarlierLogin = Pick<StoredCredential, "issuer" | "resourceIndicator" | "configuredResource" | "scopes">;

/**
 * Finds out who guards a server: from its protected resource metadata (RFC 9728), or from the root of its origin where it has
 * none (MCP 2025-03-26). Metadata of another issuer, for another resource or without PKCE is refused.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`; `MCP_CONNECT_FAILED` if one of them is busy or down; what the network threw
 */
export async function discoverAuthority(options: DiscoverAuthorityOptions): Promise<Authority> {
  const { sdk, server, fetch } = options;
  const resource = await findResource(options);
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
 * @throws McpError `MCP_AUTH_REQUIRED` if there is none, it names another issuer (RFC 8414, section 3.3), or PKCE with S256 is
 * not among what it supports (MCP 2025-11-25 demands that it says so); `MCP_CONNECT_FAILED` if it is busy or down
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
    const fact = `it wants a login, and no authorization server is found for it (there is no metadata at ${quote(url)}). Give its entry an Authorization header instead.`;
    throw authRequired(server, fact);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    const fact = `its authorization server ${quote(metadata.issuer)} does not say that it supports PKCE with S256, without which a login is not safe; nothing was sent.`;
    throw authRequired(server, fact);
  }
  return metadata;
}

/** What a server says of its resource, as far as it is used here. */
type Resource = Pick<OAuthProtectedResourceMetadata, "authorization_servers" | "scopes_supported"> & {
  readonly resource?: string | undefined;
};

/** `undefined` where the server has no such metadata; that it cannot be read just now is an error, unless it is known from an earlier login. */
async function findResource(options: DiscoverAuthorityOptions): Promise<Resource | undefined> {
  const { sdk, server, settings, challenge, earlier } = options;
  const { resourceMetadataUrl } = challenge;
  const serverUrl = canonicalServerUrl(server.url);
  const endpoint = resourceMetadataUrl?.href ?? serverUrl;
  const where = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  // What the server itself has named is there, so a page in its place is no answer.
  const fetch = resourceMetadataUrl ? options.fetch : withoutPages(options.fetch);
  const { metadata, answers } = await readMetadata({ sdk, fetch, server: server.name, endpoint }, (fetchFn) =>
    sdk.discoverOAuthProtectedResourceMetadata(serverUrl, where, fetchFn),
  );
  if (metadata !== undefined) return metadata;
  const last = answers.at(-1);
  const status = last?.status ?? 0;
  // A guard may stand before whatever is asked for, but not before what is named.
  const isForbidden = resourceMetadataUrl !== undefined && FORBIDDEN.has(status);
  const undecided = isForbidden || status === BAD_GATEWAY ? last : answers.find(isUndecided);
  const isDown = status >= 500 || (undecided === undefined && answers.some(isBadGateway));
  // A resource that only the entry has named was never advertised, and it goes when the entry no longer names it.
  const isForSameEntry = earlier?.configuredResource === settings.resource;
  if (isDown && isForSameEntry && earlier?.resourceIndicator !== undefined)
    return advertisedBy(earlier, earlier.resourceIndicator);
  if (undecided !== undefined) throw unreadable(server.name, "who guards it", endpoint, undecided);
  return undefined;
}

/** What was asked for without a word of anybody's was what the resource knew. */
function advertisedBy({ issuer, scopes }: EarlierLogin, resource: string): Resource {
  return { resource, authorization_servers: [issuer], scopes_supported: [...scopes] };
}

interface AskedMetadata extends Pick<ReadAuthorityOptions, "sdk" | "fetch" | "server"> {
  /** Where it is looked for first. */
  readonly endpoint: string;
}

/**
 * Reads metadata. Where no place has any, the answers say why.
 *
 * @throws McpError for what was read and is refused, and what the network threw: it is told as it is, whatever another place has answered
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
 * A page is no metadata: many a server answers whatever it does not know with its own first page, be it a line of text or nothing. The
 * type that is said of a body decides nothing: some servers send pages without one, and JSON as HTML.
 */
function withoutPages(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isPage = response.ok && !BEGINS_AS_OBJECT.test(await response.clone().text());
    return isPage ? new Response(null, { status: 404 }) : response;
  };
}

/** An outage, or a redirect that was not followed, because it says nothing of where to, or nothing that is known here. */
function isUndecided({ status }: WatchedAnswer): boolean {
  return (status >= 300 && status < 400) || (isOutage(status) && status !== BAD_GATEWAY);
}

function isBadGateway({ status }: WatchedAnswer): boolean {
  return status === BAD_GATEWAY;
}

/** Without knowing what guards the server, a login might go to the wrong place, so none is begun. */
function unreadable(server: string, what: string, endpoint: string, answer: WatchedAnswer): McpError {
  const { status: httpStatus, retryAfterMs } = answer;
  const advice = isOutage(httpStatus) ? "Try again later." : "Ask whoever runs the server.";
  const { origin, pathname } = new URL(endpoint);
  const fact = `${what} cannot be read at ${quote(origin + pathname)} (HTTP ${httpStatus}). ${advice}`;
  return notJustNow(server, fact, { httpStatus, retryAfterMs });
}

/** A token for another audience would be worth something elsewhere, so it is not even asked for (threat T34). */
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
      `its metadata or its entry is for another resource than its URL; no login was begun.`,
    );
  }
  return settings.resource ?? advertised;
}
