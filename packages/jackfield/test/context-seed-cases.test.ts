import type { AuthPort } from "@jackfield/mcp-core";
import { createInProcessFaultServer, startHttpFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer } from "./fixture.ts";

useLeakCheck();
afterEach(() => void vi.useRealTimers());

const QUIET = { discover: false, cache: false, retry: { maxRetries: 0 } } as const;

/** A stdio server whose second page of tools fails. */
const TWO_PAGES = `
  const answer = (id, rest) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
  const error = { code: -32603, message: "The next page is lost." };
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (method === "initialize")
      answer(id, { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
    else if (method === "tools/list" && params.cursor === undefined)
      answer(id, { result: { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor: "cursor-with-a-secret" } });
    else if (method === "tools/list") answer(id, { error });
    else if (id !== undefined) answer(id, { error: { code: -32601, message: "Not here." } });
  });`;

describe("cases from earlier runtimes", () => {
  it("[L12] the error of a later page does not contain its cursor", async () => {
    const logged: unknown[] = [];
    const servers = { s: scriptServer(TWO_PAGES) };
    const mcp = await openMcp({ ...QUIET, servers, log: (...entry) => logged.push(entry) });
    try {
      expect(mcp.report.failed.concat(mcp.report.ready as never)).toHaveLength(1);
      const [shown] = mcp.servers();
      expect(shown?.error?.message).toContain("The next page is lost.");
      expect(JSON.stringify([shown, mcp.report, logged])).not.toContain("cursor-with-a-secret");
      expect(mcp.tools()).toEqual([]);
    } finally {
      await mcp.close();
    }
  });

  it("[T18] a connectTimeoutMs above one minute is not cut short", async () => {
    vi.useFakeTimers();
    const server = createInProcessFaultServer({ answerLateMs: { initialize: 80_000 } });
    const opening = openMcp({
      ...QUIET,
      servers: { s: { server: server as never, connectTimeoutMs: 90_000 } },
    });
    await vi.waitFor(() => expect(server.received.map(({ method }) => method)).toContain("initialize"));
    await vi.advanceTimersByTimeAsync(80_000);
    const mcp = await opening;
    expect(mcp.report.ready).toMatchObject([{ name: "s" }]);
    vi.useRealTimers();
    await mcp.close();
  });

  it("[T6] resuming a stream with an expired token gets a new token and does not repeat the call", async () => {
    await using remote = await startHttpFaultServer({
      answer: "sse",
      eventIds: true,
      progress: 3,
      answerLateMs: { "tools/call": 40 },
      on: {
        "tools/call": { endAfterEvents: 1, retryMs: 0 },
        GET: { skip: 1, times: 1, reply: { status: 401 } }, // The first one is the server's standing stream.
      },
    });
    const challenged: number[] = [];
    const auth: AuthPort = {
      headers: async () => ({ authorization: `Bearer token-${challenged.length}` }),
      onChallenge: async (_server, { status }) => {
        challenged.push(status);
        return "retry";
      },
    };
    const mcp = await openMcp({ ...QUIET, servers: { s: { url: remote.url } }, auth });
    try {
      await remote.until(() => remote.requests.some(({ method }) => method === "GET"));
      const answer = await mcp.callTool({ server: "s", tool: "echo" }, { message: "once" });
      expect(JSON.stringify(answer.content)).toContain("once");
      expect(challenged).toEqual([401]);
      const calls = remote.requests.filter(({ body }) => body?.method === "tools/call");
      expect(calls).toHaveLength(1);
      const resumed = remote.requests.filter(({ headers }) => headers["last-event-id"] !== undefined);
      expect(resumed.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer token-0",
        "Bearer token-1",
      ]);
    } finally {
      await mcp.close();
    }
  });
});
