import { isMcpError, McpError, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { AuthorizationServerMetadata, FetchLike } from "@modelcontextprotocol/client";
import type { ReadChallenge } from "../challenge.ts";
import type { AuthorizationSettings } from "../entry-settings.ts";
import type { Sdk } from "../sdk.ts";
import { authRequired, loginError, quote } from "./login-error.ts";

/** Answers of a server that is busy: whether there is metadata, they do not say. */
const NOT_JUST_NOW: ReadonlySet<number> = new Set([408, 425, 429]);
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
}

/**
 * Finds out who guards a server: from its protected resource metadata (RFC 9728), or from the root of its origin where it has
 * none (MCP 2025-03-26). Metadata of another issuer, for another resource or without PKCE is refused.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, and what the network threw
 */
export async function discoverAuthority(options: DiscoverAuthorityOptions): Promise<Authority> {
  const { sdk, server, fetch } = options;
  const resource = await findResourceMetadata(options);
  const resourceIndicator = chooseResource(options, resource?.resource);
  const url = resource?.authorization_servers?.[0] ?? new URL("/", server.url).href;
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
 * not among what it supports (MCP 2025-11-25 demands that it says so)
 */
export async function readAuthorityMetadata({
  sdk,
  fetch,
  server,
  url,
}: ReadAuthorityOptions): Promise<AuthorizationServerMetadata> {
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await sdk.discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
  } catch (error) {
    throw loginError(sdk, error, { server, doing: "discovery", endpoint: url });
  }
  if (metadata === undefined) {
    const fact = `it wants a login, and no authorization server is found for it (there is no metadata at ${quote(url)}). Give its entry an Authorization header instead.`;
    throw authRequired(server, fact);
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    const fact = `its authorization server ${quote(metadata.issuer)} does not say that it supports PKCE with S256, without which a login is not safe; nothing was sent.`;
    throw authRequired(server, fact);
  }
  return metadata;
}

/** `undefined` where the server has no such metadata; that it cannot be read just now is an error. */
async function findResourceMetadata({ sdk, fetch, server, challenge }: DiscoverAuthorityOptions) {
  let status: number | undefined;
  let undecided: number | undefined;
  const watched: FetchLike = async (url, init) => {
    status = undefined;
    const response = await fetch(url, init);
    status = response.status;
    if (NOT_JUST_NOW.has(status) || isRedirect(status)) undecided = status;
    return response;
  };
  const { resourceMetadataUrl } = challenge;
  try {
    const where = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    return await sdk.discoverOAuthProtectedResourceMetadata(server.url, where, watched);
  } catch (error) {
    const endpoint = resourceMetadataUrl?.href ?? server.url;
    // A guard may stand before whatever is asked for; but what the server itself has named is there.
    if (resourceMetadataUrl && status !== undefined && FORBIDDEN.has(status)) undecided = status;
    if (undecided !== undefined && !isMcpError(error)) throw unreadable(server.name, endpoint, undecided);
    const isAbsent = status !== undefined && status >= 400 && status < 500;
    if (isAbsent && !isMcpError(error)) return undefined;
    throw loginError(sdk, error, { server: server.name, doing: "discovery", endpoint });
  }
}

/** One that was not followed, because it says nothing of where to, or nothing that is known here. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Without knowing what guards the server, a login might go to the wrong place, so none is begun. */
function unreadable(server: string, endpoint: string, httpStatus: number): McpError {
  const advice = NOT_JUST_NOW.has(httpStatus) ? "Try again later." : "Ask whoever runs the server.";
  const { origin, pathname } = new URL(endpoint);
  const message = `Server ${JSON.stringify(server)}: who guards it cannot be read at ${quote(origin + pathname)} (HTTP ${httpStatus}). ${advice}`;
  const details = { server, httpStatus, phase: "handshake", outcome: "rejected" } as const;
  return new McpError("MCP_CONNECT_FAILED", message, details);
}

/** A token for another audience would be worth something elsewhere, so it is not even asked for (threat T34). */
function chooseResource(
  { sdk, server, settings }: DiscoverAuthorityOptions,
  advertised: string | undefined,
): string | undefined {
  const requestedResource = sdk.resourceUrlFromServerUrl(server.url);
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
