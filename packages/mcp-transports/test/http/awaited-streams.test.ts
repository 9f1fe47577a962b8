import type { ServerResponse } from "node:http";
import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import type { HttpExchange } from "../http-server.ts";
import { CHALLENGE, renewing, startRefusing } from "./refusing-server.ts";
import { ECHO } from "./remote.ts";

const CALL = { timeoutMs: 0, maxTotalMs: 0 };

/** Starts a server that answers calls only on its GET stream, verifies every token, and requires another one after `expire`. */
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
        // The client closes the connection once it has read the refusal.
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
    /** Resolves when the client has read the refusal of its stream. */
    refused: isRefused.promise,
    held: isHeld.promise,
    /** Requires another token from now on, and ends the stream. */
    expire(options: { readonly holdsRefusal?: boolean } = {}) {
      accepted = "Bearer new";
      isHolding = options.holdsRefusal === true;
      server.endStream();
    },
    /** Sends the refusal that `holdsRefusal` held back. */
    release: () => held?.(),
  };
}

describe("a call whose answer arrives on the server's GET stream", () => {
  test("is answered even if the token expires and the stream breaks off during the call", async () => {
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

  test("is answered if the stream was refused before the call renewed the token", async () => {
    const server = await startAnsweringLate();
    const auth = renewing(async () => "new");
    const session = await connect(server, { auth });
    await server.first;
    server.expire();
    await server.refused;
    expect((await session.request("tools/call", ECHO, CALL)).content).toEqual([]);
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("is answered if the refusal of the stream arrives after the call renewed the token", async () => {
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

  test("is answered if the stream was refused and the host has a new token without a challenge", async () => {
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
    ["brings a token that is refused", async () => "other"],
  ])("has an unknown outcome if the one login for the stream %s", async (_, grant) => {
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
