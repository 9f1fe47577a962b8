import { isMcpError, isRecord, type McpError } from "@jackfield/mcp-core";
import type { AuthorizationServerMetadata, FetchLike } from "@modelcontextprotocol/client";
import { authRequired, isOutage, notJustNow, quote } from "../errors.ts";
import type { Sdk } from "../sdk.ts";
import { isText, listOfText, type WatchedAnswer, watchAnswers } from "./answers.ts";

const RESOURCE_PATH = "/.well-known/oauth-protected-resource";
const ISSUER_PATH = "/.well-known/oauth-authorization-server";
/** How many authorization servers of one MCP server are tried. */
const MOST_ISSUERS = 3;

/** A gateway may fail for one path and serve the next, so a 502 decides only as the last answer. */
const BAD_GATEWAY = 502;

/** A JSON document as it was read; none of its members is known. */
export interface ReadDocument {
  readonly [member: string]: unknown;
}

/** What to make of documents. */
interface Reading<T> {
  /** The server's name as configured. */
  readonly server: string;
  /** Returns what a document says, or `undefined` if it says nothing; throws what is wrong with it. */
  readonly judge: (document: ReadDocument, place: URL) => T | undefined;
  /** The place that the server named: there, a page is refused, and anywhere else it only is no document. Default: none. */
  readonly named?: URL | undefined;
}

/**
 * Asks one place after the other until one has a document that can be used. A place that is forbidden or out of reach, or whose document
 * is refused, is passed over like one that has none: the next place may be right.
 *
 * @returns the document; without one, the answers in their order, and why the first document was refused, if any was
 * @throws McpError if a place cannot be reached, or the signal of the fetch fires
 */
export async function findDocument<T>(
  places: readonly URL[],
  fetch: FetchLike,
  { server, judge, named }: Reading<T>,
): Promise<{
  readonly document: T | undefined;
  readonly answers: readonly WatchedAnswer[];
  readonly refusal: McpError | undefined;
}> {
  const { fetch: watched, answers } = watchAnswers(fetch);
  let refusal: McpError | undefined;
  for (const place of places) {
    try {
      const read = await readDocument(place, watched);
      if (read === undefined && place.href === named?.href && answers.at(-1)?.status === 200)
        throw authRequired(server, `${shown(place)} answered the discovery with invalid metadata.`);
      const document = read && judge(read, place);
      if (document !== undefined) return { document, answers, refusal };
    } catch (error) {
      const isPassedOver = isMcpError(error) && PASSED_OVER.has(error.code);
      const isElsewhere = isMcpError(error) && UNREACHED.has(error.code) && hasOtherOrigin(places, place);
      if (!isPassedOver && !isElsewhere) throw error;
      refusal ??= error;
    }
  }
  return { document: undefined, answers, refusal };
}

/** Errors of one place that say nothing about the next. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  "MCP_AUTH_REQUIRED",
  "MCP_PROTOCOL_VIOLATED",
  "MCP_LIMIT_EXCEEDED",
]);

/** Errors that the next place shares, unless it is at another origin. */
const UNREACHED: ReadonlySet<string> = new Set(["MCP_CONNECT_FAILED", "MCP_CONNECT_TIMEOUT"]);

function hasOtherOrigin(places: readonly URL[], place: URL): boolean {
  return places.slice(places.indexOf(place)).some(({ origin }) => origin !== place.origin);
}

/** Headers as the MCP specification asks for them. */
async function readDocument(place: URL, fetch: FetchLike): Promise<ReadDocument | undefined> {
  const headers = { accept: "application/json", "mcp-protocol-version": "2025-11-25" };
  const response = await fetch(place, { headers });
  if (!response.ok) return undefined;
  try {
    // A byte order mark counts as white space; the content type is ignored, because some servers send JSON as HTML.
    const read: unknown = JSON.parse((await response.text()).replace(/^\ufeff/, ""));
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function shown({ origin, pathname }: URL): string {
  return quote(origin + pathname);
}

/** The answer that leaves open whether there is a document: an outage, or a redirect that was not followed. */
export function inconclusiveAnswer(answers: readonly WatchedAnswer[]): WatchedAnswer | undefined {
  const last = answers.at(-1);
  if (last?.status === BAD_GATEWAY) return last;
  return answers.find(
    ({ status }) => (status >= 300 && status < 400) || (isOutage(status) && status !== BAD_GATEWAY),
  );
}

/** The error of metadata that cannot be read. Without it a login might go to the wrong place, so none is begun. */
export function unreadable(server: string, what: string, endpoint: string, answer: WatchedAnswer): McpError {
  const { status: httpStatus, retryAfterMs } = answer;
  const advice = isOutage(httpStatus) ? "Try again later." : "Ask the operator of the server.";
  const reason = `${what} cannot be read at ${shown(new URL(endpoint))} (HTTP ${httpStatus}). ${advice}`;
  return notJustNow(server, reason, { httpStatus, retryAfterMs });
}

/** Where the metadata of a protected resource may be (RFC 9728, section 3.1): the place that the server named, then those of its URL. */
export function resourcePlaces(serverUrl: string, named: URL | undefined): readonly URL[] {
  const { origin, pathname, search } = new URL(serverUrl);
  const path = pathname.replace(/\/$/, "");
  const paths = [...new Set([pathname, path])].filter((each) => each !== "/" && each !== "");
  const ofUrl = [...paths.map((each) => RESOURCE_PATH + each + search), RESOURCE_PATH];
  return distinct([...(named ? [named] : []), ...ofUrl.map((each) => new URL(each, origin))]);
}

/** Where the metadata of an authorization server may be: the places of MCP, then those of servers that append or drop its path. */
export function issuerPlaces(sdk: Sdk, issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const further = path === "" ? [] : [path + ISSUER_PATH, ISSUER_PATH];
  return distinct([
    ...sdk.buildDiscoveryUrls(issuer).map(({ url }) => url),
    ...further.map((each) => new URL(each, origin)),
  ]);
}

function distinct(places: readonly URL[]): readonly URL[] {
  return [...new Map(places.map((place) => [place.href, place])).values()];
}

/**
 * The members of an authorization server's metadata that are used here. Others, and values of the wrong type, do not count.
 *
 * @param isForProgram - no person logs in, so there need not be a page for it (RFC 8414, section 2)
 */
export function readIssuerMetadata(
  document: ReadDocument,
  isForProgram = false,
): AuthorizationServerMetadata | undefined {
  const { issuer, token_endpoint, registration_endpoint } = document;
  const { authorization_endpoint = isForProgram ? token_endpoint : undefined } = document;
  if (!isText(issuer) || !isText(authorization_endpoint) || !isText(token_endpoint)) return undefined;
  if (!URL.canParse(authorization_endpoint) || !URL.canParse(token_endpoint)) return undefined;
  const lists = [
    "scopes_supported",
    "token_endpoint_auth_methods_supported",
    "code_challenge_methods_supported",
  ];
  const flags = ["client_id_metadata_document_supported", "authorization_response_iss_parameter_supported"];
  const kept = [
    ...lists.map((member) => [member, listOfText(document[member])] as const),
    ...flags.map((member) => [member, document[member] === true || undefined] as const),
  ].filter(([, value]) => value !== undefined);
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    ...(isText(registration_endpoint) && URL.canParse(registration_endpoint)
      ? { registration_endpoint }
      : {}),
    response_types_supported: ["code"],
    ...Object.fromEntries(kept),
  };
}

/** The members of a protected resource's metadata that are used here. */
export interface ResourceMetadata {
  /** Missing in a document that does not say it. */
  readonly resource?: string | undefined;
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[] | undefined;
}

/** `undefined` for a document that says neither which resource it describes nor who authorizes it. */
export function readResourceMetadata(document: ReadDocument): ResourceMetadata | undefined {
  const { resource, authorization_servers: written } = document;
  const servers =
    listOfText(isText(written) ? [written] : written)?.filter((each) => URL.canParse(each)) ?? [];
  if (!isText(resource) && servers.length === 0) return undefined;
  return {
    resource: isText(resource) ? resource : undefined,
    authorizationServers: [...new Set(servers)].slice(0, MOST_ISSUERS),
    scopes: listOfText(document.scopes_supported),
  };
}

/**
 * Whether two identifiers are the same: character by character, but for the final slash of an origin, which a URL parser adds. Anything
 * else may be another tenant (RFC 8414, section 3.3).
 */
export function isSameIdentifier(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && bareOrigin(one) === bareOrigin(other));
}

function bareOrigin(identifier: string): string {
  return /^[a-z]+:\/\/[^/?#]+\/$/i.test(identifier) ? identifier.slice(0, -1) : identifier;
}
