import { createServer, type IncomingMessage as HttpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, type IncomingMessage, TOOLS, toolsOf } from "./answer.ts";
import { createSessions, LATENCY_MS } from "./sessions.ts";

/**
 * A server behind Streamable HTTP. Its first argument says how it answers, `json` or `sse`; with `sessions` as its second it
 * keeps sessions. `?tools=N` in the address makes it list so many tools. It prints its address, and ends when its input does.
 *
 * With sessions, it takes a while for each answer; a POST to `/forget` makes it forget them all, and a GET of `/answered` tells which
 * requests it had answered since then when the next call came.
 */
const isEventStream = process.argv[2] === "sse";
const sessions = process.argv[3] === "sessions" ? createSessions() : undefined;
const lists = new Map<string, object[]>();

const server = createServer((request, response) => {
  if (request.url === "/forget") return void response.writeHead(204).end(sessions?.forget());
  if (request.url === "/answered")
    return void sendJson(response, JSON.stringify(sessions?.answeredBeforeCall() ?? []));
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => receive(request, JSON.parse(body) as IncomingMessage, response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
process.stdin.on("end", () => process.exit()).resume();

function receive(request: HttpRequest, message: IncomingMessage, response: ServerResponse): void {
  if (sessions === undefined) return void reply(request, message, response);
  const session = sessions.sessionFor(message, request.headers["mcp-session-id"]);
  const respond = () => {
    if ("refusal" in session) return void refuse(response, session.refusal);
    sessions.noteAnswer(message);
    response.setHeader("mcp-session-id", session.id);
    reply(request, message, response);
  };
  setTimeout(respond, LATENCY_MS);
}

function reply(request: HttpRequest, message: IncomingMessage, response: ServerResponse): void {
  const text = answer(message, toolsFor(request.url ?? ""));
  if (text === undefined) return void response.writeHead(202).end();
  if (isEventStream) sendEvent(response, text);
  else sendJson(response, text);
}

/** As servers of the official SDK do: some clients look at the text. */
function refuse(response: ServerResponse, status: 400 | 404): void {
  const message = status === 404 ? "Session not found" : "Bad Request: Mcp-Session-Id header is required";
  const error = { code: status === 404 ? -32001 : -32000, message };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
}

function toolsFor(url: string): object[] {
  const [, count] = /[?&]tools=(\d+)/.exec(url) ?? [];
  if (count === undefined) return TOOLS;
  const known = lists.get(count) ?? toolsOf(Number(count));
  lists.set(count, known);
  return known;
}

function sendJson(response: ServerResponse, reply: string): void {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(reply) };
  response.writeHead(200, headers).end(reply);
}

function sendEvent(response: ServerResponse, reply: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${reply}\n\n`);
}
