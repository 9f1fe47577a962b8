import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type HttpExchange, startHttpServer } from "../http-server.ts";
import { ECHO } from "./remote.ts";

const CALL = { timeoutMs: 0, maxTotalMs: 0 };
const CHALLENGE = { "www-authenticate": "Bearer", "retry-after": "0" };

/** A server whose stream is open once and ends at once; each later opening is dealt with by `refuse`, unless it returns `false`. */
async function startRefusing(
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

describe("the stream of a server's own messages that is refused after it has been open", () => {
  test("asks for no login, and is open again with the one that a call has made", async () => {
    let token = "old";
    const server = await startRefusing(
      ({ request, status }) => {
        if (request.headers.authorization === "Bearer new") return false;
        status(401, CHALLENGE);
        return true;
      },
      ({ request, message, status }) => {
        if (message?.method !== "tools/call" || request.headers.authorization === "Bearer new") return false;
        status(401, CHALLENGE);
        return true;
      },
    );
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      token = "new";
      return "retry";
    });
    const headers = async () => ({ authorization: `Bearer ${token}` });
    const session = await connect(server, { auth: { headers, onChallenge } });
    await server.first;
    server.endStream();
    await server.third;
    expect(onChallenge).not.toHaveBeenCalled();
    await session.request("tools/call", ECHO);
    await server.reopened;
    expect(onChallenge).toHaveBeenCalledTimes(1);
  });

  test("leaves no call waiting that was taken, and once it is open answers come by it", async () => {
    let isRefused = true;
    const server = await startRefusing(
      ({ status }) => {
        if (isRefused) status(400, { "retry-after": "1" }, "No valid session ID provided");
        return isRefused;
      },
      ({ message, status }, stream) => {
        if (message?.method !== "tools/call") return false;
        status(202);
        if (isRefused) stream?.end();
        else
          stream?.write(
            `data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [] } })}\n\n`,
          );
        return true;
      },
    );
    const session = await connect(server);
    await server.first;
    const openings = () => server.log.filter(({ what }) => what === "GET").length;
    const unknown = { code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" };
    // The first waits for the stream until it is refused; of the second it is known by then.
    expect(await failureOf(session.request("tools/call", ECHO, CALL))).toMatchObject(unknown);
    expect(await failureOf(session.request("tools/call", ECHO, CALL))).toMatchObject(unknown);
    expect(openings()).toBe(2);
    isRefused = false;
    await server.reopened;
    expect((await session.request("tools/call", ECHO, CALL)).content).toEqual([]);
  });
});

test("a stream of a server's own messages whose login fails asks for no other", async () => {
  let openings = 0;
  const again = Promise.withResolvers<void>();
  const server = await startHttpServer(({ request, status }) => {
    if (request.method !== "GET") return false;
    openings += 1;
    if (openings === 2) again.resolve();
    status(401, CHALLENGE);
    return true;
  });
  const onChallenge = vi.fn<AuthPort["onChallenge"]>(() => Promise.reject(new Error("Nobody is there.")));
  const session = await connect(server, { auth: { headers: async () => ({}), onChallenge } });
  await again.promise;
  await session.request("tools/call", ECHO);
  expect(onChallenge).toHaveBeenCalledTimes(1);
});
