import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { vi } from "vitest";
import { type HttpExchange, startHttpServer } from "../http-server.ts";

export const CHALLENGE = { "www-authenticate": "Bearer", "retry-after": "0" };

/** A server whose stream is open once and ends at once; each later opening is dealt with by `refuse`, unless it returns `false`. */
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

/** The port of a host that can renew its token without asking anybody, and how often it was to. */
export function renewing(grant: () => Promise<string>) {
  let token = "old";
  const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
    token = await grant();
    return "retry";
  });
  return { headers: async () => ({ authorization: `Bearer ${token}` }), onChallenge };
}
