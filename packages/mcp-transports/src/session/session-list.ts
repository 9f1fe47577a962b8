import type { CatalogItems, CatalogKind, JsonObject, Listing, ServerLimits } from "@jackfield/mcp-core";
import { isRecord, McpError, mostListed } from "@jackfield/mcp-core";
import { type ErrorContext, nameOf } from "../errors/error-context.ts";
import { METHOD_NOT_FOUND } from "../rpc-codes.ts";
import type { AnsweredMethod } from "./keeping-schema.ts";
import { createPageRetry } from "./page-retry.ts";
import type { CompleteLimits } from "./session-limits.ts";

/** More pages than any honest catalog has. */
const MAX_PAGES = 64;

/** The most that all pages of a list may hold together, as a multiple of `maxMessageBytes`. */
const LIST_MESSAGES = 2;

interface KindFacts {
  readonly method: AnsweredMethod;
  /** The capability a server announces it with. */
  readonly capability: "tools" | "resources" | "prompts";
}

const KINDS: { readonly [K in CatalogKind]: KindFacts } = {
  tools: { method: "tools/list", capability: "tools" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
  prompts: { method: "prompts/list", capability: "prompts" },
};

/** The kinds by method. */
const LISTED_BY: ReadonlyMap<string, CatalogKind> = new Map(
  (Object.keys(KINDS) as CatalogKind[]).map((kind) => [KINDS[kind].method, kind]),
);

/** Cuts an answer that lists more items than are taken, before anything looks at the items. Any other answer is returned unchanged. */
export type CutList = (method: string, answer: unknown) => unknown;

/** @param onCut - called with the kind of a list that was cut */
export function createListCut(limits: ServerLimits, onCut: (kind: CatalogKind) => void): CutList {
  return (method, answer) => {
    const kind = LISTED_BY.get(method);
    const items: unknown = kind !== undefined && isRecord(answer) ? answer[kind] : undefined;
    if (kind === undefined || !Array.isArray(items) || items.length <= mostListed(kind, limits))
      return answer;
    onCut(kind);
    return { ...(answer as JsonObject), [kind]: items.slice(0, mostListed(kind, limits)) };
  };
}

export interface ListOptions {
  readonly capabilities: JsonObject;
  /** Kinds that the server announced but does not know: empty, and not requested again until the session is renewed. */
  readonly absent: Set<CatalogKind>;
  context(): ErrorContext;
  requestPage(method: AnsweredMethod, params: JsonObject | undefined): Promise<JsonObject>;
  readonly limits: Pick<CompleteLimits, "maxMessageBytes" | "maxTools">;
  /** The kinds whose list was cut on the page that was requested last. */
  readonly cut: Set<CatalogKind>;
  /** When the list must be there, on the clock of `performance.now()`; missing means no limit. */
  readonly deadline: number | undefined;
  /** Fires when the session has ended. */
  readonly ended: AbortSignal;
  readonly signal: AbortSignal;
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

async function followPages<K extends CatalogKind>(
  kind: K,
  method: AnsweredMethod,
  options: ListOptions,
): Promise<Listing<K>> {
  const { context } = options;
  const retry = createPageRetry(options);
  const { limits, cut } = options;
  const maxBytes = LIST_MESSAGES * limits.maxMessageBytes;
  const most = mostListed(kind, limits);
  let bytes = 0;
  const items: CatalogItems[K][] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let first: JsonObject | undefined;
  let isCut = false;
  cut.delete(kind);
  do {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await retry(() => options.requestPage(method, params));
    first ??= page;
    for (const item of page[kind] as CatalogItems[K][]) items.push(item);
    cursor = page.nextCursor as string | undefined;
    isCut = cut.has(kind) || items.length > most || (items.length === most && cursor !== undefined);
    // A list of one page is one message, which has its own limit.
    if (maxBytes > 0 && (cursor !== undefined || seen.size > 0)) bytes += sizeOf(page);
    if (bytes > maxBytes) throw oversizedError(maxBytes, method, context());
    // What lies beyond is not requested: a server may have pages without end.
    if (cursor === undefined || isCut) break;
    if (seen.has(cursor)) throw endlessError("sent the same cursor twice", method, context());
    seen.add(cursor);
    if (seen.size >= MAX_PAGES) throw endlessError(`has more than ${MAX_PAGES} pages`, method, context());
  } while (cursor !== undefined);
  const hints = { ttlMs: asNumber(first?.ttlMs), cacheScope: asScope(first?.cacheScope) };
  return isCut ? { items: items.slice(0, most), isCut, ...hints } : { items, ...hints };
}

function sizeOf(page: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(page));
}

function oversizedError(maxBytes: number, method: string, context: ErrorContext): McpError {
  const message = `${nameOf(context)} sent more than ${maxBytes} bytes on the pages of "${method}"; its list was not used. Raise "maxMessageBytes" in its limits if that is expected.`;
  return new McpError("MCP_LIMIT_EXCEEDED", message, { server: context.server.name, phase: "list" });
}

/** Connecting again would not help: a server that does this does it every time. */
function endlessError(what: string, method: string, context: ErrorContext): McpError {
  const message = `${nameOf(context)} ${what} in "${method}"; its list was not used. Report this to its developers.`;
  return new McpError("MCP_LIMIT_EXCEEDED", message, { server: context.server.name, phase: "list" });
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function asScope(value: unknown): "public" | "private" | undefined {
  return value === "public" || value === "private" ? value : undefined;
}
