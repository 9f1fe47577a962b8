import type { PriorHandshake } from "@jackfield/mcp-core";
import type { Client, ConnectOptions, DiscoverResult } from "@modelcontextprotocol/client";
import type { RehearsedTransport } from "../handshake/rehearsed-transport.ts";
import { loadSdk, NO_SDK_TIMEOUT_MS, type Sdk } from "../sdk.ts";

/** The SDK and a connected client of it. */
export interface SdkConnection {
  readonly sdk: Sdk;
  readonly client: Client;
}

/** Access to the SDK's client of a session, which may be created only when it is needed. */
export interface ClientAccess {
  readonly current: SdkConnection | undefined;
  /** Connects the client if it is not connected yet. */
  get(): Promise<SdkConnection>;
  /** Calls the listener when the connection has ended. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** Access to a client that made the handshake itself. */
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
  /** The completed handshake. */
  readonly prior: PriorHandshake;
  createClient(sdk: Sdk): Client;
}

/** Access to a client that is connected on first use, to a server whose handshake is complete. */
export function laterClient(options: LaterClientOptions): ClientAccess {
  return new LaterClient(options);
}

/** An earlier handshake in the form that the SDK's client adopts. The client validates a modern one, and refuses an invalid one. */
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
    options.transport.whenNeeded(() => void this.get().catch(() => {})); // only the server waits for it
  }

  get(): Promise<SdkConnection> {
    if (this.#connecting === undefined) {
      const loading = loadSdk().catch((error: unknown) => {
        this.#connecting = undefined; // A failed load is tried again by the next caller.
        throw error;
      });
      this.#connecting = this.#connect(loading);
    }
    return this.#connecting;
  }

  onClose(listener: () => void): void {
    this.#options.transport.whenEnded(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.current?.client.close();
  }

  async #connect(loading: Promise<Sdk>): Promise<SdkConnection> {
    const { transport, prior, createClient } = this.#options;
    const sdk = await loading;
    const client = createClient(sdk);
    await client.connect(transport, { prior: sdkPrior(prior), timeout: NO_SDK_TIMEOUT_MS });
    this.current = { sdk, client };
    if (this.#isClosed) await client.close();
    else transport.deliverKept();
    return this.current;
  }
}
