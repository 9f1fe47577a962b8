import {
  type CallOptions,
  isMcpError,
  type JsonObject,
  type McpEvents,
  type ServerDefinition,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
} from "@jackfield/mcp-core";
import { createContextReader } from "./context/context-reader.ts";
import { createEmitter, type Emitter } from "./emitter.ts";
import { createManagerRegistry } from "./manager-registry.ts";
import type { McpManager, ReconnectOptions } from "./mcp-manager.ts";
import { checkRecord } from "./option-kinds.ts";
import {
  checkPrincipal,
  type McpManagerOptions,
  type ResolvedManagerOptions,
  resolveDefinitions,
  resolveOptions,
} from "./options.ts";
import { createGatheredLists } from "./principals/gathered-lists.ts";
import { createLendingConnector } from "./principals/lending-connector.ts";
import { bringBack } from "./principals/returning-borrower.ts";
import type { ReloadReport } from "./reload-report.ts";
import { closedError, createRun, type Run, refuseIfClosed } from "./run.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import { type OperationOptions, operationDeadline } from "./server/operation-deadline.ts";
import { reconnectServers } from "./server/reconnect-servers.ts";
import { createServerDirectory, type ServerDirectory } from "./server-directory.ts";
import { startRun } from "./startup/start-run.ts";
import { startServers } from "./startup/start-servers.ts";
import type { StartupReport } from "./startup/startup-report.ts";
import { createToolCaller, type ToolCaller } from "./tools/tool-caller.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";
import { createAsyncToolView, createToolView, type ToolView, type ViewParent } from "./views/tool-view.ts";
import type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";

/** How many events are kept for the first listener; `catalogChanged` tells a late one which lists are known ([N22]). */
const KEPT_EVENTS = { notification: 100, catalogChanged: 1_000 };

/**
 * Makes a manager. Nothing is started before `start()` or the first call.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options.
 */
export function createMcpManager(options: McpManagerOptions): McpManager {
  return new Manager(resolveOptions(options));
}

class Manager implements McpManager, ViewParent {
  readonly #options: ResolvedManagerOptions;
  readonly #events: Emitter<McpEvents>;
  readonly #registry: ToolRegistry;
  readonly #directory: ServerDirectory;
  readonly #caller: ToolCaller;
  readonly resources: McpManager["resources"];
  readonly resourceTemplates: McpManager["resourceTemplates"];
  readonly readResource: McpManager["readResource"];
  readonly prompts: McpManager["prompts"];
  readonly getPrompt: McpManager["getPrompt"];
  readonly complete: McpManager["complete"];
  readonly subscribe: McpManager["subscribe"];
  /** The managers of other users that are not closed. */
  readonly #principalManagers = new Set<Manager>();
  /** The manager whose `forPrincipal` made this one. */
  readonly #parent: Manager | undefined;
  readonly #sharedLists = createGatheredLists();
  #lendersWatched: (() => void) | undefined;
  /** The parent's configuration that was applied last. */
  #followed: readonly ServerDefinition[] | undefined;
  #run = createRun();

  constructor(options: ResolvedManagerOptions, parent?: Manager) {
    this.#options = options;
    this.#parent = parent;
    this.#followed = options.servers;
    this.#events = createEmitter<McpEvents>(options.log, KEPT_EVENTS);
    this.#registry = createManagerRegistry(options);
    this.#directory = createServerDirectory({ options, registry: this.#registry, events: this.#events });
    this.#caller = createToolCaller({
      use: options.use,
      registry: this.#registry,
      server: this.#directory.get,
      refuseIfClosed: () => {
        if (this.#run.closed !== undefined) throw closedError();
      },
    });
    const server = (name: string) => this.#server(name);
    const context = createContextReader({ all: () => this.#all(), server, log: options.log });
    this.resources = context.resources;
    this.resourceTemplates = context.resourceTemplates;
    this.readResource = context.readResource;
    this.prompts = context.prompts;
    this.getPrompt = context.getPrompt;
    this.complete = context.complete;
    this.subscribe = context.subscribe;
  }

  start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<StartupReport> {
    try {
      checkRecord("start", options);
    } catch (error) {
      return Promise.reject(error);
    }
    const parent = this.#parent;
    if (parent !== undefined && parent.#run.closed !== undefined) return Promise.reject(closedError());
    const { closed } = this.#run;
    if (closed !== undefined) this.#run = createRun(closed);
    this.#run.starting ??= this.#start(this.#run, options.signal);
    if (parent !== undefined) parent.#principalManagers.add(this);
    return this.#run.starting;
  }

  tools(): readonly ToolDescriptor[] {
    return this.#registry.tools();
  }

  callTool(ref: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    return this.#caller.call(ref, args, options);
  }

  on<E extends keyof McpEvents>(event: E, listener: (event: McpEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  listen<E extends keyof McpEvents>(
    event: E,
    listener: (event: McpEvents[E]) => void,
    isWanted: (event: McpEvents[E]) => boolean,
  ): () => void {
    return this.#events.on(event, listener, isWanted);
  }

  servers(): readonly ServerSnapshot[] {
    return this.#directory.shown().map((server) => server.snapshot());
  }

  isOfExposedNames: ViewParent["isOfExposedNames"] = (text) => this.#registry.isOfExposedNames(text);

  find: ViewParent["find"] = (ref, options) => this.#caller.find(ref, options);

  callFound: ViewParent["callFound"] = (found, args) => this.#caller.callFound(found, args);

  get ended(): AbortSignal {
    return this.#run.stop.signal;
  }

  view(filter: ViewFilter): ToolView {
    return createToolView(this, filter, this.#options.log);
  }

  viewFor(filter: AsyncViewFilter): Promise<ToolView> {
    return createAsyncToolView(this, filter, this.#options.log);
  }

  forPrincipal(principal: string): McpManager {
    refuseIfClosed(this.#run);
    checkPrincipal(principal);
    const servers = this.#directory.configured;
    const lender = (name: string) => {
      const server = this.#server(name);
      return server.definition.shared === true ? server : undefined;
    };
    const { connect: own } = this.#options;
    const connect = createLendingConnector({ connect: own, lender, lists: this.#sharedLists });
    const manager = new Manager({ ...this.#options, servers, principal, connect }, this);
    this.#principalManagers.add(manager);
    this.#watchLenders();
    return manager;
  }

  async reload(servers: Iterable<ServerDefinition>): Promise<ReloadReport> {
    const run = this.#run;
    refuseIfClosed(run);
    const definitions = resolveDefinitions(servers, this.#options);
    if (run.before !== undefined) await run.renewed; // Servers made before are lost when `renew` replaces them all.
    refuseIfClosed(run);
    // The configuration is replaced as a whole before anything else is awaited: of two reloads the later one wins, for other users too.
    const { report, unstarted, retired } = this.#directory.configure(definitions);
    const { configured } = this.#directory; // A listener may have reloaded again by now.
    const followed = [...this.#principalManagers].map((manager) => manager.#follow(configured));
    if (run.starting !== undefined) await startServers(unstarted, this.#options, run.stop.signal);
    await Promise.all([retired, ...followed]);
    refuseIfClosed(run);
    return report;
  }

  async reconnect(name?: string, options: ReconnectOptions = {}): Promise<void> {
    await reconnectServers(name === undefined ? this.#all() : [this.#server(name)], options);
  }

  async disconnect(name: string): Promise<void> {
    await this.#server(name).disconnect();
  }

  async refreshTools(name: string, options: OperationOptions = {}): Promise<void> {
    const server = this.#server(name);
    using deadline = operationDeadline(server, "list", options);
    await server.refreshTools(deadline);
  }

  close(): Promise<void> {
    return this.#close(this.#run);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #start(run: Run, signal: AbortSignal | undefined): Promise<StartupReport> {
    const close = () => this.#close(run);
    const latest = () => this.#latest();
    return startRun(run, { directory: this.#directory, options: this.#options, signal, latest, close });
  }

  /** Applies the parent's configuration; a manager closed meanwhile applies it when it is started again. */
  async #follow(definitions: readonly ServerDefinition[]): Promise<void> {
    this.#followed = definitions;
    try {
      await this.reload(definitions);
    } catch (error) {
      if (!isMcpError(error, "MCP_CLOSED")) throw error;
      this.#followed = undefined;
    }
  }

  /** When a shared server is ready, reconnects the servers that borrow its session. Listens from the first borrower on. */
  #watchLenders(): void {
    this.#lendersWatched ??= this.#events.on("statusChanged", ({ snapshot: { name, status } }) => {
      if (status !== "ready") return;
      for (const manager of this.#principalManagers) {
        const borrower = manager.#directory.find(name);
        if (borrower !== undefined) void bringBack(borrower, manager.#run.stop.signal);
      }
    });
  }

  /** The configuration to restart with: the parent may have been reloaded while this one was closed. */
  #latest(): readonly ServerDefinition[] {
    const latest = this.#parent === undefined ? undefined : this.#parent.#directory.configured;
    if (latest === undefined || latest === this.#followed) return this.#directory.configured;
    this.#followed = latest;
    return latest;
  }

  #all(): readonly ManagedServer[] {
    refuseIfClosed(this.#run);
    return this.#directory.all();
  }

  #server(name: string): ManagedServer {
    refuseIfClosed(this.#run);
    return this.#directory.get(name);
  }

  #close(run: Run): Promise<void> {
    run.stop.abort(closedError());
    run.closed ??= this.#closeAll();
    return run.closed;
  }

  async #closeAll(): Promise<void> {
    if (this.#parent !== undefined) this.#parent.#principalManagers.delete(this);
    const closing = [...this.#principalManagers].map((manager) => manager.close());
    await Promise.all([this.#directory.close(), ...closing]);
  }
}
