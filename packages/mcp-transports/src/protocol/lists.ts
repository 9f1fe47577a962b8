import { setTimeout as delay } from "node:timers/promises";
import {
  type CatalogItems,
  type CatalogKind,
  DEFAULT_LIMITS,
  type JsonObject,
  type Listing,
  type Logger,
  McpError,
  mostListed,
  type ServerLimits,
} from "@jackfield/mcp-core";
import { type ErrorContext, nameOf } from "../errors/wording.ts";
import { METHOD_NOT_FOUND } from "../faults.ts";
import { LIST_MEMBERS, type ListMethod } from "./results.ts";

/** More pages than any honest catalog has. */
const MAX_PAGES = 64;

/** A list ends when so many pages in a row held only what had come: its server ignores the cursor, and names another one each time. */
const MOST_REPEATED_PAGES = 2;

/** The most that all pages of a list may hold together, as a multiple of `maxMessageBytes`. */
const LIST_MESSAGES = 2;

/** For a whole list, however many pages it has. */
const MOST_RETRIES = 2;

/** The delay before a retry if the server does not name one, in milliseconds. */
const RETRY_DELAY_MS = 250;

/** If the server asks for a longer delay, the caller has to ask again. */
const LONGEST_WAIT_MS = 10_000;

/** Statuses of temporary problems. Any other refusal would come again. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

const KINDS: {
  readonly [K in CatalogKind]: { readonly method: ListMethod; readonly capability: string };
} = {
  tools: { method: "tools/list", capability: "tools" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
  prompts: { method: "prompts/list", capability: "prompts" },
};

export interface ListOptions {
  readonly capabilities: JsonObject;
  /** Kinds that the server announced but does not know: empty, and not requested again until the session is renewed. */
  readonly absent: Set<CatalogKind>;
  context(): ErrorContext;
  /** Requests a page. Of more items than are taken, one too many is enough. */
  requestPage(method: ListMethod, params: JsonObject): Promise<JsonObject>;
  readonly limits: Pick<CompleteLimits, "maxMessageBytes" | "maxTools">;
  /** When the list must be there, on the clock of `performance.now()`; missing means no limit. */
  readonly deadline: number | undefined;
  /** Fires when the session has ended. */
  readonly ended: AbortSignal;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Requests all pages of a list. A kind that the server did not announce is empty, without a request. */
export async function listAll<K extends CatalogKind>(kind: K, options: ListOptions): Promise<Listing<K>> {
  const { method, capability } = KINDS[kind];
  if (!options.capabilities[capability] || options.absent.has(kind)) return { items: [] };
  try {
    return await followPages(kind, method, options);
  } catch (error) {
    // Many servers announce resources but do not know templates.
    const isAbsent = kind === "resourceTemplates" && error instanceof McpError;
    if (!isAbsent || error.rpcCode !== METHOD_NOT_FOUND) throw error;
    options.absent.add(kind);
    return { items: [] };
  }
}

/** A page with at most one item more than are taken, before anything looks at the items. */
export function withoutRest(method: ListMethod, page: JsonObject, limits: CompleteLimits): JsonObject {
  const kind = LIST_MEMBERS[method];
  const items = page[kind] as readonly unknown[];
  const most = mostListed(kind, limits);
  return items.length <= most ? page : { ...page, [kind]: items.slice(0, most + 1) };
}

async function followPages<K extends CatalogKind>(
  kind: K,
  method: ListMethod,
  options: ListOptions,
): Promise<Listing<K>> {
  const { context, limits, log } = options;
  const request = withRetries(options);
  const maxBytes = LIST_MESSAGES * limits.maxMessageBytes;
  const most = mostListed(kind, limits);
  let isCut = false;
  let bytes = 0;
  const items: CatalogItems[K][] = [];
  const seen = new Set<string>();
  const names = new Set<unknown>();
  let repeated = 0;
  let first: JsonObject | undefined;
  for (let params: JsonObject | undefined = {}; params; ) {
    const page: JsonObject = await request(method, params);
    first ??= page;
    const known = names.size;
    for (const item of page[kind] as CatalogItems[K][]) {
      names.add(nameOfItem(item));
      items.push(item);
    }
    if (names.size > known) repeated = 0;
    else if ((page[kind] as readonly unknown[]).length > 0) repeated += 1;
    const { nextCursor } = page;
    // A list of one page is one message, which has its own limit.
    if (maxBytes > 0 && (nextCursor !== undefined || seen.size > 0)) bytes += sizeOf(page);
    if (bytes > maxBytes)
      throw tooLong(`sent more than ${maxBytes} bytes on the pages of`, method, context());
    isCut = items.length > most || (items.length === most && typeof nextCursor === "string");
    // What lies beyond is not requested: a server may have pages without end.
    if (isCut || typeof nextCursor !== "string") break;
    const what = endlessness(nextCursor, seen, repeated);
    if (what !== undefined) {
      const fields = { method, items: items.length };
      log("warn", `The server sent ${what}; its list ends there. Report this to its developers.`, fields);
      break;
    }
    seen.add(nextCursor);
    if (seen.size >= MAX_PAGES) throw tooLong(`has more than ${MAX_PAGES} pages in`, method, context());
    params = { cursor: nextCursor };
  }
  const { ttlMs, cacheScope } = first ?? {};
  return {
    items: isCut ? items.slice(0, most) : items,
    ...(isCut && { isCut }),
    ttlMs: typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : undefined,
    cacheScope: cacheScope === "public" || cacheScope === "private" ? cacheScope : undefined,
  };
}

/** Why a cursor leads nowhere; `undefined` if it may lead to more. */
function endlessness(cursor: string, seen: ReadonlySet<string>, repeated: number): string | undefined {
  if (cursor === "") return "an empty cursor";
  if (seen.has(cursor)) return "the same cursor twice";
  return repeated >= MOST_REPEATED_PAGES ? `${repeated} pages again that it had sent` : undefined;
}

/** By what the items of a list differ. */
function nameOfItem(item: object): unknown {
  const { uri, uriTemplate, name } = item as { uri?: unknown; uriTemplate?: unknown; name?: unknown };
  return uri ?? uriTemplate ?? name;
}

/**
 * Repeats the request for a page that failed for a temporary reason, so that the list continues at that page. A list changes nothing, so it
 * may be requested twice. All its pages share one budget.
 */
function withRetries({ requestPage, deadline = Number.POSITIVE_INFINITY, ended, signal }: ListOptions) {
  let retriesLeft = MOST_RETRIES;
  return async (method: ListMethod, params: JsonObject): Promise<JsonObject> => {
    for (;;) {
      try {
        return await requestPage(method, params);
      } catch (error) {
        const delayMs = delayBeforeRetry(error);
        if (delayMs === undefined || retriesLeft === 0 || ended.aborted || signal.aborted) throw error;
        // A retry after the deadline would come too late.
        if (performance.now() + delayMs >= deadline) throw error;
        retriesLeft -= 1;
        await delay(delayMs, undefined, { signal: AbortSignal.any([signal, ended]) }).catch(() => {});
      }
    }
  };
}

/**
 * `undefined` if the page should not be requested again. An error of the phase `handshake` comes from a challenge that was not met, so its
 * status is the authorization server's. Each further request for the page would present the refresh token again.
 */
function delayBeforeRetry(error: unknown): number | undefined {
  if (!(error instanceof McpError) || error.phase === "handshake") return undefined;
  const { code, httpStatus, retryAfterMs } = error;
  const isRetryable =
    httpStatus === undefined ? code === "MCP_SESSION_LOST" : RETRYABLE_STATUSES.has(httpStatus);
  const delayMs = retryAfterMs ?? RETRY_DELAY_MS;
  return isRetryable && delayMs <= LONGEST_WAIT_MS ? delayMs : undefined;
}

function sizeOf(page: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(page));
}

/** Connecting again would not help: a server that does this does it every time. */
function tooLong(what: string, method: string, context: ErrorContext): McpError {
  const advice = what.includes("bytes")
    ? 'Raise "maxMessageBytes" in its limits if that is expected.'
    : "Report this to its developers.";
  const message = `${nameOf(context)} ${what} "${method}"; its list was not used. ${advice}`;
  return new McpError("MCP_LIMIT_EXCEEDED", message, { server: context.server.name, phase: "list" });
}

/** The limits of a server, all of them set. */
export type CompleteLimits = typeof DEFAULT_LIMITS;

/** The limits of a server, completed with the defaults. */
export function completeLimits(limits: ServerLimits = {}): CompleteLimits {
  // A member that is there but `undefined` would hide a default.
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}

/** The time left until a deadline that several requests share, in milliseconds; `0` means that there is none. */
export function remaining(deadline: number | undefined): number {
  return deadline === undefined ? 0 : Math.max(deadline - performance.now(), 1);
}
