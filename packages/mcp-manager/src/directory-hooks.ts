import {
  type AuthPort,
  type CatalogIdentity,
  type Logger,
  type McpError,
  type McpEvents,
  type ResolvedServer,
  type ServerNotification,
  type ServerStatus,
  type ToolCache,
  type ToolDefinition,
  type ToolsChanged,
  thrownText,
} from "@jackfield/mcp-core";
import { identifyServer } from "./catalog-lookup.ts";
import type { Emitter } from "./emitter.ts";
import type { PendingWork } from "./pending-work.ts";
import type { StorableRecord } from "./server/catalog-memory.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import type { ServerHooks } from "./server/server-hooks.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

/** What the hooks of all servers of a directory share. */
export interface HookedDirectory {
  readonly registry: ToolRegistry;
  readonly events: Emitter<McpEvents>;
  readonly cache: ToolCache | undefined;
  readonly auth: AuthPort | undefined;
  readonly log: Logger;
  /** Work that may outlive its server. */
  readonly backgroundWork: PendingWork;
  /** The server that has the name now. */
  current(name: string): ManagedServer | undefined;
  /** The server made last under this name, until it has closed. */
  newest(name: string): ManagedServer | undefined;
  announce(changes: readonly ToolsChanged[]): void;
}

/**
 * The hooks by which a server reports to its directory. A replaced or removed server changes nothing any more; only the status changes
 * of a removed one are still emitted.
 *
 * @param self - returns the server, which is made after its hooks
 */
export function createDirectoryHooks(
  directory: HookedDirectory,
  name: string,
  self: () => ManagedServer,
): ServerHooks {
  return new DirectoryHooks(directory, name, self);
}

class DirectoryHooks implements ServerHooks {
  readonly #directory: HookedDirectory;
  readonly #name: string;
  readonly #self: () => ManagedServer;
  /** What was begun before under the server's identity. */
  #acting: Promise<unknown> | undefined;
  /** The last update of the catalog, and those before it. */
  #updating: Promise<unknown> | undefined;

  constructor(directory: HookedDirectory, name: string, self: () => ManagedServer) {
    this.#directory = directory;
    this.#name = name;
    this.#self = self;
  }

  offer(tools: readonly ToolDefinition[], origin: "live" | "cache"): void {
    const { registry, announce } = this.#directory;
    if (this.#isCurrent()) announce(registry.replace(this.#name, tools, origin));
  }

  withdraw(): void {
    const { registry, announce } = this.#directory;
    if (this.#isCurrent()) announce(registry.remove(this.#name));
  }

  offered(): number {
    return this.#isCurrent() ? this.#directory.registry.count(this.#name) : 0;
  }

  statusChanged(before: ServerStatus): void {
    const { newest, events } = this.#directory;
    if (newest(this.#name) === this.#self())
      events.emit("statusChanged", { before, snapshot: this.#self().snapshot() });
  }

  notified({ method, params }: ServerNotification): void {
    this.#emit("notification", { server: this.#name, method, params });
  }

  catalogChanged(kind: "resources" | "prompts"): void {
    this.#emit("catalogChanged", { server: this.#name, kind });
  }

  resourceUpdated(uri: string): void {
    this.#emit("resourceUpdated", { server: this.#name, uri });
  }

  unhealthy({ code, message }: McpError): void {
    this.#emit("unhealthy", { server: this.#name, error: { code, message, at: Date.now() } });
  }

  failed({ code, message }: McpError): void {
    this.#directory.log("warn", message, { server: this.#name, code });
  }

  store({ identity, entry }: StorableRecord): void {
    this.#updateCache((cache) => cache.set(identity.id, entry));
  }

  markStale({ id }: CatalogIdentity): void {
    this.#updateCache((cache) => cache.markStale(id));
  }

  delete({ id }: CatalogIdentity): void {
    this.#updateCache((cache) => cache.delete(id));
  }

  identified(server: ResolvedServer | undefined, act: (identity: CatalogIdentity) => void): void {
    const { cache, auth } = this.#directory;
    if (server === undefined || cache === undefined || !this.#isCurrent()) return;
    const { definition, principal } = this.#self();
    const identifying = identifyServer(definition, server, { cache, auth, principal });
    const acting = Promise.all([identifying, this.#acting]).then(([identity]) => {
      if (identity !== undefined) act(identity);
      return this.#updating; // A close waits for what was begun here, too.
    });
    this.#acting = this.#inBackground(acting);
  }

  #isCurrent(): boolean {
    return this.#directory.current(this.#name) === this.#self();
  }

  #emit<E extends keyof McpEvents>(event: E, value: McpEvents[E]): void {
    if (this.#isCurrent()) this.#directory.events.emit(event, value);
  }

  /** A catalog must not throw; if one does, that is only logged. */
  #updateCache(update: (cache: ToolCache) => Promise<void>): void {
    const { cache } = this.#directory;
    if (cache === undefined || !this.#isCurrent()) return;
    this.#updating = Promise.all([this.#updating, this.#inBackground(runUpdate(cache, update))]);
  }

  #inBackground(work: Promise<unknown>): Promise<unknown> {
    const { backgroundWork, log } = this.#directory;
    const contained = work.catch((error: unknown) =>
      log("warn", "The catalog could not be updated for a server.", {
        server: this.#name,
        error: thrownText(error),
      }),
    );
    backgroundWork.add(contained);
    return contained;
  }
}

/** Turns a synchronous throw into a rejection. */
async function runUpdate(cache: ToolCache, update: (cache: ToolCache) => Promise<void>): Promise<void> {
  await update(cache);
}
