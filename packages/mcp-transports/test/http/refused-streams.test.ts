import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type HttpExchange, startHttpServer } from "../http-server.ts";
import { CHALLENGE, renewing, startRefusing } from "./refusing-server.ts";
import { ECHO } from "./remote.ts";

const never = { signal: new AbortController().signal };
const CALL = { timeoutMs: 0, maxTotalMs: 0 };

describe("a GET stream that is refused after it was open", () => {
  test("starts no login, and reopens after a call has logged in", async () => {
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

  test("leaves accepted calls with an unknown outcome, and delivers answers once it reopens", async () => {
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
    // The first call waits until the stream is refused; for the second, the refusal is already known.
    expect(await failureOf(session.request("tools/call", ECHO, CALL))).toMatchObject(unknown);
    expect(await failureOf(session.request("tools/call", ECHO, CALL))).toMatchObject(unknown);
    expect(openings()).toBe(2);
    isRefused = false;
    await server.reopened;
    expect((await session.request("tools/call", ECHO, CALL)).content).toEqual([]);
  });
});

describe("the first opening of the server's GET stream", () => {
  test.each([
    ["is refused with 503", ({ status }: HttpExchange) => status(503, { "retry-after": "0" })],
    ["breaks", ({ request }: HttpExchange) => request.socket.destroy()],
  ])("that %s leaves the login to the next opening", async (_, spoil) => {
    let gets = 0;
    const opened = Promise.withResolvers<void>();
    const server = await startHttpServer((exchange) => {
      const { request, response, status } = exchange;
      if (request.method !== "GET") return false;
      gets += 1;
      if (gets === 1) spoil(exchange);
      else if (request.headers.authorization !== "Bearer new") status(401, CHALLENGE);
      else {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
        opened.resolve();
      }
      return true;
    });
    const auth = renewing(async () => "new");
    await connect(server, { auth });
    await opened.promise;
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("without a login is repeated as soon as a call has logged in", async () => {
    let token = "none";
    let mayLogIn = false;
    const refused = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const server = await startHttpServer(({ request, response, message, status }) => {
      const isGood = request.headers.authorization === "Bearer good";
      if (request.method !== "GET") {
        if (message?.method !== "tools/call" || isGood) return false;
        status(401, CHALLENGE);
        return true;
      }
      if (isGood) {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
        opened.resolve();
      } else {
        status(401, { "www-authenticate": "Bearer", "retry-after": "30" });
        refused.resolve();
      }
      return true;
    });
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      if (!mayLogIn) return "fail";
      token = "good";
      return "retry";
    });
    const headers = async () => ({ authorization: `Bearer ${token}` });
    const session = await connect(server, { auth: { headers, onChallenge } });
    await refused.promise;
    await vi.waitUntil(() => onChallenge.mock.calls.length === 1);
    mayLogIn = true;
    await session.request("tools/call", ECHO);
    await opened.promise;
    expect(onChallenge).toHaveBeenCalledTimes(2);
  });

  test("in a renewed session starts no further login, and uses the login of a call", async () => {
    let accepted = "Bearer old";
    let isForgotten = false;
    const opened = [1, 2].map(() => Promise.withResolvers<void>());
    let openings = 0;
    const server = await startHttpServer(({ request, response, message, status }) => {
      const isGood = request.headers.authorization === accepted;
      if (request.method === "GET") {
        if (isGood) {
          response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n");
          opened[openings++]?.resolve();
        } else status(401, { "www-authenticate": "Bearer", "retry-after": "30" });
        return true;
      }
      if (message?.method === "tools/list" && isForgotten) {
        isForgotten = false;
        accepted = "Bearer third";
        status(404);
        return true;
      }
      if (message?.method !== "tools/call" || isGood) return false;
      status(401, CHALLENGE);
      return true;
    });
    const tokens = ["none", "old", "third"];
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      tokens.shift();
      return "retry";
    });
    const headers = async () => ({ authorization: `Bearer ${tokens[0]}` });
    const session = await connect(server, { auth: { headers, onChallenge } });
    await opened[0]?.promise;
    isForgotten = true;
    const before = server.log.length;
    await session.list("tools", never);
    await vi.waitUntil(() => server.log.slice(before).some(({ what }) => what === "GET"));
    expect(onChallenge).toHaveBeenCalledTimes(1);
    await session.request("tools/call", ECHO);
    await opened[1]?.promise;
    expect(onChallenge).toHaveBeenCalledTimes(2);
  });
});

test("the server's GET stream starts no second login after one has failed", async () => {
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
