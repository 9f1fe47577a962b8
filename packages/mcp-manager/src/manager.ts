import {
  type CallOptions,
  DEFAULT_LIMITS,
  type JsonObject,
  McpError,
  type McpEvents,
  type RequestOptions,
  type ServerDefinition,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
  type ToolSource,
} from "@jackfield/mcp-core";
import { openShelves } from "./catalog-room.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { createEmitter, type Emitter } from "./emitter.ts";
import { type McpManagerOptions, type ResolvedManagerOptions, resolveOptions } from "./options.ts";
import { createPendingWork } from "./pending-work.ts";
import type { CatalogShelf } from "./server/catalog-record.ts";
import { createManagedServer, type ManagedServer, type ManagedServerHooks } from "./server/managed-server.ts";
import { startInOrder } from "./startup/start-order.ts";
import { patienceFor, waitAtGate } from "./startup/startup-gate.ts";
import { reportStartup, type StartupReport } from "./startup/startup-report.ts";
import { createToolCaller, type ToolCaller } from "./tools/tool-caller.ts";
import { createToolNaming } from "./tools/tool-naming.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";

/** How long an operation on one server may take. */
export type OperationOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/** Many servers as one source of tools. What one of them does hurts no other. */
export interface McpManager extends ToolSource<McpEvents>, AsyncDisposable {
  /**
   * Connects the servers and waits as the start-up options say. Never fails because of a server: the report tells.
   * Called again, it returns the same report.
   *
   * @throws McpError `MCP_ABORTED` if the signal fires, once everything that was started is gone; `MCP_CLOSED` after `close()`.
   */
  start(options?: { readonly signal?: AbortSignal | undefined }): Promise<StartupReport>;
  /** A snapshot of each server, in configured order. */
  servers(): readonly ServerSnapshot[];
  /**
   * Clears marks and attempts, replaces a live session, and resolves when the server is ready. Without a name: all servers.
   * Default time limit: the server's `connectTimeoutMs`.
   *
   * @throws McpError the cause, if the server cannot be connected; `MCP_SERVER_UNKNOWN`, `MCP_ABORTED`, `MCP_CLOSED`.
   */
  reconnect(server?: string, options?: OperationOptions): Promise<void>;
  /** Lets the session go until `reconnect` is called. The tools stay on offer, but calling one throws `MCP_CLOSED`. */
  disconnect(server: string): Promise<void>;
  /** Lists the server's tools anew and resolves when they are on offer. @throws McpError the cause, if that fails. */
  refreshTools(server: string, options?: OperationOptions): Promise<void>;
  /**
   * Closes every server and settles every pending promise; the catalog stays open, it belongs to the caller. Idempotent;
   * resolves when nothing is left.
   */
  close(): Promise<void>;
}

/**
 * Makes a manager. Nothing is started before `start()` or the first call.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for options that cannot be right.
 */
export function createMcpManager(options: McpManagerOptions): McpManager {
  return new Manager(resolveOptions(options));
}

class Manager implements McpManager {
  readonly #options: ResolvedManagerOptions;
  readonly #servers: ReadonlyMap<string, ManagedServer>;
  readonly #events: Emitter<McpEvents>;
  readonly #registry: ToolRegistry;
  readonly #call: ToolCaller;
  readonly #closing = new AbortController();
  /** What the catalog is still being told. */
  readonly #storing = createPendingWork();
  #starting: Promise<StartupReport> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ResolvedManagerOptions) {
    this.#options = options;
    this.#events = createEmitter<McpEvents>(options.log);
    const names = options.servers.map(({ name }) => name);
    this.#registry = createToolRegistry({
      naming: createToolNaming({ servers: names, reserved: options.reservedNames }),
      policies: options.toolPolicies,
      approval: false,
      blocked: (tool, reason) =>
        options.log("warn", `tool is not offered: ${reason}`, {
          server: tool.server,
          tool: tool.originalName,
        }),
    });
    this.#call = createToolCaller({ use: options.use, target: (name) => this.#target(name) });
    const enabled = options.servers.filter((definition) => definition.enabled !== false);
    this.#servers = new Map(enabled.map((definition) => [definition.name, this.#manage(definition)]));
  }

  start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<StartupReport> {
    this.#starting ??= this.#start(signal);
    return this.#starting;
  }

  tools(): readonly ToolDescriptor[] {
    return this.#registry.tools();
  }

  async callTool(ref: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    this.#refuseIfClosed();
    return this.#call(this.#find(ref) ?? (await this.#findLate(ref, options)), args, options);
  }

  on<E extends keyof McpEvents>(event: E, listener: (event: McpEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  servers(): readonly ServerSnapshot[] {
    return [...this.#servers.values()].map((server) => server.snapshot());
  }

  async reconnect(name?: string, options: OperationOptions = {}): Promise<void> {
    const servers = name === undefined ? [...this.#servers.values()] : [this.#server(name)];
    const reconnected = servers.map(async (server) => {
      const limit = server.definition.limits?.connectTimeoutMs ?? DEFAULT_LIMITS.connectTimeoutMs;
      using deadline = this.#deadline(server, "reconnect", { timeoutMs: limit, ...options });
      await server.reconnect(deadline);
    });
    const failed = (await Promise.allSettled(reconnected)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async disconnect(name: string): Promise<void> {
    await this.#server(name).disconnect();
  }

  async refreshTools(name: string, options: OperationOptions = {}): Promise<void> {
    const server = this.#server(name);
    const limit = server.definition.limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
    using deadline = this.#deadline(server, "list its tools", { timeoutMs: limit, ...options });
    await server.refreshTools(deadline);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #manage(definition: ServerDefinition): ManagedServer {
    const { connect, resolve, retry, handlers, auth, log, cache } = this.#options;
    const { name } = definition;
    const hooks: ManagedServerHooks = {
      offer: (tools, origin) => {
        const change = this.#registry.replace(definition, tools, origin);
        if (change !== undefined) this.#events.emit("toolsChanged", change);
      },
      offered: () => this.#registry.count(name),
      statusChanged: (before) => this.#events.emit("statusChanged", { before, snapshot: server.snapshot() }),
      notified: ({ method, params }) => this.#events.emit("notification", { server: name, method, params }),
      troubled: (error) => log("warn", error.message, { server: name, code: error.code }),
      store: ({ identity, entry }) => {
        if (cache !== undefined) this.#storing.add(cache.set(identity.id, entry));
      },
    };
    const server = createManagedServer({ definition, connect, resolve, retry, handlers, auth, log, hooks });
    return server;
  }

  async #start(signal: AbortSignal | undefined): Promise<StartupReport> {
    this.#refuseIfClosed();
    const startedAt = performance.now();
    const stop = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    const servers = [...this.#servers.values()];
    const shelves = await this.#openShelves(stop);
    for (const server of servers) server.recall(shelves.get(server.definition.name));
    if (!stop.aborted) await this.#connectAll(servers, stop);
    if (signal?.aborted === true) {
      await this.close();
      throw new McpError("MCP_ABORTED", "Starting the servers was aborted.");
    }
    this.#refuseIfClosed();
    return reportStartup(servers, this.#blocked(), Math.round(performance.now() - startedAt));
  }

  async #connectAll(servers: readonly ManagedServer[], stop: AbortSignal): Promise<void> {
    const { gateMs, uncached, concurrency } = this.#options.startup;
    const isLazy = (server: ManagedServer) => server.definition.lazy === true;
    void startInOrder(
      servers.filter((server) => !isLazy(server)),
      concurrency,
      stop,
    );
    const waiting = servers.map((server) => {
      const patience = patienceFor({ lazy: isLazy(server), verdict: server.verdict }, uncached);
      return { patience, settled: server.settled };
    });
    await waitAtGate(waiting, gateMs, stop);
  }

  async #openShelves(signal: AbortSignal): Promise<ReadonlyMap<string, CatalogShelf>> {
    const { cache, resolve, principal, startup, log } = this.#options;
    if (cache === undefined) return new Map();
    const definitions = [...this.#servers.values()].map((server) => server.definition);
    return openShelves(
      definitions,
      { cache, resolve, principal, staleAfterMs: startup.staleAfterMs, log },
      signal,
    );
  }

  #blocked(): StartupReport["blocked"] {
    return this.#options.servers
      .filter((definition) => definition.enabled === false)
      .map(({ name }) => ({ name, reason: "it is switched off where it is defined" }));
  }

  #find(ref: ToolRef): ToolDescriptor | undefined {
    return typeof ref === "string" ? this.#registry.get(ref) : this.#registry.find(ref.server, ref.tool);
  }

  /** A tool that is named by its server may belong to a list that is not in yet. */
  async #findLate(ref: ToolRef, options: OperationOptions): Promise<ToolDescriptor> {
    if (typeof ref === "string") throw this.#unknownTool(`No tool is called "${ref}".`, ref);
    const server = this.#server(ref.server);
    const limit = server.definition.limits?.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
    using deadline = this.#deadline(server, "list its tools", { timeoutMs: limit, ...options });
    await server.ensureTools(deadline);
    const tool = this.#find(ref);
    if (tool === undefined)
      throw this.#unknownTool(`Server "${ref.server}" offers no tool "${ref.tool}".`, ref.tool, ref.server);
    return tool;
  }

  #unknownTool(message: string, tool: string, server?: string): McpError {
    return new McpError("MCP_TOOL_UNKNOWN", message, { server, tool, phase: "call", outcome: "not-sent" });
  }

  #server(name: string): ManagedServer {
    this.#refuseIfClosed();
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const names = [...this.#servers.keys()].slice(0, 20).map((known) => `"${known}"`);
    const message = `No server is called "${name}"; ${names.length === 0 ? "none is configured" : `configured: ${names.join(", ")}`}.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server: name, outcome: "not-sent" });
  }

  #target(name: string): {
    limits: NonNullable<ServerDefinition["limits"]>;
    session: ManagedServer["session"];
  } {
    const server = this.#server(name);
    return { limits: server.definition.limits ?? {}, session: (deadline) => server.session(deadline) };
  }

  #deadline(
    { definition: { name } }: ManagedServer,
    what: string,
    { signal, timeoutMs = 0 }: OperationOptions,
  ): Deadline {
    return createDeadline({
      signal,
      timeoutMs,
      aborted: () =>
        new McpError("MCP_ABORTED", `Server "${name}" was asked to ${what}, and the caller gave up.`, {
          server: name,
        }),
      expired: () =>
        new McpError("MCP_CALL_TIMEOUT", `Server "${name}" did not ${what} within ${timeoutMs} ms.`, {
          server: name,
        }),
    });
  }

  #refuseIfClosed(): void {
    if (this.#closed !== undefined)
      throw new McpError("MCP_CLOSED", "The runtime was closed.", { outcome: "not-sent" });
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await this.#storing.finished();
  }
}
