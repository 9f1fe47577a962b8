import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** A server's answer: a result, an error, silence, or the end of the connection. An `Error` makes sending fail. */
export type Reply = { readonly result?: unknown; readonly error?: unknown } | "silence" | "end" | Error;

/** A pipe transport with a server behind it that answers each method with its reply. */
export class Peer implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly pid = 1;
  readonly stderr = null;
  readonly sent: JSONRPCMessage[] = [];
  readonly #replies: { readonly [method: string]: Reply };

  constructor(replies: { readonly [method: string]: Reply }) {
    this.#replies = replies;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.sent.push(message);
    if (!("method" in message && "id" in message)) return;
    const reply = this.#replies[message.method] ?? { error: { code: -32601, message: "Method not found" } };
    if (reply instanceof Error) throw reply;
    if (reply === "end") queueMicrotask(() => this.onclose?.());
    else if (reply !== "silence") this.say({ jsonrpc: "2.0", id: message.id, ...reply });
  }

  /** Sends a message to the client in a microtask. */
  say(message: object): void {
    queueMicrotask(() => this.onmessage?.(message as JSONRPCMessage));
  }
}
