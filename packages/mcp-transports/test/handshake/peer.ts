import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** An answer of a server: a result, an error, silence, or the end of the conversation. */
export type Reply = { readonly result?: unknown; readonly error?: unknown } | "silence" | "end" | Error;

/** A server at the other end of a transport that is a pipe, which answers each method as it is told. */
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

  /** Says something to the client, in a turn of its own. */
  say(message: object): void {
    queueMicrotask(() => this.onmessage?.(message as JSONRPCMessage));
  }
}
