import { createHash } from "node:crypto";
import type {
  CatalogEntry,
  CatalogId,
  CatalogIdentity,
  CatalogSummary,
  IdentifyOptions,
  ResolvedServer,
  ServerDefinition,
  ToolCache,
} from "@jackfield/mcp-core";

/** A catalog in memory. */
export interface FakeToolCache extends ToolCache {
  /** The stored entries. Tests may read and change them. */
  readonly entries: Map<CatalogId, CatalogEntry>;
  /**
   * Stores an entry as if the server had been listed earlier, and returns its id. By default, name and credentials come from the
   * server, `listedAt` is now, and everything else is missing.
   */
  seed(server: ResolvedServer, entry: Partial<CatalogEntry>, principal?: string): CatalogId;
}

/** Options of `createFakeToolCache`. */
export interface FakeToolCacheOptions {
  /** The entries of an earlier cache, to simulate the next process. Default: none. */
  readonly entries?: Map<CatalogId, CatalogEntry> | undefined;
}

/** Makes a catalog in memory. */
export function createFakeToolCache(options: FakeToolCacheOptions = {}): FakeToolCache {
  const entries = options.entries ?? new Map<CatalogId, CatalogEntry>();
  /** When entries were marked stale: a list that began before that does not clear the mark. */
  const staleSince = new Map<CatalogId, number>();
  let closed = false;
  return {
    entries,
    async identify(server, options) {
      return identityOf(server, options);
    },
    async getMany(ids) {
      const found = new Map<CatalogId, CatalogEntry>();
      for (const id of closed ? [] : ids) {
        const entry = entries.get(id);
        if (entry) found.set(id, structuredClone(entry));
      }
      return found;
    },
    async set(id, entry) {
      const stored = entries.get(id);
      if (closed || (stored && stored.listedAt > entry.listedAt)) return;
      const wasListedBefore = entry.listedAt < (staleSince.get(id) ?? 0);
      if (!wasListedBefore) staleSince.delete(id);
      entries.set(id, structuredClone(wasListedBefore ? { ...entry, stale: true } : entry));
    },
    async markStale(id) {
      const entry = entries.get(id);
      if (closed || !entry) return;
      staleSince.set(id, Date.now());
      entries.set(id, { ...entry, stale: true });
    },
    async delete(id) {
      if (closed) return;
      staleSince.delete(id);
      entries.delete(id);
    },
    async list() {
      return closed ? [] : [...entries].map(([id, entry]) => summaryOf(id, entry));
    },
    async close() {
      closed = true;
    },
    seed(server, entry, principal) {
      const { id, credentials } = identityOf(server, { principal, definition: SEEDED });
      entries.set(id, structuredClone({ server: server.name, credentials, listedAt: Date.now(), ...entry }));
      return id;
    },
  };
}

function summaryOf(id: CatalogId, entry: CatalogEntry): CatalogSummary {
  const { server, listedAt } = entry;
  return { id, server, tools: entry.tools?.length ?? 0, listedAt, stale: entry.stale ?? false };
}

/** Stands for the entry of a server that was listed earlier: what it says besides its values is not part of the identity here. */
const SEEDED: ServerDefinition = {
  name: "seeded",
  transport: "in-process",
  server: { connect: async () => {} },
  definedIn: { scope: "explicit" },
};

function identityOf(
  server: ResolvedServer,
  { principal, account, definition }: IdentifyOptions = {},
): CatalogIdentity {
  const connection = JSON.stringify([connectionOf(server), principal ?? null, account ?? null]);
  return {
    id: digest(definition ? withoutSecrets(connection, server.secrets) : connection) as CatalogId,
    credentials: digest(JSON.stringify([connectionOf(server), server.secrets])),
  };
}

/** The connection's parameters, without the server's name and limits. */
function connectionOf(server: ResolvedServer): readonly unknown[] {
  switch (server.transport) {
    case "stdio":
      return [server.transport, server.command, server.args, server.cwd ?? null, sortedEntries(server.env)];
    case "http":
    case "sse":
      return [server.transport, server.url, sortedEntries(server.headers)];
    case "in-process":
      return [server.transport, server.name];
  }
}

function sortedEntries(record: { readonly [name: string]: string }): readonly (readonly [string, string])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "*"), text);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
