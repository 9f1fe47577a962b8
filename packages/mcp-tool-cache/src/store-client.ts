import { startTimer } from "@jackfield/mcp-core";
import { type StoreClient as ErrorSource, storeClientsOf } from "@jackfield/mcp-core/node";

/** What an adapter shows of its connection: a client of node-redis or ioredis, or the pool of another database. */
export interface StoreClient extends ErrorSource {
  /** node-redis: ends the connection without waiting for answers. */
  destroy?(): unknown;
  duplicate?(): SubscribingClient;
  publish?(channel: string, message: string): Promise<unknown>;
}

/** A connection that listens to messages. */
interface SubscribingClient {
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  /** node-redis connects on demand. ioredis connects by itself, and has a `status`. */
  connect(): Promise<unknown>;
  readonly status?: string;
  subscribe(channel: string, listener?: (message: string) => void): Promise<unknown>;
  disconnect(): unknown;
  destroy?(): unknown;
}

/** A client of `pg`, as far as LISTEN and NOTIFY need it. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  end(): Promise<unknown>;
}

/** The connections that an adapter shows. */
export function clientsOf(store: object): readonly StoreClient[] {
  return storeClientsOf<StoreClient>(store);
}

/** Messages between the processes that share a store. */
export interface StoreMessages {
  send(message: string): Promise<void>;
  /** Calls `heard` with what any process sends from now on, this one included. Connects in the background. */
  receive(heard: (message: string) => void): void;
  close(): Promise<void>;
}

export interface MessageOptions {
  readonly channel: string;
  readonly onError: (error: unknown) => void;
  readonly postgresClient?: (() => PostgresClient) | undefined;
}

/** The store's own messages: PUBLISH of Redis and Valkey, NOTIFY of Postgres. `undefined` if the store has none that can be reached. */
export function messagesOf(store: object, options: MessageOptions): StoreMessages | undefined {
  const { postgresClient, channel, onError } = options;
  if (postgresClient !== undefined) return new PostgresMessages(postgresClient, channel, onError);
  const client = clientsOf(store).find(({ publish, duplicate }) => publish && duplicate);
  return client && redisMessages(client, options);
}

function redisMessages(client: StoreClient, { channel, onError }: MessageOptions): StoreMessages {
  let subscriber: SubscribingClient | undefined;
  return {
    async send(message) {
      await client.publish?.(channel, message);
    },
    receive(heard) {
      const made = client.duplicate?.();
      if (made === undefined) return;
      subscriber = made;
      made.on("error", onError);
      const isIoredis = typeof made.status === "string";
      if (isIoredis)
        made.on("message", (from, message) => {
          if (from === channel) heard(String(message));
        });
      const connected = isIoredis ? Promise.resolve() : made.connect();
      connected.then(() => made.subscribe(channel, isIoredis ? undefined : heard)).catch(onError);
    },
    async close() {
      if (subscriber?.destroy === undefined) subscriber?.disconnect();
      else subscriber.destroy();
    },
  };
}

const FIRST_RECONNECT_MS = 1_000;
const LONGEST_RECONNECT_MS = 60_000;

/** One connection for LISTEN and NOTIFY. A client of `pg` cannot be used again after a failure, so each connection has a new one. */
class PostgresMessages implements StoreMessages {
  readonly #makeClient: () => PostgresClient;
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  #client: Promise<PostgresClient> | undefined;
  #heard: ((message: string) => void) | undefined;
  #reconnectMs = FIRST_RECONNECT_MS;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(makeClient: () => PostgresClient, channel: string, onError: (error: unknown) => void) {
    this.#makeClient = makeClient;
    this.#channel = channel;
    this.#onError = onError;
  }

  async send(message: string): Promise<void> {
    const client = await this.#connected();
    await client.query("SELECT pg_notify($1, $2)", [this.#channel, message]);
  }

  receive(heard: (message: string) => void): void {
    this.#heard = heard;
    this.#connected().catch(() => {}); // It was told, and is tried again.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.then((client) => client.end()).catch(() => {});
  }

  #connected(): Promise<PostgresClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<PostgresClient> {
    const client = this.#makeClient();
    client.on("error", this.#onError);
    client.on("end", () => this.#connectAgain());
    client.on("notification", ({ payload }) => this.#heard?.(payload ?? ""));
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel.replaceAll('"', '""')}"`);
    } catch (error) {
      this.#onError(error);
      this.#connectAgain();
      throw error;
    }
    this.#reconnectMs = FIRST_RECONNECT_MS;
    return client;
  }

  #connectAgain(): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => void this.#connected().catch(() => {}), this.#reconnectMs);
    this.#timer.unref();
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, LONGEST_RECONNECT_MS);
  }
}
