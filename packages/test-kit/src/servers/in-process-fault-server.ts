import { createFaultBrain } from "./fault-brain.ts";
import type { ConversationScript } from "./fault-script.ts";
import type { RpcMessage } from "./rpc-message.ts";

/** The part of an SDK transport that the server needs. */
export interface InProcessTransport {
  onmessage?: ((message: RpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: RpcMessage): Promise<void>;
  close(): Promise<void>;
}

/** A server in this process, which connects to a transport like the servers of the SDK. */
export interface InProcessFaultServer {
  /** Every message since the server was made, in order of arrival. */
  readonly received: readonly RpcMessage[];
  connect(transport: InProcessTransport): Promise<void>;
  /** Closes its transport. Idempotent. */
  close(): Promise<void>;
}

/** Makes a server that follows the script. It serves one transport at a time. */
export function createInProcessFaultServer(script: ConversationScript = {}): InProcessFaultServer {
  return new ScriptedServer(script);
}

class ScriptedServer implements InProcessFaultServer {
  readonly received: RpcMessage[] = [];
  readonly #script: ConversationScript;
  readonly #timers = new Set<NodeJS.Timeout>();
  #transport: InProcessTransport | undefined;

  constructor(script: ConversationScript) {
    this.#script = script;
  }

  async connect(transport: InProcessTransport): Promise<void> {
    if (this.#transport) throw new Error("The server is connected already.");
    this.#transport = transport;
    const brain = createFaultBrain(this.#script);
    transport.onmessage = (message) => {
      this.received.push(message);
      for (const step of brain.receive(message)) this.#sendAfter(step.afterMs, step.message);
    };
    transport.onclose = () => this.#forget();
    await transport.start();
  }

  async close(): Promise<void> {
    await this.#transport?.close();
  }

  /** Always sends asynchronously, as a remote server would. */
  #sendAfter(delayMs: number, message: RpcMessage): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#transport?.send(message);
    }, delayMs);
    this.#timers.add(timer);
  }

  #forget(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#transport = undefined;
  }
}
