import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { gone } from "../processes.ts";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";

/** Makes the requests that a call's arguments name, and answers the call with the client's answers once all have come. */
const asking = (): ScriptedServer =>
  scriptedServer((message, { send }) => {
    const state = globalThis as { call?: number | string | undefined; open?: number; replies?: object[] };
    if (message.method === "tools/call") {
      const { requests } = message.params.arguments;
      Object.assign(state, { call: message.id, open: requests.length, replies: [] });
      for (const { id = message.id, ...request } of requests) send({ id, ...request });
      return true;
    }
    const { id, method, ...reply } = message;
    if (method !== undefined || !state.replies) return undefined;
    state.replies.push({ isPending: id === state.call, id, ...reply });
    const result = { content: [], structuredContent: { replies: state.replies } };
    if (state.replies.length === state.open) send({ id: state.call, result });
    return true;
  });

/** The client's answers to the requests; a request without an id gets that of the pending call. */
async function repliesTo(...requests: object[]): Promise<unknown> {
  const session = await connect(asking());
  const { structuredContent } = await session.request("tools/call", { name: "ask", arguments: { requests } });
  return (structuredContent as { readonly replies: unknown }).replies;
}

describe("a request from a local server", () => {
  test("[N14] is answered with an empty result if it is a ping", async () => {
    expect(await repliesTo({ id: "a", method: "ping" })).toEqual([
      { isPending: false, jsonrpc: "2.0", id: "a", result: {} },
    ]);
  });

  test("[N14] is answered during the handshake", async () => {
    const server = scriptedServer((message, { send }) => {
      if (message.method === "initialize") send({ id: "early", method: "ping" });
      return false;
    });
    const session = await connect(server);
    await session.request("tools/call", { name: "echo" });
    const replies = server.received().filter(({ id }) => id === "early");
    expect(replies).toEqual([{ jsonrpc: "2.0", id: "early", result: {} }]);
  });

  test.each(["roots/list", "sampling/createMessage", "elicitation/create", "made/up"])(
    "[N16] %s without a handler is refused with -32601",
    async (method) => {
      expect(await repliesTo({ id: "a", method, params: {} })).toMatchObject([
        { id: "a", error: { code: -32601 } },
      ]);
    },
  );

  test("[N17] with the id of the pending call is answered and does not resolve the call", async () => {
    const replies = await repliesTo({ method: "ping" }, { method: "made/up" }, { id: "a", method: "ping" });
    expect(replies).toHaveLength(3);
    expect(replies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ isPending: true, result: {} }),
        expect.objectContaining({ isPending: true, error: expect.objectContaining({ code: -32601 }) }),
        expect.objectContaining({ isPending: false, id: "a", result: {} }),
      ]),
    );
  });

  test("[N18] with the id 0 is answered", async () => {
    expect(await repliesTo({ id: 0, method: "ping" })).toEqual([
      { isPending: false, jsonrpc: "2.0", id: 0, result: {} },
    ]);
  });

  describe("[T88] sent without end by a server that reads no answers", () => {
    const flooding = (isBatch: boolean) =>
      scriptedServer(
        (message, { process }) => {
          if (message.method !== "tools/call") return undefined;
          process.stdin.pause();
          let id = 0;
          const ping = () => ({ jsonrpc: "2.0", id: ++id, method: "ping" });
          const line = () => JSON.stringify(process.env.BATCH ? Array.from({ length: 500 }, ping) : ping());
          const ask = () => process.stdout.write(`${line()}\n`.repeat(10), () => setImmediate(ask));
          ask();
          return true;
        },
        { env: isBatch ? { BATCH: "yes" } : {} },
      );

    test.each([
      ["one by one", false],
      ["in batches", true],
    ])("ends the session and the server: %s", async (_, isBatch) => {
      const server = flooding(isBatch);
      const session = await connect(server);
      const closed = new Promise((resolve) => session.onClose(resolve));
      const error = await failureOf(session.request("tools/call", { name: "ask" }, { timeoutMs: 0 }));
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown", tool: "ask" });
      expect(await closed).toMatchObject({
        code: "MCP_LIMIT_EXCEEDED",
        message: expect.stringContaining("sent more than 1000 requests without reading an answer"),
      });
      await gone(...server.starts());
    });

    test("fails the connect if it starts during the handshake", async () => {
      const server = scriptedServer((message, { process, send }) => {
        if (message.method !== "initialize") return undefined;
        process.stdin.pause();
        const ask = () => {
          for (let id = 0; id < 100; id += 1) send({ id, method: "ping" });
          setImmediate(ask);
        };
        ask();
        return true;
      });
      const error = await failToConnect(server);
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "handshake" });
      expect(error.message).toContain("Report this to its developers.");
      await gone(...server.starts());
    });

    test("does not end the session if an id is too long to be answered", async () => {
      expect(await repliesTo({ id: "a".repeat(1024), method: "ping" })).toHaveLength(1);
      const session = await connect(
        scriptedServer((message, { send }) => {
          if (message.method === "tools/call") send({ id: "a".repeat(1025), method: "ping" });
          return false;
        }),
      );
      await session.request("tools/call", { name: "echo" });
      expect(await session.request("ping", undefined)).toEqual({});
    });
  });

  test("[N19] logs no error if the server exits before the answer", async () => {
    const answered = Promise.withResolvers<void>();
    const lost = Promise.withResolvers<void>();
    const roots = vi.fn(async () => {
      await lost.promise;
      answered.resolve();
      return [];
    });
    const log = vi.fn();
    const server = scriptedServer((message, { send, process }) => {
      if (message.method !== "tools/call") return undefined;
      send({ id: "a", method: "roots/list" });
      process.stdout.write("", () => process.exit(1));
      return true;
    });
    const session = await connect(server, { handlers: { roots }, log });
    session.onClose(() => lost.resolve());
    const error = await failureOf(session.request("tools/call", { name: "ask" }));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    await answered.promise;
    await session.close();
    expect(roots).toHaveBeenCalledOnce();
    expect(log.mock.calls.filter(([level]) => level === "error")).toEqual([]);
  });
});
