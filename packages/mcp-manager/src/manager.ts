import {
  type CallOptions,
  type JsonObject,
  McpError,
  type McpEvents,
  type ServerDefinition,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolRef,
  type ToolSource,
  type ToolsChanged,
} from "@jackfield/mcp-core";
import { createEmitter, type Emitter } from "./emitter.ts";
import { type McpManagerOptions, type ResolvedManagerOptions, resolveOptions } from "./options.ts";
import { createPendingWork } from "./pending-work.ts";
import { createManagedServer, type ManagedServer, type ManagedServerHooks } from "./server/managed-server.ts";
import { type OperationOptions, operationDeadline } from "./server/operation-deadline.ts";
import { startServers } from "./startup/start-servers.ts";
import { reportStartup, type StartupReport } from "./startup/startup-report.ts";
import { createToolCaller, type ToolCaller } from "./tools/tool-caller.ts";
import { createToolFinder, type ToolFinder } from "./tools/tool-finder.ts";
import { createToolNaming } from "./tools/tool-naming.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";

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
  /** Lets the session go, and the server's tools with it, until `reconnect` is called. */
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
  readonly #findTool: ToolFinder;
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
    const server = (name: string) => this.#server(name);
    this.#findTool = createToolFinder({ registry: this.#registry, server });
    this.#call = createToolCaller({ use: options.use, server });
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
    return this.#call(await this.#findTool(ref, options), args, options);
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
      using deadline = operationDeadline(server, "reconnect", options);
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
    using deadline = operationDeadline(server, "list", options);
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
    const { connect, resolve, retry, handlers, auth, closeTimeoutMs, log, cache } = this.#options;
    const { name } = definition;
    const announce = (change: ToolsChanged | undefined) => {
      if (change !== undefined) this.#events.emit("toolsChanged", change);
    };
    const hooks: ManagedServerHooks = {
      offer: (tools, origin) => announce(this.#registry.replace(definition, tools, origin)),
      withdraw: () => announce(this.#registry.remove(name)),
      offered: () => this.#registry.count(name),
      statusChanged: (before) => this.#events.emit("statusChanged", { before, snapshot: server.snapshot() }),
      notified: ({ method, params }) => this.#events.emit("notification", { server: name, method, params }),
      troubled: (error) => log("warn", error.message, { server: name, code: error.code }),
      store: ({ identity, entry }) => {
        if (cache !== undefined) this.#storing.add(cache.set(identity.id, entry));
      },
    };
    const server = createManagedServer({
      definition,
      connect,
      resolve,
      retry,
      handlers,
      auth,
      closeTimeoutMs,
      log,
      hooks,
    });
    return server;
  }

  async #start(signal: AbortSignal | undefined): Promise<StartupReport> {
    this.#refuseIfClosed();
    const startedAt = performance.now();
    const servers = [...this.#servers.values()];
    const stop = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    await startServers(servers, this.#options, stop);
    if (signal?.aborted === true) {
      await this.close();
      throw new McpError("MCP_ABORTED", "Starting the servers was aborted.");
    }
    this.#refuseIfClosed();
    return reportStartup(servers, this.#options.servers, Math.round(performance.now() - startedAt));
  }

  #server(name: string): ManagedServer {
    this.#refuseIfClosed();
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const names = [...this.#servers.keys()].slice(0, 20).map((known) => `"${known}"`);
    const message = `No server is called "${name}"; ${names.length === 0 ? "none is configured" : `configured: ${names.join(", ")}`}.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server: name, outcome: "not-sent" });
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
