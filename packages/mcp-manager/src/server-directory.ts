import { McpError, type McpEvents, type ServerDefinition, type ToolsChanged } from "@jackfield/mcp-core";
import { createDirectoryHooks, type HookedDirectory } from "./directory-hooks.ts";
import type { Emitter } from "./emitter.ts";
import { type HeldEmitter, holdEvents } from "./held-events.ts";
import type { ResolvedManagerOptions } from "./options.ts";
import { createPendingWork } from "./pending-work.ts";
import type { ReloadReport } from "./reload-report.ts";
import { compareDefinitions } from "./server/definition-change.ts";
import { createManagedServer, type ManagedServer } from "./server/managed-server.ts";
import { createRetryPacing } from "./server/retry-pacing.ts";
import type { ServerSettings } from "./server/server-settings.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

export interface ServerDirectoryOptions {
  readonly options: ResolvedManagerOptions;
  readonly registry: ToolRegistry;
  readonly events: Emitter<McpEvents>;
}

/** The effects of a new configuration. */
export interface Reconfiguration {
  readonly report: ReloadReport;
  /** Servers to start: new ones, replacements, and those that are no longer lazy. */
  readonly unstarted: readonly ManagedServer[];
  /** Resolves when the removed and replaced servers have closed. */
  readonly retired: Promise<unknown>;
}

/** The configured servers that are switched on, by exact name. */
export interface ServerDirectory {
  /** Every definition, those switched off included. */
  readonly configured: readonly ServerDefinition[];
  /** In configured order, dropped servers included. */
  all(): readonly ManagedServer[];
  /** Like `all()`, without dropped servers; if failed servers are dropped, empty after `close()` ([R37]). */
  shown(): readonly ManagedServer[];
  find(name: string): ManagedServer | undefined;
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly get: (name: string) => ManagedServer;
  /** Applies a new configuration synchronously: removed servers are closing when this returns, and unaffected ones are not touched. */
  configure(definitions: readonly ServerDefinition[]): Reconfiguration;
  /** Replaces every server by one that was never started. Call it only when the old ones are closed. */
  renew(definitions: readonly ServerDefinition[]): void;
  /** Withdraws all tools and closes every server. Also waits, up to `closeTimeoutMs`, for removed servers that are still closing. */
  close(): Promise<void>;
}

export function createServerDirectory(options: ServerDirectoryOptions): ServerDirectory {
  return new Directory(options);
}

class Directory implements ServerDirectory {
  readonly #options: ResolvedManagerOptions;
  readonly #registry: ToolRegistry;
  readonly #events: HeldEmitter<McpEvents>;
  /** What all servers share: their settings, and what their hooks use. */
  readonly #settings: ServerSettings;
  readonly #hooked: HookedDirectory;
  /** Work that outlives its server: closing removed servers, and writing to the catalog. */
  readonly #backgroundWork = createPendingWork();
  /** Removed servers that are still closing; a new server of the same name waits for them. */
  readonly #retiring = new Map<string, Promise<void>>();
  /** The server made last under each name, until it has closed. */
  readonly #newest = new Map<string, ManagedServer>();
  #isClosed = false;
  #configured: readonly ServerDefinition[];
  #servers: ReadonlyMap<string, ManagedServer>;

  constructor({ options, registry, events }: ServerDirectoryOptions) {
    this.#options = options;
    this.#registry = registry;
    this.#events = holdEvents(events);
    this.#settings = {
      ...options,
      pace: createRetryPacing(options.retry.maxPerSecond),
      dropFailed: options.startup.failures === "drop",
    };
    this.#hooked = {
      registry,
      events: this.#events,
      cache: options.cache,
      auth: options.auth,
      log: options.log,
      backgroundWork: this.#backgroundWork,
      current: (name) => this.find(name),
      newest: (name) => this.#newest.get(name),
      announce: (changes) => this.#announce(changes),
    };
    this.#configured = options.servers;
    this.#servers = this.#makeAll();
  }

  get configured(): readonly ServerDefinition[] {
    return this.#configured;
  }

  all(): readonly ManagedServer[] {
    return [...this.#servers.values()];
  }

  shown(): readonly ManagedServer[] {
    if (this.#isClosed && this.#settings.dropFailed) return [];
    return this.all().filter(({ dropped }) => dropped === undefined);
  }

  find(name: string): ManagedServer | undefined {
    return this.#servers.get(name);
  }

  readonly get = (name: string): ManagedServer => {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const names = [...this.#servers.keys()].slice(0, 20).map((known) => `"${known}"`);
    const message = `No server is called "${name}"; ${names.length === 0 ? "none is configured" : `configured: ${names.join(", ")}`}.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server: name, outcome: "not-sent" });
  };

  configure(definitions: readonly ServerDefinition[]): Reconfiguration {
    // Events wait until the configuration is complete: a listener may apply another one, which must not mix with this one.
    return this.#events.after(() => this.#configure(definitions));
  }

  renew(definitions: readonly ServerDefinition[]): void {
    this.#configured = definitions;
    this.#isClosed = false;
    this.#servers = this.#makeAll();
    this.#announce(this.#registry.configure(this.#configured));
  }

  async close(): Promise<void> {
    const until = performance.now() + this.#options.closeTimeoutMs;
    const closing = this.all().map((server) => server.close());
    this.#announce(this.#registry.configure([])); // Nothing can be called from now on.
    await Promise.all(closing);
    this.#isClosed = true;
    await this.#backgroundWork.finished(Math.max(0, until - performance.now()));
  }

  #configure(definitions: readonly ServerDefinition[]): Reconfiguration {
    const report: MutableReport = { added: [], removed: [], changed: [], kept: [] };
    const unstarted: ManagedServer[] = [];
    const retired: Promise<void>[] = [];
    const servers = definitions.filter(isEnabled).map((definition) => {
      const { name } = definition;
      const known = this.#servers.get(name);
      const change = known === undefined ? "new" : compareDefinitions(known.definition, definition);
      report[REPORTED_AS[change]].push(name);
      if (known === undefined || change === "connection" || known.dropped !== undefined) {
        if (known !== undefined) retired.push(this.#retire(known));
        const server = this.#make(definition);
        if (known !== undefined) server.context.inherit(known.context);
        unstarted.push(server);
        return server;
      }
      if (known.definition.lazy === true && definition.lazy !== true) unstarted.push(known);
      known.redefine(definition);
      return known;
    });
    const after = new Map(servers.map((server) => [server.definition.name, server]));
    for (const [name, server] of this.#servers) {
      if (after.has(name)) continue;
      report.removed.push(name);
      retired.push(this.#retire(server));
    }
    this.#configured = definitions;
    this.#servers = after;
    this.#announce(this.#registry.configure(definitions));
    return { report, unstarted, retired: Promise.all(retired) };
  }

  #makeAll(): ReadonlyMap<string, ManagedServer> {
    return new Map(
      this.#configured.filter(isEnabled).map((definition) => [definition.name, this.#make(definition)]),
    );
  }

  /** Closes a server and withdraws its tools, even if another server takes its name. */
  #retire(server: ManagedServer): Promise<void> {
    const { name } = server.definition;
    const closing = server.close().finally(() => {
      if (this.#retiring.get(name) === closing) this.#retiring.delete(name);
      if (this.#newest.get(name) === server) this.#newest.delete(name);
    });
    this.#retiring.set(name, closing);
    this.#announce(this.#registry.remove(name));
    this.#backgroundWork.add(closing);
    return closing;
  }

  #make(definition: ServerDefinition): ManagedServer {
    const { name } = definition;
    const server: ManagedServer = createManagedServer({
      definition,
      principal: this.#options.principal,
      predecessor: this.#retiring.get(name),
      settings: this.#settings,
      hooks: createDirectoryHooks(this.#hooked, name, () => server),
    });
    this.#newest.set(name, server);
    return server;
  }

  #announce(changes: readonly ToolsChanged[]): void {
    for (const change of changes) this.#events.emit("toolsChanged", change);
  }
}

type MutableReport = { [K in keyof ReloadReport]: string[] };

/** The report's list for each kind of change. */
const REPORTED_AS = { new: "added", none: "kept", settings: "changed", connection: "changed" } as const;

function isEnabled({ enabled }: ServerDefinition): boolean {
  return enabled !== false;
}
