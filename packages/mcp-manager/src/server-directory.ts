import {
  type CatalogId,
  isSameJson,
  McpError,
  type McpEvents,
  type ServerDefinition,
  type ServerSnapshot,
  startTimer,
  type ToolsChanged,
  thrownText,
} from "@jackfield/mcp-core";
import type { Emitter } from "./emitter.ts";
import {
  type ConfiguredServer,
  isUnusable,
  isUsable,
  type ResolvedManagerOptions,
  type UnusableServer,
} from "./options.ts";
import { PendingWork } from "./pending-work.ts";
import type { CatalogPlace } from "./server/catalog-memory.ts";
import type { FailureLog } from "./server/failure-log.ts";
import type { HandshakePacing } from "./server/handshake-pacing.ts";
import { ManagedServer, type ServerSettings } from "./server/managed-server.ts";
import { ServerRelay } from "./server/server-relay.ts";
import type { ServerValues } from "./server/server-values.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

export interface ServerDirectoryOptions {
  readonly options: ResolvedManagerOptions;
  readonly registry: ToolRegistry;
  readonly events: Emitter<McpEvents>;
  /** Shared by the managers of all users. */
  readonly pacing: HandshakePacing;
  readonly failures: FailureLog;
  readonly values: ServerValues;
}

/**
 * The result of a reload, by server name. Each configured server that is switched on is in exactly one of `added`, `changed` and
 * `kept`.
 */
export interface ReloadReport {
  /** Configured now and not before, or switched on. */
  readonly added: readonly string[];
  /** No longer configured, or switched off: closed. */
  readonly removed: readonly string[];
  /** Defined differently than before. Reconnected only if something its connection depends on changed. */
  readonly changed: readonly string[];
  /** Defined as before and not touched, except that a dropped server is tried again. */
  readonly kept: readonly string[];
}

/** The effects of a new configuration. */
export interface Reconfiguration {
  readonly report: ReloadReport;
  /** Servers to start: new ones, replacements, and those that are no longer lazy. */
  readonly unstarted: readonly ManagedServer[];
  /** Resolves when the removed and replaced servers have closed. */
  readonly retired: Promise<unknown>;
}

/** How often the catalog is read again for servers without a session, in milliseconds. */
const READ_AGAIN_MS = 10_000;

/** What others write to the catalog within this time is read at once, in milliseconds. */
const HEARD_TOGETHER_MS = 50;

/** The configured servers that are switched on, by exact name. */
export class ServerDirectory {
  readonly #directory: ServerDirectoryOptions;
  /** What all servers share. */
  readonly #settings: ServerSettings;
  /** Work that outlives its server: closing removed servers, and writing to the catalog. */
  readonly #background = new PendingWork();
  /** Removed servers that are still closing; a new server of the same name waits for them. */
  readonly #retiring = new Map<string, Promise<void>>();
  /** The server made last under each name, until it has closed. */
  readonly #newest = new Map<string, ManagedServer>();
  #readingAgain: NodeJS.Timeout | undefined;
  readonly #heardOf = new Set<CatalogId>();
  #stopListening: (() => void) | undefined;
  #isClosed = false;
  #configured: readonly ConfiguredServer[];
  #servers: ReadonlyMap<string, ManagedServer>;
  /** The entries that cannot be used, as they are listed. */
  #unusable: readonly (UnusableServer & { readonly snapshot: ServerSnapshot })[];

  constructor(directory: ServerDirectoryOptions) {
    const { options, pacing, values } = directory;
    this.#directory = directory;
    this.#settings = {
      ...options,
      pacing,
      values,
      dropFailed: options.startup.failures === "drop",
      lazy: options.startup.lazy,
    };
    this.#configured = options.servers;
    this.#servers = this.#makeAll();
    this.#unusable = listedUnusable(this.#configured);
    this.#listen();
  }

  /** Every definition, those switched off included, and every entry that cannot be used. */
  get configured(): readonly ConfiguredServer[] {
    return this.#configured;
  }

  /** In configured order, dropped servers included. */
  all(): readonly ManagedServer[] {
    return [...this.#servers.values()];
  }

  /** Those of `all()` without dropped servers, none of them after `close()` if failed ones are dropped ([R37]), and what cannot be used. */
  snapshots(): readonly ServerSnapshot[] {
    const all = this.#isClosed && this.#settings.dropFailed ? [] : this.all();
    const shown = all.filter(({ dropped }) => dropped === undefined).map((server) => server.snapshot());
    return [...shown, ...this.#unusable.map(({ snapshot }) => snapshot)];
  }

  find(name: string): ManagedServer | undefined {
    return this.#servers.get(name);
  }

  /** @throws McpError `MCP_SERVER_UNKNOWN`, or why the entry of that name cannot be used */
  readonly get = (name: string): ManagedServer => {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const unusable = this.#unusable.find((entry) => entry.name === name);
    if (unusable !== undefined) throw unusable.error;
    const names = [...this.#servers.keys()].slice(0, 20).map((known) => `"${known}"`);
    const message = `No server is called "${name}"; ${names.length === 0 ? "none is configured" : `configured: ${names.join(", ")}`}.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server: name, outcome: "not-sent" });
  };

  /** Applies a new configuration synchronously: removed servers are closing when this returns, and unaffected ones are not touched. */
  configure(configured: readonly ConfiguredServer[]): Reconfiguration {
    // Events wait until the configuration is complete: a listener may apply another one, which must not mix with this one.
    return this.#directory.events.after(() => this.#configure(configured));
  }

  /** Replaces every server by one that was never started. Call it only when the old ones are closed. */
  renew(configured: readonly ConfiguredServer[]): void {
    this.#configured = configured;
    this.#isClosed = false;
    this.#servers = this.#makeAll();
    this.#unusable = listedUnusable(configured);
    this.#listen();
    this.#announce(this.#directory.registry.configure(configured.filter(isUsable)));
  }

  /** Resolves when no call or request is under way on any session. */
  async unused(): Promise<void> {
    await Promise.all(this.all().map(({ openSession }) => openSession?.unused()));
  }

  /** Withdraws all tools and closes every server. Also waits, up to `closeTimeoutMs`, for removed servers that are still closing. */
  async close(): Promise<void> {
    const until = performance.now() + this.#settings.closeTimeoutMs;
    clearTimeout(this.#readingAgain);
    this.#readingAgain = undefined;
    this.#stopListening?.();
    const servers = this.all();
    // Nothing can be called from now on. First, because a server whose session ends goes on offering its tools.
    this.#announce(this.#directory.registry.configure([]));
    const closing = servers.map((server) => server.close());
    this.#isClosed = true;
    await Promise.all(closing);
    await this.#background.finished(Math.max(0, until - performance.now()));
  }

  #configure(configured: readonly ConfiguredServer[]): Reconfiguration {
    const definitions = configured.filter(isUsable);
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
    this.#configured = configured;
    this.#servers = after;
    this.#unusable = listedUnusable(configured);
    this.#announce(this.#directory.registry.configure(definitions));
    return { report, unstarted, retired: Promise.all(retired) };
  }

  #makeAll(): ReadonlyMap<string, ManagedServer> {
    return new Map(
      this.#configured
        .filter(isUsable)
        .filter(isEnabled)
        .map((definition) => [definition.name, this.#make(definition)]),
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
    this.#announce(this.#directory.registry.remove(name));
    this.#background.add(closing);
    return closing;
  }

  #make(definition: ServerDefinition): ManagedServer {
    const { name } = definition;
    const { options, registry, events, failures, values } = this.#directory;
    const { cache, auth, log, principal } = options;
    const isCurrent = () => this.find(name) === server;
    const isNewest = () => this.#newest.get(name) === server;
    const readAgain = () => this.#readAgainLater();
    const place: CatalogPlace = {
      cache,
      auth,
      log,
      values,
      background: this.#background,
      isCurrent,
      readAgain,
    };
    const server: ManagedServer = new ManagedServer({
      definition,
      principal,
      predecessor: this.#retiring.get(name),
      settings: this.#settings,
      relay: new ServerRelay(name, { registry, events, failures }, { isCurrent, isNewest }),
      place,
    });
    this.#newest.set(name, server);
    return server;
  }

  #listen(): void {
    this.#stopListening = this.#directory.options.cache?.onChange?.((id) => this.#heard(id));
  }

  /** Others may write to the same catalog, and not every store says so. */
  #readAgainLater(): void {
    const { cache } = this.#directory.options;
    if (cache === undefined || this.#readingAgain !== undefined || this.#isClosed) return;
    this.#readingAgain = startTimer(() => void this.#readAgain(), READ_AGAIN_MS);
    this.#readingAgain.unref(); // It keeps no process alive.
  }

  async #readAgain(): Promise<void> {
    const resting = this.all().filter(({ isResting, catalogId }) => isResting && catalogId !== undefined);
    await this.#recallNewer(resting);
    this.#readingAgain = undefined;
    if (resting.length > 0) this.#readAgainLater(); // Else the next server that rests begins anew.
  }

  /** Another machine has written to the catalog. What it writes within a moment is read at once. */
  #heard(id: CatalogId): void {
    this.#heardOf.add(id);
    if (this.#heardOf.size > 1) return;
    const read = () => {
      const changed = this.all().filter(
        ({ catalogId }) => catalogId !== undefined && this.#heardOf.has(catalogId),
      );
      this.#heardOf.clear();
      if (!this.#isClosed) void this.#recallNewer(changed);
    };
    startTimer(read, HEARD_TOGETHER_MS).unref();
  }

  async #recallNewer(servers: readonly ManagedServer[]): Promise<void> {
    const { cache, log } = this.#directory.options;
    const asked = servers.flatMap((server) => (server.catalogId ? [{ server, id: server.catalogId }] : []));
    if (cache === undefined || asked.length === 0) return;
    try {
      const entries = await cache.getMany(asked.map(({ id }) => id));
      for (const { server, id } of asked) {
        const isWanted = () => !this.#isClosed && server.catalogId === id;
        const entry = entries.get(id);
        const prepared = (await server.prepared(entry, isWanted)) ?? entry;
        if (prepared !== undefined && isWanted()) server.recallNewer(prepared);
      }
    } catch (error) {
      log("warn", "The catalog could not be read.", { error: thrownText(error) });
    }
  }

  #announce(changes: readonly ToolsChanged[]): void {
    for (const change of changes) this.#directory.events.emit("toolsChanged", change);
  }
}

type MutableReport = { [K in keyof ReloadReport]: string[] };

/** The report's list for each kind of change. */
const REPORTED_AS = { new: "added", none: "kept", settings: "changed", connection: "changed" } as const;

function listedUnusable(configured: readonly ConfiguredServer[]) {
  const at = Date.now();
  return configured.filter(isUnusable).map(({ name, transport, definedIn, error }) => {
    const { code, message } = error;
    const snapshot: ServerSnapshot = Object.freeze({
      name,
      status: "failed",
      ...(transport === undefined ? {} : { transport }),
      since: at,
      error: { code, message, at },
      tools: 0,
      toolsFrom: "none",
      calls: 0,
      failures: 0,
      definedIn,
    });
    return { name, transport, definedIn, error, snapshot };
  });
}

function isEnabled({ enabled }: ServerDefinition): boolean {
  return enabled !== false;
}

/** What changed in a definition. `settings`: an open session can go on; `connection`: the server must be reconnected. */
type DefinitionChange = "none" | "settings" | "connection";

/** Fields that the connection does not depend on. */
const SETTINGS: ReadonlySet<string> = new Set([
  "name",
  "enabled",
  "disabledBy",
  "shadows",
  "lazy",
  "limits",
  "tools",
] satisfies (keyof ServerDefinition)[]);

/**
 * Compares two definitions of one name by value. Pure.
 *
 * Limits, tool filter, `lazy`, the line of the definition and `shadows` are settings. Everything else counts as part of the connection,
 * including fields that Jackfield does not read, because a resolver may read them, and the scope and the file, because they decide what
 * a variable may stand for.
 */
export function compareDefinitions(before: ServerDefinition, after: ServerDefinition): DefinitionChange {
  if (!isSameJson(connectionPart(before), connectionPart(after))) return "connection";
  if (before.transport === "in-process" && after.transport === "in-process") {
    if (before.server !== after.server) return "connection"; // Two servers may look alike and not be the same.
  }
  return isSameJson(settings(before), settings(after)) ? "none" : "settings";
}

function connectionPart(definition: ServerDefinition): object {
  const { scope, file } = definition.definedIn;
  const others = Object.entries(definition).filter(([field]) => !SETTINGS.has(field));
  return present({ ...Object.fromEntries(others), definedIn: present({ scope, file }), server: undefined });
}

function settings({ limits, tools, lazy, definedIn, shadows }: ServerDefinition): object {
  return {
    shadows,
    limits: present(limits),
    tools: tools && present(tools),
    lazy: lazy === true,
    definedIn: present(definedIn),
  };
}

/** An `undefined` field counts as missing. */
function present(fields: object | undefined = {}): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
