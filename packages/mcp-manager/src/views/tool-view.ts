import {
  type CallOptions,
  type ContextSource,
  isMcpError,
  type JsonObject,
  type Logger,
  McpError,
  type McpEvents,
  type Owned,
  type ResourceSubscription,
  raceSignal,
  type SearchToolsOptions,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
  type ToolsChanged,
} from "@jackfield/mcp-core";
import { Emitter } from "../emitter.ts";
import { CallTime, callDeadline } from "../tools/call-time.ts";
import { checkToolRef, type FoundTool, type ToolFinder } from "../tools/tool-finder.ts";
import {
  type AsyncViewFilter,
  asyncViewRules,
  type IsOfExposedNames,
  type ViewFilter,
  type ViewRules,
  viewRules,
} from "./view-filter.ts";

/** A tool source with some of a runtime's servers and tools, for one agent. */
export interface ToolView extends ContextSource<McpEvents>, AsyncDisposable {
  /** The servers that the view shows. */
  servers(): readonly ServerSnapshot[];
  /** A view of this view: it shows what both filters let through. @throws McpError `MCP_CONFIG_INVALID` for an invalid filter. */
  view(filter: ViewFilter): ToolView;
  /**
   * Like `view`, with a filter that may be asynchronous. Resolves when it has decided on everything offered now.
   *
   * @throws McpError `MCP_CONFIG_INVALID`; `MCP_CLOSED` if this view or its parent is closed before the filter has answered.
   */
  viewFor(filter: AsyncViewFilter): Promise<ToolView>;
  /** Ends the view and the subscriptions made through it; it then offers nothing. Its parent is not affected ([C23]). Idempotent. */
  close(): Promise<void>;
}

/** The source of a view: a manager or another view. */
export interface ViewParent extends ContextSource<McpEvents> {
  servers(): readonly ServerSnapshot[];
  /** Fires when the parent is closed, with the `McpError` as its reason. */
  readonly ended: AbortSignal;
  readonly isOfExposedNames: IsOfExposedNames;
  /** Finds a tool as a call does, or waits for it, without calling it. */
  find: ToolFinder["find"];
  /** Calls a tool that `find` returned; it is not looked up again. */
  callFound(found: FoundTool, args: JsonObject): Promise<ToolCallResult>;
  /** Like `on`, for wanted events only: kept events that this listener does not want stay for others. */
  listen<E extends keyof McpEvents>(
    event: E,
    listener: (event: McpEvents[E]) => void,
    isWanted: (event: McpEvents[E]) => boolean,
  ): () => void;
}

export function createToolView(parent: ViewParent, filter: ViewFilter, log: Logger): ToolView {
  return new View(parent, viewRules(filter, log, parent.isOfExposedNames), log);
}

/** A view with an asynchronous filter. A tool that is added or changed later is hidden until the filter has decided on it. */
export async function createAsyncToolView(
  parent: ViewParent,
  filter: AsyncViewFilter,
  log: Logger,
): Promise<ToolView> {
  const rules = asyncViewRules(filter, log, parent.isOfExposedNames);
  const view = new View(parent, rules, log);
  try {
    await raceSignal(rules.judge(namesOf(parent), parent.tools()), parent.ended);
  } catch (error) {
    await view.close();
    throw error;
  }
  view.begin();
  return view;
}

const namesOf = (parent: ViewParent) => parent.servers().map(({ name }) => name);

class View implements ToolView, ViewParent {
  readonly #parent: ViewParent;
  readonly #rules: ViewRules;
  readonly #log: Logger;
  readonly #changes: Emitter<Pick<McpEvents, "toolsChanged">>;
  /** Removes the listeners from the parent: the view's own and those of its users. */
  readonly #stops = new Set<() => void>();
  /** The parent's tools that `#tools` was filtered from. */
  #offered: readonly ToolDescriptor[] | undefined;
  #tools: readonly ToolDescriptor[] = Object.freeze([]);
  /** The names of tools that the view's listeners know of, by server. Reading the view's tools does not change them. */
  readonly #announced = new Map<string, readonly string[]>();
  /** The subscriptions that were made through the view: they end with it. */
  readonly #subscriptions = new Set<ResourceSubscription>();
  readonly #closing = new AbortController();

  constructor(parent: ViewParent, rules: ViewRules, log: Logger) {
    this.#parent = parent;
    this.#rules = rules;
    this.#log = log;
    this.#changes = new Emitter(log);
    this.begin();
    this.#stops.add(parent.on("toolsChanged", (change) => this.#toolsChanged(change)));
    const { judge } = rules;
    if (judge !== undefined)
      this.#stops.add(parent.on("statusChanged", ({ snapshot }) => void judge([snapshot.name], [])));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  isOfExposedNames: IsOfExposedNames = (text) => this.#parent.isOfExposedNames(text);

  get ended(): AbortSignal {
    return AbortSignal.any([this.#parent.ended, this.#closing.signal]);
  }

  /** Takes the tools on offer as known, without an event: the view is about to be returned. */
  begin(): void {
    this.#announced.clear();
    const servers = Map.groupBy(this.tools(), ({ server }) => server);
    for (const [server, tools] of servers) this.#announced.set(server, tools.map(nameOf));
  }

  tools(): readonly ToolDescriptor[] {
    this.#refresh();
    return this.#tools;
  }

  searchTools(query: string, options: SearchToolsOptions = {}): readonly ToolDescriptor[] {
    const shown = new Set(this.tools());
    const tools = (tool: ToolDescriptor) => shown.has(tool) && (options?.tools?.(tool) ?? true);
    return this.#parent.searchTools(query, { ...options, tools });
  }

  async callTool(ref: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    const finding = this.find(ref, options);
    return finding instanceof Promise
      ? this.callFound(await finding, args)
      : this.#parent.callFound(finding, args);
  }

  /** A tool that was shown when found may be hidden by now: a nested view's filter may have taken time to decide. */
  callFound(found: FoundTool, args: JsonObject): Promise<ToolCallResult> {
    if (this.#isClosed) return Promise.reject(this.#closing.signal.reason);
    if (this.#rules.hasTool(found.tool)) return this.#parent.callFound(found, args);
    const { server, originalName: tool } = found.tool;
    return Promise.reject(notOffered({ server, tool }));
  }

  find(ref: ToolRef, options: CallOptions): FoundTool | Promise<FoundTool> {
    this.#refuseIfClosed();
    checkToolRef(ref);
    if (typeof ref !== "string" && !this.#rules.hasServer(ref.server)) throw notOffered(ref);
    try {
      const found = this.#parent.find(ref, options);
      return found instanceof Promise ? this.#awaited(ref, found) : this.#shown(ref, found);
    } catch (error) {
      throw inOwnWords(error, ref);
    }
  }

  on<E extends keyof McpEvents>(event: E, listener: (event: McpEvents[E]) => void): () => void {
    return this.listen(event, listener, () => true);
  }

  listen<E extends keyof McpEvents>(
    event: E,
    listener: (event: McpEvents[E]) => void,
    isWanted: (event: McpEvents[E]) => boolean,
  ): () => void {
    if (this.#isClosed) return () => {};
    if (event === "toolsChanged") return this.#changes.on(event, listener as never, isWanted as never);
    const stop = this.#parent.listen(event, listener, (value) => this.#concerns(value) && isWanted(value));
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  servers(): readonly ServerSnapshot[] {
    if (this.#isClosed) return [];
    void this.#rules.judge?.(namesOf(this.#parent), []); // An entry that cannot be used may be new.
    return this.#parent.servers().filter(({ name }) => this.#rules.hasServer(name));
  }

  view(filter: ViewFilter): ToolView {
    return createToolView(this, filter, this.#log);
  }

  viewFor(filter: AsyncViewFilter): Promise<ToolView> {
    return createAsyncToolView(this, filter, this.#log);
  }

  resources: ContextSource["resources"] = (server) =>
    this.#listed(server, (name) => this.#parent.resources(name));

  resourceTemplates: ContextSource["resourceTemplates"] = (server) =>
    this.#listed(server, (name) => this.#parent.resourceTemplates(name));

  prompts: ContextSource["prompts"] = (server) => this.#listed(server, (name) => this.#parent.prompts(name));

  readResource: ContextSource["readResource"] = async (server, ...rest) =>
    this.#parent.readResource(this.#visible(server), ...rest);

  getPrompt: ContextSource["getPrompt"] = async (server, ...rest) =>
    this.#parent.getPrompt(this.#visible(server), ...rest);

  complete: ContextSource["complete"] = async (server, ...rest) =>
    this.#parent.complete(this.#visible(server), ...rest);

  subscribe: ContextSource["subscribe"] = async (name, ...rest) => {
    const subscription = await this.#parent.subscribe(this.#visible(name), ...rest);
    const { server, uri } = subscription;
    if (this.#isClosed) {
      await subscription.close();
      const message = `The view was closed; "${uri}" is not watched any more.`;
      throw new McpError("MCP_CLOSED", message, { server });
    }
    this.#subscriptions.add(subscription);
    const close = async () => {
      this.#subscriptions.delete(subscription);
      await subscription.close();
    };
    return { server, uri, close, [Symbol.asyncDispose]: close };
  };

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort(new McpError("MCP_CLOSED", "The view is closed.", { outcome: "not-sent" }));
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.#tools = Object.freeze([]);
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Keeps the array while it holds the same tools, so that identity tells whether they changed. */
  #refresh(): void {
    if (this.#isClosed) return;
    const offered = this.#parent.tools();
    if (offered === this.#offered && !this.#rules.isDynamic) return;
    this.#offered = offered;
    const tools = offered.filter((tool) => this.#rules.hasTool(tool));
    const isSame =
      tools.length === this.#tools.length && tools.every((tool, index) => tool === this.#tools[index]);
    if (!isSame) this.#tools = Object.freeze(tools);
  }

  /** Whether an event is about a server that the view shows, or about none. */
  #concerns(event: McpEvents[keyof McpEvents]): boolean {
    const server = "snapshot" in event ? event.snapshot.name : event.server;
    return server === undefined || this.#rules.hasServer(server);
  }

  #toolsChanged(change: ToolsChanged): void {
    this.#publish(change);
    const { judge } = this.#rules;
    const publish = () => this.#publish({ ...change, changed: [] });
    void judge?.([change.server], this.#parent.tools(), publish).then(publish); // Needed if the server is hidden: no tool is judged then.
  }

  #publish(change: ToolsChanged): void {
    if (this.#isClosed) return;
    const { server } = change;
    const own = this.tools().filter((tool) => tool.server === server);
    const old = new Set(this.#announced.get(server));
    const now = new Set(own.map(nameOf));
    if (now.size > 0) this.#announced.set(server, [...now]);
    else this.#announced.delete(server);
    const added = [...now].filter((name) => !old.has(name));
    const removed = [...old].filter((name) => !now.has(name));
    const changed = change.changed.filter((name) => old.has(name) && now.has(name));
    if (added.length + removed.length + changed.length === 0) return;
    this.#changes.emit("toolsChanged", { server, added, removed, changed });
  }

  /** A tool that arrived while the call waited is new to the filter, which may need time to decide. */
  async #awaited(ref: ToolRef, finding: Promise<FoundTool>): Promise<FoundTool> {
    const { judge } = this.#rules;
    try {
      const found = await raceSignal(finding, this.#closing.signal);
      if (judge === undefined) return this.#shown(ref, found);
      const judged = judge([found.tool.server], [found.tool]);
      return this.#shown(ref, await this.#withinItsTime(judged, found));
    } catch (error) {
      throw inOwnWords(error, ref);
    }
  }

  /** Waits for a verdict within the remaining time of the call. */
  async #withinItsTime(judged: Promise<void>, found: FoundTool): Promise<FoundTool> {
    const time = new CallTime(found.options);
    const late = () =>
      `Tool "${found.tool.originalName}" was not called: the filter of a view did not answer within ${time.limitMs} ms.`;
    using deadline = callDeadline(found, time, late);
    await raceSignal(judged, AbortSignal.any([deadline.signal, this.ended]));
    return { ...found, options: { ...found.options, ...time.left() } };
  }

  #shown(ref: ToolRef, found: FoundTool): FoundTool {
    if (this.#rules.hasTool(found.tool)) return found;
    throw notOffered(ref);
  }

  async #listed<T>(
    server: string | undefined,
    list: (server: string | undefined) => Promise<readonly Owned<T>[]>,
  ): Promise<readonly Owned<T>[]> {
    if (server !== undefined) return list(this.#visible(server));
    this.#refuseIfClosed();
    return (await list(undefined)).filter((item) => this.#rules.hasServer(item.server));
  }

  #visible(server: string): string {
    this.#refuseIfClosed();
    if (this.#rules.hasServer(server)) return server;
    const message = `This view has no server called ${JSON.stringify(server)}.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server, outcome: "not-sent" });
  }

  #refuseIfClosed(): void {
    this.#closing.signal.throwIfAborted();
  }
}

const nameOf = ({ name }: ToolDescriptor) => name;

/** The error for a tool that a view does not show, whether or not it exists. */
function notOffered(ref: ToolRef): McpError {
  const place = typeof ref === "string" ? { tool: ref.slice(0, 128) } : ref;
  const message = `This view offers no tool ${JSON.stringify(place.tool)}.`;
  return new McpError("MCP_TOOL_UNKNOWN", message, { ...place, phase: "call", outcome: "not-sent" });
}

/** Replaces the parent's error for an unknown tool or server: it may name tools that the view hides. */
function inOwnWords(error: unknown, ref: ToolRef): unknown {
  const isUnknown = isMcpError(error, "MCP_TOOL_UNKNOWN") || isMcpError(error, "MCP_SERVER_UNKNOWN");
  return isUnknown ? notOffered(ref) : error;
}
