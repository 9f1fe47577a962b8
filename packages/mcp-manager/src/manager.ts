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
} from "@jackfield/mcp-core";
import { createEmitter, type Emitter } from "./emitter.ts";
import {
  type McpManagerOptions,
  type ResolvedManagerOptions,
  resolveDefinitions,
  resolveOptions,
} from "./options.ts";
import type { ReloadReport } from "./reload-report.ts";
import { createRun, type Run, refuseIfClosed } from "./run.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import { type OperationOptions, operationDeadline } from "./server/operation-deadline.ts";
import { createServerDirectory, type ServerDirectory } from "./server-directory.ts";
import { startAllOrNone, startServers } from "./startup/start-servers.ts";
import { reportStartup, type StartupReport } from "./startup/startup-report.ts";
import { createToolCaller, type ToolCaller } from "./tools/tool-caller.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";

/** So much of what servers say is kept until somebody listens. */
const MAX_KEPT_NOTIFICATIONS = 100;

/** How servers are reconnected. */
export interface ReconnectOptions extends OperationOptions {
  /** `failed`: only servers that failed, those that were dropped included; whoever is well is not touched. Default `all`. */
  readonly only?: "all" | "failed" | undefined;
}

/** Many servers as one source of tools. What one of them does hurts no other. */
export interface McpManager extends ToolSource<McpEvents>, AsyncDisposable {
  /**
   * Connects the servers and waits as the start-up options say. Called again, it returns the same report; after `close()` it begins
   * anew.
   *
   * @throws McpError `MCP_ABORTED` if the signal fires, once everything that was started is gone; `MCP_CLOSED` if it is closed
   * meanwhile. Not because of a server, unless `failures` is `throw`: the report tells.
   */
  start(options?: { readonly signal?: AbortSignal | undefined }): Promise<StartupReport>;
  /** A snapshot of each server, in configured order, without those that were dropped. */
  servers(): readonly ServerSnapshot[];
  /**
   * Takes a new configuration while it runs: closes servers that are gone, starts new ones and waits for them as `start()` does,
   * and touches only what is different. A new filter or limit does not reconnect a server; anything its connection rests on does.
   * What is in flight for a server that is removed or replaced rejects with `MCP_CLOSED`.
   *
   * @throws McpError `MCP_CONFIG_INVALID`, and then nothing has changed; `MCP_CLOSED`.
   */
  reload(servers: Iterable<ServerDefinition>): Promise<ReloadReport>;
  /**
   * Clears marks and attempts, replaces a live session, and resolves when the server is ready. Without a name: all servers.
   * Default time limit: the server's `connectTimeoutMs`.
   *
   * @throws McpError the cause, if a server cannot be connected; `MCP_SERVER_UNKNOWN`, `MCP_ABORTED`, `MCP_CLOSED`.
   */
  reconnect(server?: string, options?: ReconnectOptions): Promise<void>;
  /** Lets the session go, and the server's tools with it, until `reconnect` is called. */
  disconnect(server: string): Promise<void>;
  /** Lists the server's tools anew and resolves when they are on offer. @throws McpError the cause, if that fails. */
  refreshTools(server: string, options?: OperationOptions): Promise<void>;
  /**
   * Settles every pending promise, then closes every server at the same time; the catalog stays open, it belongs to the caller.
   * Idempotent; resolves when nothing is left. `start()` may be called again.
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
  readonly #events: Emitter<McpEvents>;
  readonly #registry: ToolRegistry;
  readonly #directory: ServerDirectory;
  readonly #call: ToolCaller;
  #run = createRun();

  constructor(options: ResolvedManagerOptions) {
    this.#options = options;
    this.#events = createEmitter<McpEvents>(options.log, { notification: MAX_KEPT_NOTIFICATIONS });
    this.#registry = createToolRegistry({
      servers: options.servers,
      naming: options.naming,
      policies: options.toolPolicies,
      approval: false,
      blocked: (tool, reason) =>
        options.log("warn", `tool is not offered: ${reason}`, {
          server: tool.server,
          tool: tool.originalName,
        }),
      warn: (message, server) => options.log("warn", message, { server }),
    });
    this.#directory = createServerDirectory({ options, registry: this.#registry, events: this.#events });
    const server = (name: string) => this.#server(name);
    this.#call = createToolCaller({ use: options.use, registry: this.#registry, server });
  }

  start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<StartupReport> {
    const { closed } = this.#run;
    if (closed !== undefined) this.#run = createRun(closed);
    this.#run.starting ??= this.#start(this.#run, signal);
    return this.#run.starting;
  }

  tools(): readonly ToolDescriptor[] {
    return this.#registry.tools();
  }

  async callTool(ref: ToolRef, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolCallResult> {
    refuseIfClosed(this.#run);
    return this.#call(ref, args, options);
  }

  on<E extends keyof McpEvents>(event: E, listener: (event: McpEvents[E]) => void): () => void {
    return this.#events.on(event, listener);
  }

  servers(): readonly ServerSnapshot[] {
    const shown = this.#directory.all().filter(({ dropped }) => dropped === undefined);
    return shown.map((server) => server.snapshot());
  }

  async reload(servers: Iterable<ServerDefinition>): Promise<ReloadReport> {
    const run = this.#run;
    refuseIfClosed(run);
    const definitions = resolveDefinitions(servers, this.#options);
    // The configuration is replaced in one piece, before anything is waited for: of two reloads the later one holds.
    const { report, unstarted, gone } = this.#directory.configure(definitions);
    if (run.starting !== undefined) await startServers(unstarted, this.#options, run.stop.signal);
    await gone;
    refuseIfClosed(run);
    return report;
  }

  async reconnect(name?: string, { only, ...options }: ReconnectOptions = {}): Promise<void> {
    refuseIfClosed(this.#run);
    const named = name === undefined ? this.#directory.all() : [this.#directory.get(name)];
    const servers = only === "failed" ? named.filter(({ error }) => error !== undefined) : named;
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
    return this.#close(this.#run);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #start(run: Run, signal: AbortSignal | undefined): Promise<StartupReport> {
    const startedAt = process.hrtime.bigint(); // Nothing has to be loaded for it, as for `performance`.
    if (run.before !== undefined) {
      await run.before;
      refuseIfClosed(run);
      this.#directory.renew();
    }
    const stop = AbortSignal.any([run.stop.signal, ...(signal === undefined ? [] : [signal])]);
    const start = this.#options.startup.failures === "throw" ? startAllOrNone : startServers;
    try {
      await start(this.#directory.all(), this.#options, stop);
      if (signal?.aborted === true) throw new McpError("MCP_ABORTED", "Starting the servers was aborted.");
    } catch (error) {
      await this.#close(run);
      throw error;
    }
    refuseIfClosed(run);
    const tookMs = Number((process.hrtime.bigint() - startedAt) / 1_000_000n);
    return reportStartup(this.#directory.all(), this.#directory.configured, tookMs);
  }

  #server(name: string): ManagedServer {
    refuseIfClosed(this.#run);
    return this.#directory.get(name);
  }

  #close(run: Run): Promise<void> {
    run.stop.abort();
    run.closed ??= this.#directory.close();
    return run.closed;
  }
}
