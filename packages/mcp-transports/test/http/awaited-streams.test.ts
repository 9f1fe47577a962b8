import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import type { HttpExchange } from "../http-server.ts";
import { CHALLENGE, renewing, startRefusing } from "./refusing-server.ts";
import { ECHO } from "./remote.ts";

const CALL = { timeoutMs: 0, maxTotalMs: 0 };

/** A server that answers calls by its own stream alone, once the token of each request is good, and accepts another token when it is told. */
async function startAnsweringLate() {
  let accepted = "Bearer old";
  let held: (() => void) | undefined;
  let isHolding = false;
  const taken: unknown[] = [];
  const isTaken = Promise.withResolvers<void>();
  const isRefused = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const isGood = ({ request }: HttpExchange) => request.headers.authorization === accepted;
  const answerAll = (stream: ServerResponse) => {
    for (const id of taken.splice(0))
      stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`);
  };
  const server = await startRefusing(
    (exchange) => {
      if (isGood(exchange)) {
        queueMicrotask(() => answerAll(exchange.response));
        return false;
      }
      const refuse = () => {
        // Its connection is closed by the client, which has read the refusal then.
        exchange.request.socket.once("close", () => isRefused.resolve());
        exchange.status(401, { "www-authenticate": "Bearer", "retry-after": "30", connection: "close" });
      };
      if (isHolding) held = refuse;
      else refuse();
      isHeld.resolve();
      return true;
    },
    (exchange) => {
      if (exchange.message?.method !== "tools/call") return false;
      if (!isGood(exchange)) {
        exchange.status(401, CHALLENGE);
        return true;
      }
      taken.push(exchange.message.id);
      exchange.status(202);
      isTaken.resolve();
      return true;
    },
  );
  return {
    ...server,
    taken: isTaken.promise,
    /** The client has heard that its stream is refused. */
    refused: isRefused.promise,
    held: isHeld.promise,
    /** From now on another token is asked for, and the stream breaks off. */
    expire(options: { readonly holdsRefusal?: boolean } = {}) {
      accepted = "Bearer new";
      isHolding = options.holdsRefusal === true;
      server.endStream();
    },
    /** Sends the refusal that was held back. */
    release: () => held?.(),
  };
}

describe("a call whose answer comes by the stream of the server's own messages", () => {
  test("is answered though the token has expired and the stream broke off while it was under way", async () => {
    const server = await startAnsweringLate();
    const auth = renewing(async () => "new");
    const session = await connect(server, { auth });
    await server.first;
    const call = session.request("tools/call", ECHO, CALL);
    await server.taken;
    server.expire();
    expect((await call).content).toEqual([]);
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is answered by the stream that was refused before the call itself met the challenge", async () => {
    const server = await startAnsweringLate();
    const auth = renewing(async () => "new");
    const session = await connect(server, { auth });
    await server.first;
    server.expire();
    await server.refused;
    expect((await session.request("tools/call", ECHO, CALL)).content).toEqual([]);
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is answered though the refusal of the stream was on its way while the call met the challenge", async () => {
    const server = await startAnsweringLate();
    const auth = renewing(async () => "new");
    const session = await connect(server, { auth });
    await server.first;
    server.expire({ holdsRefusal: true });
    await server.held;
    const call = session.request("tools/call", ECHO, CALL);
    await server.taken;
    server.release();
    expect((await call).content).toEqual([]);
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is answered though the stream was refused, and the call taken with a token from elsewhere", async () => {
    const server = await startAnsweringLate();
    let token = "old";
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => "fail");
    const session = await connect(server, {
      auth: { headers: async () => ({ authorization: `Bearer ${token}` }), onChallenge },
    });
    await server.first;
    server.expire();
    await server.refused;
    token = "new";
    expect((await session.request("tools/call", ECHO, CALL)).content).toEqual([]);
  });

  test.each([
    ["fails", () => Promise.reject(new Error("Nobody is there."))],
    ["brings nothing that is taken", async () => "other"],
  ])("has an unknown outcome, after one login for it, if that %s", async (_, grant) => {
    const server = await startAnsweringLate();
    const auth = renewing(grant);
    const session = await connect(server, { auth });
    await server.first;
    const call = failureOf(session.request("tools/call", ECHO, CALL));
    await server.taken;
    server.expire();
    expect(await call).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });
});
