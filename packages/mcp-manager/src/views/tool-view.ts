import {
  type CallOptions,
  type ContextSource,
  type JsonObject,
  type Logger,
  McpError,
  type McpEvents,
  type Owned,
  raceSignal,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
  type ToolsChanged,
} from "@jackfield/mcp-core";
import { createEmitter, type Emitter } from "../emitter.ts";
import type { FoundTool, ToolFinder } from "../tools/found-tool.ts";
import { checkToolRef } from "../tools/tool-ref.ts";
import { createAnnouncedTools } from "./announced-tools.ts";
import { inOwnWords, notOffered } from "./not-offered.ts";
import { verdictInTime } from "./verdict-in-time.ts";
import {
  type AsyncViewFilter,
  asyncViewRules,
  type IsOfExposedNames,
  type ViewFilter,
  type ViewRules,
  viewRules,
} from "./view-filter.ts";
import { createViewSubscriptions } from "./view-subscriptions.ts";

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
  readonly find: ToolFinder;
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
  readonly #announced = createAnnouncedTools();
  readonly #subscriptions = createViewSubscriptions();
  readonly #closing = new AbortController();

  constructor(parent: ViewParent, rules: ViewRules, log: Logger) {
    this.#parent = parent;
    this.#rules = rules;
    this.#log = log;
    this.#changes = createEmitter(log);
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
    this.#announced.begin(this.tools());
  }

  tools(): readonly ToolDescriptor[] {
    this.#refresh();
    return this.#tools;
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

  subscribe: ContextSource["subscribe"] = async (server, ...rest) =>
    this.#subscriptions.add(await this.#parent.subscribe(this.#visible(server), ...rest));

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort(new McpError("MCP_CLOSED", "The view is closed.", { outcome: "not-sent" }));
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.#tools = Object.freeze([]);
    await this.#subscriptions.close();
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
    const visible = this.#announced.next(this.tools(), change);
    if (visible !== undefined) this.#changes.emit("toolsChanged", visible);
  }

  /** A tool that arrived while the call waited is new to the filter, which may need time to decide. */
  async #awaited(ref: ToolRef, finding: Promise<FoundTool>): Promise<FoundTool> {
    const { judge } = this.#rules;
    try {
      const found = await raceSignal(finding, this.#closing.signal);
      if (judge === undefined) return this.#shown(ref, found);
      const judging = judge([found.tool.server], [found.tool]);
      return this.#shown(ref, await verdictInTime(judging, found, this.ended));
    } catch (error) {
      throw inOwnWords(error, ref);
    }
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
