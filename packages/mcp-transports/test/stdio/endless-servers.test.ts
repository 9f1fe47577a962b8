import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { type Script, scriptedServer } from "../scripted-server.ts";

const CALL = { name: "echo", arguments: {} };

/** Answers the given method one byte at a time, for longer than any test waits. */
const trickling = (method: string): Script => {
  const source = `(message, { process }) => {
    if (message.method !== ${JSON.stringify(method)}) return undefined;
    const line = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { text: "x".repeat(100000) } });
    let sent = 0;
    const writeNext = () => process.stdout.write(line[sent++]);
    writeNext(); // every later answer ends up in the middle of this line
    setInterval(writeNext, 10);
    return true;
  }`;
  return Object.assign(() => true, { toString: () => source }) as Script;
};

describe.concurrent("[T88] a server that sends endless output without an answer", () => {
  test("cannot keep a call alive with an answer sent byte by byte", async () => {
    const session = await connect(scriptedServer(trickling("tools/call")));
    for (const limits of [
      { timeoutMs: 150, maxTotalMs: 0 },
      { timeoutMs: 0, maxTotalMs: 150 },
    ])
      expect(await failureOf(session.request("tools/call", CALL, limits))).toMatchObject({
        code: "MCP_CALL_TIMEOUT",
        outcome: "unknown",
      });
  });

  test("cannot keep a call alive with noise, notifications and stray answers", async () => {
    const server = scriptedServer((message, { process, send }) => {
      if (message.method !== "tools/call") return undefined;
      setInterval(() => {
        process.stdout.write("still working …\n");
        send({ method: "vendor/still", params: {} });
        send({ id: "nobody's", result: {} });
      }, 10);
      return true;
    });
    const session = await connect(server);
    const error = await failureOf(session.request("tools/call", CALL, { timeoutMs: 150, maxTotalMs: 0 }));
    expect(error.code).toBe("MCP_CALL_TIMEOUT");
  });

  test("cannot delay the connect timeout", async () => {
    const server = scriptedServer(trickling("initialize"), { limits: { connectTimeoutMs: 600 } });
    expect(await failToConnect(server)).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", phase: "handshake" });
  });
});

describe.concurrent("[T87] an endless list", () => {
  const endless: Script = (message, { answer }) => {
    if (message.method !== "tools/list") return undefined;
    const page = Number(message.params?.cursor ?? 0);
    const tools = Array.from({ length: 50 }, (_, n) => ({
      name: `tool-${page}-${n}`,
      inputSchema: { type: "object" },
    }));
    answer({ tools, nextCursor: String(page + 1) });
    return true;
  };
  const pagesOf = (server: ReturnType<typeof scriptedServer>) =>
    server.received().filter(({ method }) => method === "tools/list").length;

  test("fails after 64 pages even if every cursor is new, and the session goes on", async () => {
    const server = scriptedServer(endless);
    const session = await connect(server);
    const error = await failureOf(session.list("tools", { signal: new AbortController().signal }));
    expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "list", server: "scripted" });
    expect(pagesOf(server)).toBe(64);
    expect(await session.request("ping", undefined)).toEqual({});
  });

  test("is not requested any further once the caller aborts", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list" || message.params?.cursor === "2")
        return message.method === "tools/list";
      answer({ tools: [], nextCursor: String(Number(message.params?.cursor ?? 0) + 1) });
      return true;
    });
    const session = await connect(server);
    const controller = new AbortController();
    const listing = failureOf(session.list("tools", { signal: controller.signal }));
    // The third page is the one that never comes.
    await vi.waitFor(() => expect(pagesOf(server)).toBe(3));
    controller.abort();
    expect((await listing).code).toBe("MCP_ABORTED");
    await session.request("ping", undefined);
    expect(pagesOf(server)).toBe(3);
  });
});
