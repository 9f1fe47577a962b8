import type { JsonObject } from "@jackfield/mcp-core";
import type { HttpFaultScript } from "../../src/servers/http-fault-script.ts";
import { type HttpFaultServer, startHttpFaultServer } from "../../src/servers/http-fault-server.ts";
import type { RpcMessage } from "../../src/servers/rpc-message.ts";
import { atEnd } from "../cleanup.ts";

/** The `_meta` that a modern client sends with every request. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What a correct client sends. */
const POST_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** One event of a stream, field by field. */
export interface RawEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  readonly retry?: string;
  /** A comment. */
  readonly ""?: string;
}

/** A server and a plain HTTP client. Both are closed when the test ends. */
export interface RawHttp {
  readonly server: HttpFaultServer;
  post(
    message: Omit<RpcMessage, "jsonrpc">,
    headers?: Record<string, string>,
    url?: string,
  ): Promise<Response>;
  get(headers?: Record<string, string>): Promise<Response>;
  /** Calls `echo` with these arguments. */
  call(id: number, args?: JsonObject, headers?: Record<string, string>): Promise<Response>;
  /** Sends `initialize` only. Resolves with the headers that name the session. */
  openSession(): Promise<Record<string, string>>;
  /** Aborts every pending request. */
  abort(): void;
}

export async function startRawHttp(script: HttpFaultScript = {}): Promise<RawHttp> {
  const server = await startHttpFaultServer(script);
  const controller = new AbortController();
  atEnd(async () => {
    controller.abort();
    await server.close();
  });
  const post: RawHttp["post"] = (message, headers = {}, url = server.url) =>
    fetch(url, {
      method: "POST",
      headers: { ...POST_HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      signal: controller.signal,
      redirect: "manual",
    });
  return {
    server,
    post,
    get: (headers = {}) =>
      fetch(server.url, { headers: { accept: "text/event-stream", ...headers }, signal: controller.signal }),
    call: (id, args = {}, headers = {}) =>
      post({ id, method: "tools/call", params: { name: "echo", arguments: args } }, headers),
    async openSession() {
      const response = await post({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } });
      await response.text();
      return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
    },
    abort: () => controller.abort(),
  };
}

/** The events of a stream, one at a time, comments and bare fields included. */
export async function* eventsOf(response: Response): AsyncGenerator<RawEvent> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${text}${chunk}`.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield Object.fromEntries(block.split("\n").map(fieldOf)) as RawEvent;
  }
}

/** The messages of a stream, one at a time. */
export async function* messagesOf(response: Response): AsyncGenerator<RpcMessage> {
  for await (const { data = "" } of eventsOf(response)) if (data !== "") yield JSON.parse(data) as RpcMessage;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
