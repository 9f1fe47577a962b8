import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { vi } from "vitest";
import { type HttpExchange, startHttpServer } from "../http-server.ts";

export const CHALLENGE = { "www-authenticate": "Bearer", "retry-after": "0" };

/** Starts a server whose GET stream opens once, until `endStream`. `refuse` handles later openings, unless it returns `false`. */
export async function startRefusing(
  refuse: (exchange: HttpExchange) => boolean,
  onPost: (exchange: HttpExchange, stream: ServerResponse | undefined) => boolean = () => false,
) {
  let stream: ServerResponse | undefined;
  let openings = 0;
  const opened = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const reopened = Promise.withResolvers<void>();
  const server = await startHttpServer((exchange) => {
    const { request, response } = exchange;
    if (request.method !== "GET") return onPost(exchange, stream);
    opened[openings]?.resolve();
    openings += 1;
    if (openings > 1) {
      if (refuse(exchange)) return true;
      reopened.resolve();
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 0\n\n");
    stream = response;
    return true;
  });
  const [first, , third] = opened.map(({ promise }) => promise);
  return { ...server, first, third, reopened: reopened.promise, endStream: () => stream?.end() };
}

/** An auth port that replaces its token by what `grant` returns whenever it is challenged. */
export function renewing(grant: () => Promise<string>) {
  let token = "old";
  const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
    token = await grant();
    return "retry";
  });
  return { headers: async () => ({ authorization: `Bearer ${token}` }), onChallenge };
}
