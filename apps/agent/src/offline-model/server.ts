import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { completionBody, completionChunks } from "./chat-completion.ts";
import { OFFLINE_MODEL, replyTo } from "./chat-reply.ts";
import { BadChatRequest, parseChatRequest } from "./chat-request.ts";

/** A running offline model. */
export interface OfflineModel {
  /** What an OpenAI-compatible client takes as its base URL; it ends in `/v1`. */
  readonly baseUrl: string;
  /** Stops listening and ends open connections. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Conversations with images are long; no legitimate one is longer than this. */
const LONGEST_BODY_BYTES = 32 * 1024 * 1024;

/**
 * Starts a small OpenAI-compatible endpoint on a free port of 127.0.0.1. It is a stand-in and says so: it picks tools by
 * rule, so that the agent runs without key and network. It answers `POST /v1/chat/completions`, streamed or not, and
 * `GET /v1/models`.
 */
export async function startOfflineModel(): Promise<OfflineModel> {
  const count = counter();
  const server = createServer((request, response) => {
    answer(request, response, count).catch((error: unknown) => refuse(response, error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeServer(server);
    return closed;
  };
  return { baseUrl: `http://127.0.0.1:${portOf(server)}/v1`, close, [Symbol.asyncDispose]: close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  count: () => number,
): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0];
  if (request.method === "GET" && path === "/v1/models") {
    const model = { id: OFFLINE_MODEL, object: "model", created: 0, owned_by: "jackfield" };
    sendJson(response, 200, { object: "list", data: [model] });
  } else if (request.method === "POST" && path === "/v1/chat/completions") {
    complete(await readBody(request), response, count());
  } else {
    sendError(response, 404, `There is no ${request.method} ${path} here.`);
  }
}

function complete(body: string, response: ServerResponse, number: number): void {
  const request = parseChatRequest(body);
  const reply = replyTo(request);
  const stamp = { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000) };
  if (!request.stream) {
    sendJson(response, 200, completionBody(request, reply, stamp));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const chunk of completionChunks(request, reply, stamp)) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LONGEST_BODY_BYTES) throw new BadChatRequest("The body is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Sends the error, unless the client has hung up or the response has begun. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) response.destroy();
  else if (error instanceof BadChatRequest) sendError(response, 400, error.message);
  else sendError(response, 500, "The offline model failed.");
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  sendJson(response, status, { error: { message, type, param: null, code: null } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The offline model has no port.");
  return address.port;
}

function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}
