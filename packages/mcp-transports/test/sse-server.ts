import type { ServerResponse } from "node:http";
import { type HttpExchange, type HttpScript, startHttpServer } from "./http-server.ts";

/**
 * A server of the HTTP+SSE transport: it answers every request over its session's stream, with the members returned for it.
 * It does not answer a request that the script handles. `endpointOf` returns the endpoint of the session with a number.
 */
export async function startSseServer(
  membersOf: (message: HttpExchange["message"]) => object,
  script: HttpScript = () => false,
  endpointOf: (count: number) => string = (count) => `/post/${count}`,
) {
  const streams = new Map<string | undefined, ServerResponse>();
  const server = await startHttpServer((exchange) => {
    const { request, response, message } = exchange;
    if (request.method === "GET") {
      const endpoint = endpointOf(streams.size);
      streams.set(endpoint, response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      return true;
    }
    if (script(exchange)) return true;
    response.writeHead(202).end();
    const answer = { jsonrpc: "2.0", id: message.id, ...membersOf(message) };
    if (message.id !== undefined) streams.get(request.url)?.write(`data: ${JSON.stringify(answer)}\n\n`);
    return true;
  });
  const endFirstStream = () => void streams.get(endpointOf(0))?.end();
  return { ...server, transport: "sse" as const, endFirstStream };
}
