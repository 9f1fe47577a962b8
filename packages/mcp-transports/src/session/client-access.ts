import type { PriorHandshake } from "@jackfield/mcp-core";
import type { Client, ConnectOptions, DiscoverResult } from "@modelcontextprotocol/client";
import type { RehearsedTransport } from "../handshake/rehearsed-transport.ts";
import { loadSdk, NO_SDK_TIMEOUT_MS, type Sdk } from "../sdk.ts";

/** The SDK, and a client of it that is connected. */
export interface SdkConnection {
  readonly sdk: Sdk;
  readonly client: Client;
}

/** The way to the SDK's client of a session, which may not be there before something needs it. */
export interface ClientAccess {
  readonly current: SdkConnection | undefined;
  /** Connects it, if it is not. */
  get(): Promise<SdkConnection>;
  /** Hears of the end of the conversation, unless it was closed. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** A client that has shaken hands itself. */
export function connectedClient(current: SdkConnection): ClientAccess {
  const { client } = current;
  return {
    current,
    get: async () => current,
    onClose(listener) {
      client.onclose = listener;
    },
    close: () => client.close(),
  };
}

export interface LaterClientOptions {
  readonly transport: RehearsedTransport;
  /** What the handshake has found out. */
  readonly prior: PriorHandshake;
  createClient(sdk: Sdk): Client;
}

/** A client that is connected when it is first needed, to a server whose handshake is made. */
export function laterClient(options: LaterClientOptions): ClientAccess {
  return new LaterClient(options);
}

/** What an earlier handshake has found out, as the SDK's client takes it over. It validates a modern one, and refuses what is none. */
export function sdkPrior(prior: PriorHandshake): NonNullable<ConnectOptions["prior"]> {
  if (prior.era === "legacy") return { kind: "legacy" };
  return { kind: "modern", discover: prior.discover as unknown as DiscoverResult };
}

class LaterClient implements ClientAccess {
  current: SdkConnection | undefined;
  readonly #options: LaterClientOptions;
  #connecting: Promise<SdkConnection> | undefined;
  #isClosed = false;

  constructor(options: LaterClientOptions) {
    this.#options = options;
    options.transport.whenNeeded(() => void this.get().catch(() => {})); // nobody but the server waits for it
  }

  get(): Promise<SdkConnection> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  onClose(listener: () => void): void {
    this.#options.transport.whenEnded(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.current?.client.close();
  }

  async #connect(): Promise<SdkConnection> {
    const { transport, prior, createClient } = this.#options;
    const sdk = await loadSdk();
    const client = createClient(sdk);
    await client.connect(transport, { prior: sdkPrior(prior), timeout: NO_SDK_TIMEOUT_MS });
    this.current = { sdk, client };
    if (this.#isClosed) await client.close();
    else transport.handOver();
    return this.current;
  }
}
