import { type ContextSource, isMcpError, type Logger, type McpEvents } from "@jackfield/mcp-core";
import type { AsyncViewFilter, McpManager, ToolView, ViewFilter } from "@jackfield/mcp-manager";
import type { BrokenEntry } from "./configuration.ts";
import type { DiagnosticNews } from "./diagnostic-news.ts";
import type { TypedCalls } from "./mcp.ts";

/** What a source is joined with. */
export interface Joining {
  /** Entries that it knows nothing of because they cannot be used, or not yet. */
  entries(): readonly BrokenEntry[];
  readonly news: Pick<DiagnosticNews, "on">;
  /** An error without what was filled into definitions. */
  hiddenErrorOf(error: unknown): unknown;
  readonly log: Logger;
}

/** A manager whose servers include the entries. */
export type JoinedManager = Omit<McpManager, "start" | "reload" | "forPrincipal" | "callTool"> & TypedCalls;

export function joinManager(manager: McpManager, joining: Joining): JoinedManager {
  const { at } = askings(manager, joining);
  return {
    ...joinContext(manager, joining),
    servers: () => [...manager.servers(), ...joining.entries().map(({ snapshot }) => snapshot)],
    reconnect: (server, options) => at(server, manager.reconnect(server, options)),
    disconnect: (server) => at(server, manager.disconnect(server)),
    refreshTools: (server, options) => at(server, manager.refreshTools(server, options)),
    view: (filter) => joinView(manager.view(filter), shownBy(filter, joining), joining),
    viewFor: (filter) => joinAsked(manager, filter, joining),
    close: () => manager.close(),
    [Symbol.asyncDispose]: () => manager.close(),
  };
}

type Viewed = Pick<ToolView, "viewFor">;
type Shows = (server: string) => boolean;

/** A view lets the same entries through as it would let servers. */
function joinView(view: ToolView, shows: Shows, outer: Joining): ToolView {
  let isClosed = false;
  const stops = new Set<() => void>();
  const joining: Joining = {
    ...outer,
    entries: () => (isClosed ? [] : outer.entries().filter(({ name }) => shows(name))),
    news: {
      on(listener) {
        if (isClosed) return () => {};
        const stop = outer.news.on((diagnostic) => {
          const { server } = diagnostic;
          return server === undefined || shows(server) ? listener(diagnostic) : undefined;
        });
        stops.add(stop);
        return stop;
      },
    },
  };
  const close = async () => {
    isClosed = true;
    for (const stop of stops) stop();
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

/** Each server is asked about once: what the source was told of it holds for an entry of that name, too. */
async function joinAsked(source: Viewed, filter: AsyncViewFilter, joining: Joining): Promise<ToolView> {
  const { servers } = filter ?? {}; // What is no filter is refused by the source.
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
    // Whoever came since is hidden until somebody has said what is to become of it.
    void judge(server);
    return verdicts.get(server) === true;
  };
  // Begun first and not waited for: nothing of an entry is on offer.
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
  log("warn", "the filter of a view failed and hides a server", { server, error: String(error) });
}

/** What managers and views have in common. */
function joinContext(source: ToolView | McpManager, joining: Joining): ContextSource<McpEvents> & TypedCalls {
  const { at, named } = askings(source, joining);
  const callTool: ContextSource["callTool"] = (tool, args, options) =>
    source.callTool(tool, args, options).catch((error: unknown) => named(error, serverOf(tool)));
  return {
    tools: () => source.tools(),
    callTool: callTool as TypedCalls["callTool"],
    on: (event, listener) =>
      event === "diagnostic" ? joining.news.on(listener as never) : source.on(event, listener),
    resources: (server) => at(server, source.resources(server)),
    resourceTemplates: (server) => at(server, source.resourceTemplates(server)),
    readResource: (server, uri, options) => at(server, source.readResource(server, uri, options)),
    subscribe: (server, uri, listener, options) =>
      at(server, source.subscribe(server, uri, listener, options)),
    prompts: (server) => at(server, source.prompts(server)),
    getPrompt: (server, name, args, options) => at(server, source.getPrompt(server, name, args, options)),
    complete: (server, request, options) => at(server, source.complete(server, request, options)),
  };
}

const UNKNOWN = new Set(["MCP_SERVER_UNKNOWN", "MCP_TOOL_UNKNOWN"]);

/** What the source knows nothing of may be an entry: then its own error says what to do. What goes well costs nothing. */
function askings(source: Pick<McpManager, "servers">, { entries, hiddenErrorOf }: Joining) {
  const named = (error: unknown, server: unknown): never => {
    const isUnknown = isMcpError(error) && UNKNOWN.has(error.code);
    const entry = isUnknown ? entries().find(({ name }) => name === server) : undefined;
    const isEntrys = entry !== undefined && !source.servers().some(({ name }) => name === server);
    throw isEntrys ? entry.error : hiddenErrorOf(error);
  };
  const at = <T>(server: string | undefined, answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => named(error, server));
  return { at, named };
}

/** What is asked for may come from untyped code. */
function serverOf(tool: unknown): unknown {
  return typeof tool === "object" && tool !== null && "server" in tool ? tool.server : undefined;
}
