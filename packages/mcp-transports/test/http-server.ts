import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ResolvedRemoteServer, ServerLimits } from "@jackfield/mcp-core";
import { atEnd } from "./cleanup.ts";

/** One request as the server got it; `message` is the JSON-RPC message of a POST. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the message it waits for
  readonly message: any;
  answer(result: object, headers?: Record<string, string>): void;
  status(code: number, headers?: Record<string, string>, body?: string): void;
}

/** True if it has dealt with the request itself; else a small, honest server of the legacy era answers. */
export type HttpScript = (exchange: HttpExchange) => boolean | undefined;

export interface RunningHttpServer extends ResolvedRemoteServer {
  /** What arrived, as `POST tools/call` or `DELETE`, with its headers. */
  readonly log: { readonly what: string; readonly headers: IncomingMessage["headers"] }[];
  stop(): Promise<void>;
}

export interface HttpOptions {
  readonly headers?: Record<string, string>;
  readonly limits?: ServerLimits;
  readonly secrets?: readonly string[];
}

const JSON_TYPE = { "content-type": "application/json" };

/** A server on a free port of this machine, gone when the test ends. */
export async function startHttpServer(
  script: HttpScript = () => false,
  options: HttpOptions = {},
): Promise<RunningHttpServer> {
  const log: RunningHttpServer["log"] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const message = body ? JSON.parse(body) : undefined;
    log.push({ what: [request.method, message?.method].filter(Boolean).join(" "), headers: request.headers });
    const exchange = createExchange(request, response, message);
    if (!script(exchange)) answerHonestly(exchange);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => stopServer(server);
  atEnd(stop);
  const { port } = server.address() as AddressInfo;
  const { headers = {}, limits, secrets = [] } = options;
  return {
    transport: "http",
    name: "remote",
    url: `http://127.0.0.1:${port}/mcp`,
    headers,
    limits,
    secrets,
    log,
    stop,
  };
}

/** Deals with every request of a method; with the others the honest server does. */
export function on(method: string, act: (exchange: HttpExchange) => void): HttpScript {
  return (exchange) => {
    if (exchange.message?.method !== method) return undefined;
    act(exchange);
    return true;
  };
}

function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  message: HttpExchange["message"],
): HttpExchange {
  const status: HttpExchange["status"] = (code, headers, body = "") =>
    void response.writeHead(code, headers).end(body);
  return {
    request,
    response,
    message,
    status,
    answer: (result, headers) =>
      status(200, { ...JSON_TYPE, ...headers }, JSON.stringify({ jsonrpc: "2.0", id: message.id, result })),
  };
}

const RESULTS: { readonly [method: string]: object } = {
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "done" }] },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "remote", version: "1.0.0" },
  },
};

function answerHonestly({ request, message, answer, status }: HttpExchange): void {
  const result = RESULTS[message?.method];
  const error = { code: -32601, message: "Method not found" };
  if (request.method === "DELETE") status(200);
  else if (request.method !== "POST") status(405);
  else if (result) answer(result, message.method === "initialize" ? { "mcp-session-id": "session-1" } : {});
  else if (message.id === undefined) status(202);
  else status(200, JSON_TYPE, JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
