import type { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";
import { ECHO } from "./remote.ts";

const HANDSHAKE = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "remote", version: "1" },
};

/** Starts a server that accepts answers only when the test releases them, over either transport. */
async function startAsking(transport: "http" | "sse") {
  let stream: ServerResponse | undefined;
  let answers = 0;
  const held: ServerResponse[] = [];
  const say = (message: object) =>
    stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const answerByStream = ({ id, method }: { id?: number; method: string }) => {
    if (method === "initialize") say({ id, result: HANDSHAKE });
    else if (method === "tools/call") say({ id, result: { content: [] } });
    else if (id !== undefined) say({ id, error: { code: -32601, message: "Method not found" } });
  };
  const server = await startHttpServer(({ request, response, message }) => {
    if (request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(transport === "sse" ? "event: endpoint\ndata: /mcp\n\n" : ": open\n\n");
      return true;
    }
    if (request.method === "POST" && message.method === undefined) {
      answers += 1;
      held.push(response);
      return true;
    }
    if (transport === "http") return false;
    response.writeHead(202).end();
    answerByStream(message);
    return true;
  });
  const ping = (times: number) => {
    for (let n = 0; n < times; n += 1) say({ id: `ping-${n}`, method: "ping" });
  };
  const session = await connect({ ...server, transport });
  await vi.waitUntil(() => stream !== undefined);
  return { session, ping, held, answers: () => answers };
}

describe.each(["http", "sse"] as const)(
  "[T88] a server that sends requests and accepts no answers (%s)",
  (way) => {
    test("holds at most 16 connections, and gets every answer once it accepts them", async () => {
      const { session, ping, held, answers } = await startAsking(way);
      ping(100);
      await vi.waitUntil(() => held.length === 16);
      expect((await session.request("tools/call", ECHO)).content).toBeDefined();
      expect(held).toHaveLength(16);
      while (answers() < 100 || held.length > 0) {
        held.shift()?.writeHead(202).end();
        await new Promise(setImmediate);
        expect(held.length).toBeLessThanOrEqual(16);
      }
      expect(answers()).toBe(100);
    });

    test("is disconnected after 1000 requests without reading an answer", async () => {
      const { session, ping, held } = await startAsking(way);
      const closed = new Promise((resolve) => session.onClose(resolve));
      ping(1500);
      expect(await closed).toMatchObject({
        code: "MCP_LIMIT_EXCEEDED",
        message: expect.stringContaining(
          'Server "remote" sent more than 1000 requests without reading an answer',
        ),
      });
      expect(held.length).toBeLessThanOrEqual(16);
      const error = await failureOf(session.request("tools/call", ECHO));
      expect(error).toMatchObject({ outcome: "not-sent" });
      await session.close();
    });
  },
);
