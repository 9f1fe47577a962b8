import {
  type CatalogItems,
  type ContextSource,
  DEFAULT_LIMITS,
  type Logger,
  McpError,
  type Owned,
  type RequestOptions,
  type SessionMethod,
  type SessionParams,
  type SessionResult,
} from "@jackfield/mcp-core";
import { createDeadline, type Deadline } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { createCallTime } from "../tools/call-time.ts";
import type { ContextKind, ServerContext } from "./server-context.ts";

/** Everything a context source offers besides tools. */
export type ContextReader = Omit<ContextSource, "tools" | "callTool" | "on">;

/** What it needs of a server. */
interface ContextServer extends Pick<ManagedServer, "definition" | "openSession" | "session"> {
  readonly context: ServerContext;
}

export interface ContextReaderOptions {
  readonly all: () => readonly ContextServer[];
  /** @throws McpError `MCP_SERVER_UNKNOWN`, `MCP_CLOSED` */
  readonly server: (name: string) => ContextServer;
  readonly log: Logger;
}

/** Reads what servers offer besides tools: each by its own name, one deadline for the wait and the request. */
export function createContextReader({ all, server, log }: ContextReaderOptions): ContextReader {
  async function list<K extends ContextKind>(
    kind: K,
    name: string | undefined,
  ): Promise<readonly Owned<CatalogItems[K]>[]> {
    if (name !== undefined) return listOf(server(name), kind);
    const lists = all().map((managed) => (isKnown(managed, kind) ? listOrNothing(managed, kind, log) : []));
    return (await Promise.all(lists)).flat();
  }

  return {
    resources: (name) => list("resources", name),
    resourceTemplates: (name) => list("resourceTemplates", name),
    prompts: (name) => list("prompts", name),
    readResource: (name, uri, options) => ask(server(name), "resources/read", { uri }, options),
    getPrompt: (name, prompt, args, options) =>
      ask(server(name), "prompts/get", { name: prompt, arguments: args }, options),
    complete: (name, request, options) => ask(server(name), "completion/complete", request, options),
    async subscribe(name, uri, listener, options = {}) {
      const managed = server(name);
      using deadline = contextDeadline(managed, options);
      const session = await managed.session(deadline);
      const stop = await managed.context.subscribe(session, uri, listener);
      return { server: name, uri, close: stop, [Symbol.asyncDispose]: stop };
    },
  };
}

/** Whether asking for a list costs no connection. */
function isKnown(managed: ContextServer, kind: ContextKind): boolean {
  return managed.openSession !== undefined || managed.context.known(kind) !== undefined;
}

async function listOf<K extends ContextKind>(
  managed: ContextServer,
  kind: K,
): Promise<readonly Owned<CatalogItems[K]>[]> {
  const { context, definition } = managed;
  const own = (items: readonly CatalogItems[K][]) =>
    items.map((item) => ({ ...item, server: definition.name }));
  using deadline = contextDeadline(managed, {});
  for (;;) {
    const known = context.known(kind);
    if (managed.openSession === undefined && known !== undefined) return own(known);
    const session = managed.openSession ?? (await managed.session(deadline));
    const items = await context.listed(kind, session, deadline);
    if (items !== undefined) return own(items);
  }
}

/** Of many servers, one that fails is left out: the others are not to blame. */
async function listOrNothing<K extends ContextKind>(
  managed: ContextServer,
  kind: K,
  log: Logger,
): Promise<readonly Owned<CatalogItems[K]>[]> {
  try {
    return await listOf(managed, kind);
  } catch (error) {
    log("debug", "a server's list was left out", {
      server: managed.definition.name,
      kind,
      error: String(error),
    });
    return [];
  }
}

/** Waits for a session and makes the request, both within the caller's time. */
async function ask<M extends SessionMethod>(
  managed: ContextServer,
  method: M,
  params: SessionParams<M>,
  options: RequestOptions = {},
): Promise<SessionResult<M>> {
  const time = createCallTime(options, managed.definition.limits ?? {});
  using deadline = contextDeadline(managed, { signal: options.signal, timeoutMs: time.waitMs() });
  const session = managed.openSession ?? (await managed.session(deadline));
  return session.request(method, params, {
    ...options,
    timeoutMs: time.idleMs(),
    maxTotalMs: time.totalMs(),
  });
}

function contextDeadline(
  { definition: { name, limits } }: ContextServer,
  { signal, timeoutMs }: Pick<RequestOptions, "signal" | "timeoutMs">,
): Deadline {
  const limitMs = timeoutMs ?? limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
  const details = { server: name, outcome: "not-sent" } as const;
  const gaveUp = `The caller gave up before server "${name}" was ready; nothing was asked of it.`;
  const tooLate = `Server "${name}" was not ready within ${limitMs} ms; nothing was asked of it.`;
  return createDeadline({
    signal,
    timeoutMs: limitMs,
    aborted: () => new McpError("MCP_ABORTED", gaveUp, details),
    expired: () => new McpError("MCP_CALL_TIMEOUT", tooLate, details),
  });
}
