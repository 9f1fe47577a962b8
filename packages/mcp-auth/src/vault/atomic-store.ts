import { McpError, startTimer, thrownMessage } from "@jackfield/mcp-core";
import { storeClientsOf } from "@jackfield/mcp-core/node";

/**
 * Texts by name in a store that several machines share. Each change is one step of the store itself, which also keeps the time: no
 * machine's clock counts. Every method throws `McpError` `MCP_STORAGE_FAILED` if the store does not answer.
 */
export interface AtomicStore {
  read(name: string): Promise<string | undefined>;
  /**
   * Replaces a text if it is still `change.from`; `undefined` stands for none. Returns whether it did.
   */
  replace(name: string, change: Change): Promise<boolean>;
  /** Takes or prolongs the lease on a name, unless somebody else holds it. Returns whether `holder` has it now. */
  hold(name: string, holder: string, forMs: number): Promise<boolean>;
  /** Ends the lease of this holder. */
  letGo(name: string, holder: string): Promise<void>;
}

/** A change of one text. */
export interface Change {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** How long the new text is kept, in milliseconds. Default: until it is removed. */
  readonly lifetimeMs?: number | undefined;
  /** The change is made only while this holder has the lease: whoever lost it, and does not know, changes nothing. Default: anyone. */
  readonly holder?: string | undefined;
}

/**
 * A store for Keyv that the operations can be made on: `@keyv/redis`, `@keyv/valkey`, `@keyv/postgres`, or a `Map` for one process.
 */
export type SharedStore = object;

export interface AtomicStoreOptions {
  readonly namespace: string;
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Makes the operations on the client below an adapter, because Keyv itself has none that compares before it replaces.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a store that has none either
 */
export function atomicStoreOn(store: SharedStore, { namespace, timeoutMs }: AtomicStoreOptions): AtomicStore {
  const made =
    store instanceof Map
      ? onMap(store, namespace)
      : (onRedis(store as RedisAdapter, namespace) ?? onPostgres(store as PostgresAdapter, namespace));
  if (made !== undefined) return limited(made, timeoutMs);
  const message =
    "Logins cannot be shared in this store, because it cannot compare and replace in one step. Use @keyv/redis, @keyv/valkey or @keyv/postgres.";
  throw new McpError("MCP_CONFIG_INVALID", message);
}

function limited(store: AtomicStore, timeoutMs: number): AtomicStore {
  const answered = async <T>(asking: () => Promise<T>): Promise<T> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = startTimer(() => reject(new Error(`it did not answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      return await Promise.race([asking(), late]);
    } catch (cause) {
      const message = `The store of logins failed: ${thrownMessage(cause)}. Nothing was renewed. Check that it runs and can be reached.`;
      throw new McpError("MCP_STORAGE_FAILED", message, { cause });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    read: (name) => answered(() => store.read(name)),
    replace: (name, change) => answered(() => store.replace(name, change)),
    hold: (name, holder, forMs) => answered(() => store.hold(name, holder, forMs)),
    letGo: (name, holder) => answered(() => store.letGo(name, holder)),
  };
}

function onMap(map: Map<string, unknown>, namespace: string): AtomicStore {
  interface Kept {
    readonly text: string;
    readonly until: number;
  }
  const current = (key: string): string | undefined => {
    const kept = map.get(key) as Kept | undefined;
    if (kept === undefined || performance.now() < kept.until) return kept?.text;
    map.delete(key);
    return undefined;
  };
  const keep = (key: string, text: string, forMs = Number.POSITIVE_INFINITY) => {
    map.set(key, { text, until: performance.now() + forMs } satisfies Kept);
  };
  const keyOf = (name: string) => `${namespace}:${name}`;
  const leaseOf = (name: string) => `${namespace}:${name}:lease`;
  return {
    read: async (name) => current(keyOf(name)),
    async replace(name, { from, to, lifetimeMs, holder }) {
      if (holder !== undefined && current(leaseOf(name)) !== holder) return false;
      if (current(keyOf(name)) !== from) return false;
      if (to === undefined) map.delete(keyOf(name));
      else keep(keyOf(name), to, lifetimeMs);
      return true;
    },
    async hold(name, holder, forMs) {
      const key = leaseOf(name);
      if ((current(key) ?? holder) !== holder) return false;
      keep(key, holder, forMs);
      return true;
    },
    async letGo(name, holder) {
      if (current(leaseOf(name)) === holder) map.delete(leaseOf(name));
    },
  };
}

/** `@keyv/redis` shows a client or a cluster of node-redis, and connects it on demand; `@keyv/valkey` one of ioredis. */
interface RedisAdapter {
  readonly client?: RedisClient | undefined;
  readonly redis?: RedisClient | undefined;
  getClient?(): Promise<unknown>;
}

interface RedisClient {
  eval?(script: string, ...rest: readonly unknown[]): Promise<unknown>;
  /** ioredis has one, node-redis has none. */
  readonly status?: string;
}

const READ = `return redis.call("GET", KEYS[1])`;

const REPLACE = `
if ARGV[4] ~= "" and redis.call("GET", KEYS[2]) ~= ARGV[4] then return 0 end
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
if ARGV[2] == "" then redis.call("DEL", KEYS[1])
elseif ARGV[3] == "0" then redis.call("SET", KEYS[1], ARGV[2])
else redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3]) end
return 1`;

const HOLD = `
local held = redis.call("GET", KEYS[2])
if held and held ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[2], ARGV[1], "PX", ARGV[2])
return 1`;

const LET_GO = `
if redis.call("GET", KEYS[2]) == ARGV[1] then redis.call("DEL", KEYS[2]) end
return 1`;

function onRedis(adapter: RedisAdapter, namespace: string): AtomicStore | undefined {
  const client = adapter.client ?? adapter.redis;
  if (typeof client?.eval !== "function") return undefined;
  const run = async (script: string, name: string, ...args: readonly string[]): Promise<unknown> => {
    await adapter.getClient?.();
    // The braces keep a text and its lease on one node of a cluster.
    const key = `${namespace}:{${name}}`;
    const keys = [key, `${key}:lease`];
    const isIoredis = typeof client.status === "string";
    return isIoredis
      ? client.eval?.(script, keys.length, ...keys, ...args)
      : client.eval?.(script, { keys, arguments: [...args] });
  };
  return {
    async read(name) {
      const found = await run(READ, name);
      return found === null || found === undefined ? undefined : String(found);
    },
    async replace(name, { from = "", to = "", lifetimeMs = 0, holder = "" }) {
      return (await run(REPLACE, name, from, to, String(Math.ceil(lifetimeMs)), holder)) === 1;
    },
    hold: async (name, holder, forMs) => (await run(HOLD, name, holder, String(forMs))) === 1,
    letGo: async (name, holder) => void (await run(LET_GO, name, holder)),
  };
}

/** `@keyv/postgres`, which runs any query on its pool. */
interface PostgresAdapter {
  query?(text: string, values?: readonly unknown[]): Promise<readonly unknown[]>;
  readonly opts?: { readonly schema?: string | undefined } | undefined;
}

/** What two processes that make the same table at once may get: unique_violation and duplicate_table. */
const ALREADY_MADE: ReadonlySet<unknown> = new Set(["23505", "42P07"]);

/** A table of its own: that of Keyv has no time of expiry in some versions. A row is a text, its lease, or both. */
function onPostgres(adapter: PostgresAdapter, namespace: string): AtomicStore | undefined {
  if (typeof adapter.query !== "function" || storeClientsOf(adapter).length > 0) return undefined;
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const table = `${quoted(adapter.opts?.schema ?? "public")}.${quoted("jackfield_logins")}`;
  const columns =
    "name text PRIMARY KEY, body text, expires_at timestamptz, lease text, leased_until timestamptz";
  let made: Promise<void> | undefined;
  const make = async () => {
    const sql = `CREATE TABLE IF NOT EXISTS ${table} (${columns})`;
    await adapter.query?.(sql).catch((error: unknown) => {
      if (!ALREADY_MADE.has((error as { readonly code?: unknown }).code)) throw error;
    });
    // What nobody came back for.
    await adapter.query?.(`DELETE FROM ${table} WHERE expires_at < clock_timestamp() AND lease IS NULL`);
  };
  const ask = async (
    sql: string,
    name: string,
    ...values: readonly unknown[]
  ): Promise<readonly unknown[]> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    await made;
    return (await adapter.query?.(sql, [`${namespace}:${name}`, ...values])) ?? [];
  };
  const isCurrent = "(expires_at IS NULL OR expires_at > clock_timestamp())";
  const after = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
  return {
    async read(name) {
      const sql = `SELECT body FROM ${table} WHERE name = $1 AND body IS NOT NULL AND ${isCurrent}`;
      const [row] = (await ask(sql, name)) as readonly { readonly body: string }[];
      return row?.body;
    },
    async replace(name, { from, to, lifetimeMs, holder }) {
      const isHeld = "($4::text IS NULL OR (t.lease = $4 AND t.leased_until > clock_timestamp()))";
      const values = [to ?? null, lifetimeMs ?? null, holder ?? null];
      const expiry = `CASE WHEN $3::float8 IS NULL THEN NULL ELSE ${after("$3")} END`;
      if (from !== undefined) {
        const sql = `UPDATE ${table} AS t SET body = $2, expires_at = ${expiry} WHERE name = $1 AND body = $5 AND ${isCurrent} AND ${isHeld} RETURNING 1`;
        const isDone = (await ask(sql, name, ...values, from)).length > 0;
        if (isDone && to === undefined)
          await ask(`DELETE FROM ${table} WHERE name = $1 AND body IS NULL AND lease IS NULL`, name);
        return isDone;
      }
      const isFree = `(t.body IS NULL OR t.expires_at <= clock_timestamp()) AND ${isHeld}`;
      const sql = `INSERT INTO ${table} AS t (name, body, expires_at) VALUES ($1, $2, ${expiry}) ON CONFLICT (name) DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at WHERE ${isFree} RETURNING 1`;
      return (await ask(sql, name, ...values)).length > 0;
    },
    async hold(name, holder, forMs) {
      const isFree = "t.lease IS NULL OR t.lease = $2 OR t.leased_until <= clock_timestamp()";
      const sql = `INSERT INTO ${table} AS t (name, lease, leased_until) VALUES ($1, $2, ${after("$3")}) ON CONFLICT (name) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until WHERE ${isFree} RETURNING 1`;
      return (await ask(sql, name, holder, forMs)).length > 0;
    },
    async letGo(name, holder) {
      const rest = await ask(
        `UPDATE ${table} SET lease = NULL, leased_until = NULL WHERE name = $1 AND lease = $2 RETURNING body`,
        name,
        holder,
      );
      const [row] = rest as readonly { readonly body: string | null }[];
      if (row?.body === null)
        await ask(`DELETE FROM ${table} WHERE name = $1 AND body IS NULL AND lease IS NULL`, name);
    },
  };
}
