import {
  type CallOptions,
  checkOption,
  type Diagnostic,
  isMcpError,
  type JsonObject,
  McpError,
  type McpEvents,
  optionChoice,
  optionKinds,
  type SearchToolsOptions,
  type ServerSnapshot,
  startTimer,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
} from "@jackfield/mcp-core";
import { createContextReader } from "./context/context-reader.ts";
import { Emitter } from "./emitter.ts";
import type { CloseOptions, McpManager, PrincipalOptions, ReconnectOptions } from "./mcp-manager.ts";
import { checkDuration, checkPrincipal } from "./option-check.ts";
import {
  type ConfiguredServer,
  isUsable,
  type McpManagerOptions,
  type ResolvedManagerOptions,
  resolveDefinitions,
  resolveOptions,
} from "./options.ts";
import { bringBack, lendingConnector } from "./principals.ts";
import { FailureLog, withFullStop } from "./server/failure-log.ts";
import { HandshakePacing } from "./server/handshake-pacing.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import { type OperationOptions, operationDeadline } from "./server/operation-deadline.ts";
import { ServerValues } from "./server/server-values.ts";
import { type ReloadReport, ServerDirectory } from "./server-directory.ts";
import { closedError, Run, type StartupReport, startRun, startServers } from "./startup.ts";
import { CatalogSearch } from "./tools/catalog-search.ts";
import { ToolCaller } from "./tools/tool-caller.ts";
import { ToolRegistry } from "./tools/tool-registry.ts";
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
  const resolved = resolveOptions(options);
  const { retry, startup, log } = resolved;
  const values = new ServerValues(resolved);
  const pacing = new HandshakePacing(retry.maxPerSecond, startup.concurrency);
  const ports = { resolve: values.resolve, connect: pacing.pace(values.connect) };
  return new Manager({ ...resolved, ...ports }, { pacing, failures: new FailureLog(log), values });
}

/** What the managers of all users of a runtime share. */
interface Shared {
  readonly pacing: HandshakePacing;
  readonly failures: FailureLog;
  readonly values: ServerValues;
}

/** Most people who have opened a web page this morning do nothing with it now. */
const PRINCIPAL_IDLE_TIMEOUT_MS = 600_000;

class Manager implements McpManager, ViewParent {
  readonly #options: ResolvedManagerOptions;
  readonly #shared: Shared;
  readonly #events: Emitter<McpEvents>;
  readonly #registry: ToolRegistry;
  readonly #directory: ServerDirectory;
  readonly #caller: ToolCaller;
  readonly #search: CatalogSearch;
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
  /** How the managers of other users open sessions. */
  readonly #lend = lendingConnector(
    (server, options) => this.#options.connect(server, options),
    (name) => {
      const server = this.#server(name);
      return server.definition.shared === true ? server : undefined;
    },
  );
  #lendersWatched: (() => void) | undefined;
  /** The parent's configuration that was applied last. */
  #followed: readonly ConfiguredServer[] | undefined;
  #run = new Run();
  /** Ends the admission of the user's credentials. */
  #leave: () => void;

  constructor(options: ResolvedManagerOptions, shared: Shared, parent?: Manager) {
    const { servers, naming, toolPolicies, use, log, credentials, principal } = options;
    this.#options = options;
    this.#shared = shared;
    this.#parent = parent;
    this.#followed = servers;
    this.#leave = credentials.admit(principal);
    this.#events = new Emitter<McpEvents>(log, KEPT_EVENTS);
    this.#registry = new ToolRegistry({
      servers: servers.filter(isUsable),
      naming,
      policies: toolPolicies,
      blocked: ({ server, originalName: tool }, reason) =>
        log("warn", `A tool is not offered: ${withFullStop(reason)}`, { server, tool }),
      warn: (message, server) => log("warn", message, { server }),
    });
    const [registry, events] = [this.#registry, this.#events];
    this.#directory = new ServerDirectory({ options, registry, events, ...shared });
    this.#caller = new ToolCaller({
      use,
      registry,
      server: this.#directory.get,
      refuseIfClosed: () => this.#run.refuseIfClosed(),
      log,
    });
    this.#search = new CatalogSearch({
      settings: options.search,
      tools: () => registry.tools(),
      instructions: (name) => this.#directory.find(name)?.snapshot().instructions,
      onChange: (listener) => events.on("toolsChanged", listener),
      warmUp: (name) => void this.ready([name]).catch(() => {}), // The call that comes tells why it failed.
    });
    const server = (name: string) => this.#server(name);
    const context = createContextReader({ all: () => this.#all(), server, log });
    this.resources = context.resources;
    this.resourceTemplates = context.resourceTemplates;
    this.readResource = context.readResource;
    this.prompts = context.prompts;
    this.getPrompt = context.getPrompt;
    this.complete = context.complete;
    this.subscribe = context.subscribe;
  }

  async start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<StartupReport> {
    checkOption("start", options, optionKinds.record);
    const parent = this.#parent;
    if (parent !== undefined) parent.#run.refuseIfClosed();
    const { closed } = this.#run;
    if (closed !== undefined) {
      this.#run = new Run(closed);
      this.#leave = this.#options.credentials.admit(this.#options.principal);
    }
    const run = this.#run;
    run.starting ??= startRun(run, {
      directory: this.#directory,
      options: this.#options,
      signal: options.signal,
      latest: () => this.#latest(),
      close: () => this.#close(run, 0),
    });
    if (parent !== undefined) parent.#principalManagers.add(this);
    return run.starting;
  }

  tools(): readonly ToolDescriptor[] {
    return this.#registry.tools();
  }

  searchTools(query: string, options?: SearchToolsOptions): readonly ToolDescriptor[] {
    return this.#search.find(query, options);
  }

  callTool(ref: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    return this.#hiding(this.#caller.call(ref, args, options));
  }

  on<E extends keyof McpEvents>(event: E, listener: (event: McpEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  listen: ViewParent["listen"] = (event, listener, isWanted) => this.#events.on(event, listener, isWanted);

  servers(): readonly ServerSnapshot[] {
    return this.#directory.snapshots();
  }

  isOfExposedNames: ViewParent["isOfExposedNames"] = (text) => this.#registry.isOfExposedNames(text);

  find: ViewParent["find"] = (ref, options) => this.#caller.find(ref, options);

  callFound: ViewParent["callFound"] = (found, args) => this.#hiding(this.#caller.callFound(found, args));

  get ended(): AbortSignal {
    return this.#run.stop.signal;
  }

  view(filter: ViewFilter): ToolView {
    return createToolView(this, filter, this.#options.log);
  }

  viewFor(filter: AsyncViewFilter): Promise<ToolView> {
    return createAsyncToolView(this, filter, this.#options.log);
  }

  forPrincipal(principal: string, { auth = this.#options.auth }: PrincipalOptions = {}): McpManager {
    this.#run.refuseIfClosed();
    checkPrincipal(principal);
    const servers = this.#directory.configured;
    const own = { servers, principal, auth, connect: this.#lend, idleTimeoutMs: PRINCIPAL_IDLE_TIMEOUT_MS };
    const options = { ...this.#options, ...own };
    const manager = new Manager(options, this.#shared, this);
    this.#principalManagers.add(manager);
    this.#watchLenders();
    return manager;
  }

  async reload(servers: Iterable<ConfiguredServer>): Promise<ReloadReport> {
    const run = this.#run;
    run.refuseIfClosed();
    const definitions = resolveDefinitions(servers, this.#options.limits);
    if (run.before !== undefined) await run.renewed; // Servers made before are lost when `renew` replaces them all.
    run.refuseIfClosed();
    // The configuration is replaced as a whole before anything else is awaited: of two reloads the later one wins, for other users too.
    const { report, unstarted, retired } = this.#directory.configure(definitions);
    const { configured } = this.#directory; // A listener may have reloaded again by now.
    const followed = [...this.#principalManagers].map((manager) => manager.#follow(configured));
    if (run.starting !== undefined) await startServers(unstarted, this.#options, run.stop.signal);
    await Promise.all([retired, ...followed]);
    run.refuseIfClosed();
    return report;
  }

  announce(diagnostic: Diagnostic): void {
    this.#events.emit("diagnostic", diagnostic);
    for (const manager of this.#principalManagers) manager.announce(diagnostic);
  }

  async ready(names?: readonly string[], options: OperationOptions = {}): Promise<void> {
    const servers =
      names?.map((name) => this.#server(name)) ?? this.#all().filter((server) => server.isWanted);
    await forEachServer(servers, async (server) => {
      using deadline = operationDeadline(server, "ready", options);
      try {
        await server.ensureTools(deadline);
      } catch (late) {
        const { error } = server;
        if (error === undefined || !isMcpError(late, "MCP_CALL_TIMEOUT") || late === error) throw late;
        const message = `${late.message} Its last error: ${error.message}`;
        throw new McpError(late.code, message, { ...late.toJSON(), cause: error });
      }
    });
  }

  async reconnect(name?: string, options: ReconnectOptions = {}): Promise<void> {
    const servers = name === undefined ? this.#all() : [this.#server(name)];
    checkOption("reconnect", options, optionKinds.record);
    const { only = "all" } = options;
    checkOption("reconnect.only", only, optionChoice("all", "failed"));
    const wanted = only === "failed" ? servers.filter(({ error }) => error !== undefined) : servers;
    await forEachServer(wanted, async (server) => {
      using deadline = operationDeadline(server, "reconnect", options);
      await server.reconnect(deadline);
    });
  }

  async disconnect(name: string): Promise<void> {
    await this.#server(name).disconnect();
  }

  async refreshTools(name: string, options: OperationOptions = {}): Promise<void> {
    const server = this.#server(name);
    using deadline = operationDeadline(server, "list", options);
    await server.refreshTools(deadline);
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    try {
      checkDuration("close.drainMs", drainMs);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#close(this.#run, drainMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Applies the parent's configuration; a manager closed meanwhile applies it when it is started again. */
  async #follow(definitions: readonly ConfiguredServer[]): Promise<void> {
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
  #latest(): readonly ConfiguredServer[] {
    const latest = this.#parent === undefined ? undefined : this.#parent.#directory.configured;
    if (latest === undefined || latest === this.#followed) return this.#directory.configured;
    this.#followed = latest;
    return latest;
  }

  /** An error of a call may name what a tool wants, and that may be a credential. Where nothing is to be hidden, a call costs no promise more. */
  #hiding<T>(answer: Promise<T>): Promise<T> {
    const { credentials } = this.#options;
    return credentials.isEmpty ? answer : credentials.hiding(answer);
  }

  #all(): readonly ManagedServer[] {
    this.#run.refuseIfClosed();
    return this.#directory.all();
  }

  #server(name: string): ManagedServer {
    this.#run.refuseIfClosed();
    return this.#directory.get(name);
  }

  #close(run: Run, drainMs: number): Promise<void> {
    run.stop.abort(closedError());
    if (drainMs === 0) run.hurry.abort();
    run.closed ??= this.#closeAll(run, drainMs).finally(this.#leave);
    return run.closed;
  }

  async #closeAll(run: Run, drainMs: number): Promise<void> {
    if (this.#parent !== undefined) this.#parent.#principalManagers.delete(this);
    const others = [...this.#principalManagers];
    const closeOthers = (withinMs: number) => others.map((manager) => manager.#close(manager.#run, withinMs));
    const closing = closeOthers(drainMs);
    run.hurry.signal.addEventListener("abort", () => closeOthers(0), { once: true });
    if (drainMs > 0) await drained(this.#directory, drainMs, run.hurry.signal, closing);
    await Promise.all([this.#directory.close(), ...closing]);
  }
}

/** Resolves when nothing is under way any more, the time is over, or there is a hurry. */
async function drained(
  directory: ServerDirectory,
  drainMs: number,
  hurry: AbortSignal,
  closing: readonly Promise<void>[],
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = startTimer(over.resolve, drainMs);
  hurry.addEventListener("abort", () => over.resolve(), { once: true });
  // Other users may be using the shared sessions of this manager.
  await Promise.race([Promise.all([directory.unused(), ...closing]), over.promise]);
  clearTimeout(timer);
}

/** Does something with servers in parallel. @throws the error of the first one, in order, that failed, once all have settled. */
async function forEachServer(
  servers: readonly ManagedServer[],
  act: (server: ManagedServer) => Promise<void>,
): Promise<void> {
  const failed = (await Promise.allSettled(servers.map(act))).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
