import { type ContextSource, isMcpError, type Logger, type McpEvents, thrownText } from "@jackfield/mcp-core";
import type { AsyncViewFilter, McpManager, ToolView, ViewFilter } from "@jackfield/mcp-manager";
import type { UnusableEntry } from "./configuration.ts";
import type { DiagnosticFeed } from "./diagnostic-feed.ts";
import type { McpSource, TypedCalls } from "./mcp.ts";

/** What a manager is joined with. */
export interface Joining {
  /** Entries that the manager does not know, because they cannot be used, or not yet. */
  entries(): readonly UnusableEntry[];
  readonly diagnosticFeed: Pick<DiagnosticFeed, "on">;
  /** The error without the values that were filled into definitions. */
  hideIn<T>(error: T): T;
  readonly log: Logger;
}

/** A manager whose `servers()` include these entries. */
export function joinManager(manager: McpManager, joining: Joining): McpSource {
  const { translated } = createErrorTranslation(manager, joining);
  return {
    ...joinContext(manager, joining),
    servers: () => [...manager.servers(), ...joining.entries().map(({ snapshot }) => snapshot)],
    reconnect: (server, options) => translated(server, manager.reconnect(server, options)),
    disconnect: (server) => translated(server, manager.disconnect(server)),
    refreshTools: (server, options) => translated(server, manager.refreshTools(server, options)),
    view: (filter) => joinView(manager.view(filter), shownBy(filter, joining), joining),
    viewFor: (filter) => joinAsked(manager, filter, joining),
    close: () => manager.close(),
    [Symbol.asyncDispose]: () => manager.close(),
  };
}

type Viewed = Pick<ToolView, "viewFor">;
type Shows = (server: string) => boolean;

/** A view filters entries by the rules for servers. */
function joinView(view: ToolView, shows: Shows, outer: Joining): ToolView {
  let isClosed = false;
  const stops = new Set<() => void>();
  const joining: Joining = {
    ...outer,
    entries: () => (isClosed ? [] : outer.entries().filter(({ name }) => shows(name))),
    diagnosticFeed: {
      on(listener) {
        if (isClosed) return () => {};
        const stop = outer.diagnosticFeed.on((diagnostic) => {
          const { server } = diagnostic;
          return server === undefined || shows(server) ? listener(diagnostic) : undefined;
        });
        stops.add(stop);
        return () => {
          stops.delete(stop);
          stop();
        };
      },
    },
  };
  const close = async () => {
    isClosed = true;
    for (const stop of stops) stop();
    stops.clear();
    await view.close();
  };
  return {
    ...joinContext(view, joining),
    servers: () => [...view.servers(), ...joining.entries().map(({ snapshot }) => snapshot)],
    view: (filter) => joinView(view.view(filter), shownBy(filter, joining), joining),
    viewFor: (filter) => joinAsked(view, filter, joining),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Asks the filter about each server once: the verdict holds for an entry of that name, too. */
async function joinAsked(source: Viewed, filter: AsyncViewFilter, joining: Joining): Promise<ToolView> {
  const { servers } = filter ?? {}; // The source refuses an invalid filter.
  if (typeof servers !== "function")
    return joinView(await source.viewFor(filter), shownBy({ servers }, joining), joining);
  const verdicts = new Map<string, boolean>();
  const ask = async (server: string) => {
    verdicts.set(server, false);
    const isShown = (await servers(server)) === true;
    verdicts.set(server, isShown);
    return isShown;
  };
  const judge = async (server: string) => {
    if (verdicts.has(server)) return;
    await ask(server).catch((error: unknown) => tellOfFailure(error, server, joining));
  };
  const shows = (server: string) => {
    // A server added since is hidden until the filter has answered.
    void judge(server);
    return verdicts.get(server) === true;
  };
  // Started first and not awaited: an entry offers no tools.
  for (const { name } of joining.entries()) void judge(name);
  const view = await source.viewFor({ ...filter, servers: ask });
  return joinView(view, shows, joining);
}

function shownBy({ servers }: Pick<ViewFilter, "servers">, joining: Joining): Shows {
  if (typeof servers !== "function") return (server) => servers?.includes(server) ?? true;
  return (server) => {
    try {
      const verdict: unknown = servers(server);
      if (verdict instanceof Promise)
        verdict.catch((error: unknown) => tellOfFailure(error, server, joining));
      return verdict === true;
    } catch (error) {
      tellOfFailure(error, server, joining);
      return false;
    }
  };
}

function tellOfFailure(error: unknown, server: string, { log }: Joining): void {
  log("warn", "The filter of a view failed, so the server is hidden.", { server, error: thrownText(error) });
}

/** What managers and views have in common. */
function joinContext(source: ToolView | McpManager, joining: Joining): ContextSource<McpEvents> & TypedCalls {
  const { translated, rethrow } = createErrorTranslation(source, joining);
  const callTool: ContextSource["callTool"] = (tool, args, options) =>
    source.callTool(tool, args, options).catch((error: unknown) => rethrow(error, serverOf(tool)));
  return {
    tools: () => source.tools(),
    callTool: callTool as TypedCalls["callTool"],
    on: (event, listener) =>
      event === "diagnostic" ? joining.diagnosticFeed.on(listener as never) : source.on(event, listener),
    resources: (server) => translated(server, source.resources(server)),
    resourceTemplates: (server) => translated(server, source.resourceTemplates(server)),
    readResource: (server, uri, options) => translated(server, source.readResource(server, uri, options)),
    subscribe: (server, uri, listener, options) =>
      translated(server, source.subscribe(server, uri, listener, options)),
    prompts: (server) => translated(server, source.prompts(server)),
    getPrompt: (server, name, args, options) =>
      translated(server, source.getPrompt(server, name, args, options)),
    complete: (server, request, options) => translated(server, source.complete(server, request, options)),
  };
}

const UNKNOWN = new Set(["MCP_SERVER_UNKNOWN", "MCP_TOOL_UNKNOWN"]);

/**
 * Replaces the unknown-server or unknown-tool error of an unusable entry by the entry's own error, which says what to do. Hides filled-in
 * values in all other errors.
 */
function createErrorTranslation(source: Pick<McpManager, "servers">, { entries, hideIn }: Joining) {
  const rethrow = (error: unknown, server: unknown): never => {
    const isUnknown = isMcpError(error) && UNKNOWN.has(error.code);
    const entry = isUnknown ? entries().find(({ name }) => name === server) : undefined;
    const isUnusableEntry = entry !== undefined && !source.servers().some(({ name }) => name === server);
    throw isUnusableEntry ? entry.error : hideIn(error);
  };
  const translated = <T>(server: string | undefined, answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => rethrow(error, server));
  return { translated, rethrow };
}

/** The server that a reference names; the reference may come from untyped code. */
function serverOf(tool: unknown): unknown {
  return typeof tool === "object" && tool !== null && "server" in tool ? tool.server : undefined;
}
