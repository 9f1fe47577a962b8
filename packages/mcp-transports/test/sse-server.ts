import type { ServerResponse } from "node:http";
import { type HttpExchange, startHttpServer } from "./http-server.ts";

/** A server of the older transport: it answers every request, by its one stream, with the members that are returned for it. */
export async function startSseServer(membersOf: (message: HttpExchange["message"]) => object) {
  let stream: ServerResponse | undefined;
  const server = await startHttpServer(({ request, response, message }) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /post\n\n");
      return true;
    }
    response.writeHead(202).end();
    if (message.id !== undefined)
      stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...membersOf(message) })}\n\n`);
    return true;
  });
  return { ...server, transport: "sse" as const };
}
