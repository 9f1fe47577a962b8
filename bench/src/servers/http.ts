import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, type IncomingMessage } from "./answer.ts";

/**
 * A server behind Streamable HTTP, without sessions. Its argument says how it answers: `json` or `sse`. It prints its URL, and
 * ends when its input does.
 */
const isEventStream = process.argv[2] === "sse";

const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const reply = answer(JSON.parse(body) as IncomingMessage);
    if (reply === undefined) return void response.writeHead(202).end();
    return isEventStream ? sendEvent(response, reply) : sendJson(response, reply);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
process.stdin.on("end", () => process.exit()).resume();

function sendJson(response: ServerResponse, reply: string): void {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(reply) };
  response.writeHead(200, headers).end(reply);
}

function sendEvent(response: ServerResponse, reply: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${reply}\n\n`);
}
