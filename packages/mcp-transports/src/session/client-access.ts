import type { Client } from "@modelcontextprotocol/client";
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

/** A client that is connected to a legacy server, whose handshake is made, when it is first needed. */
export function laterClient(transport: RehearsedTransport, createClient: (sdk: Sdk) => Client): ClientAccess {
  return new LaterClient(transport, createClient);
}

class LaterClient implements ClientAccess {
  current: SdkConnection | undefined;
  readonly #transport: RehearsedTransport;
  readonly #createClient: (sdk: Sdk) => Client;
  #connecting: Promise<SdkConnection> | undefined;
  #isClosed = false;

  constructor(transport: RehearsedTransport, createClient: (sdk: Sdk) => Client) {
    this.#transport = transport;
    this.#createClient = createClient;
    transport.whenNeeded(() => void this.get().catch(() => {})); // nobody but the server waits for it
  }

  get(): Promise<SdkConnection> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  onClose(listener: () => void): void {
    this.#transport.whenEnded(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.current?.client.close();
  }

  async #connect(): Promise<SdkConnection> {
    const sdk = await loadSdk();
    const client = this.#createClient(sdk);
    await client.connect(this.#transport, { prior: { kind: "legacy" }, timeout: NO_SDK_TIMEOUT_MS });
    if (this.#isClosed) await client.close();
    this.current = { sdk, client };
    this.#transport.handOver();
    return this.current;
  }
}
