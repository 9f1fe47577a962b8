import { channel } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";
import { prepareSseTransport } from "./prepared-sse.ts";
import { count, ECHO, open } from "./remote.ts";

const CHUNKS = channel("undici:request:bodyChunkReceived");
const BEAT = ": beat\n\n";

const RESULTS: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "paced", version: "1.0.0" },
  },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};

/** Starts a server of the HTTP+SSE transport that sends no comments. The test answers its calls. */
async function startPacedServer() {
  let stream: ServerResponse | undefined;
  const calls: (() => void)[] = [];
  const server = await startHttpServer(({ request, response, message }) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
      return true;
    }
    response.writeHead(202).end();
    const answer = () => {
      const result = RESULTS[message.method];
      const outcome = result ? { result } : { error: { code: -32601, message: "Method not found" } };
      stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome })}\n\n`);
    };
    if (message.method === "tools/call") calls.push(answer);
    else if (message.id !== undefined) answer();
    return true;
  });
  /** Resolves with the function that answers the next call, once it has arrived. */
  const nextCall = () => vi.waitUntil(() => calls.shift());
  /** Sends a comment, and resolves once it has arrived. */
  const beat = () => {
    const arrived = new Promise<void>((resolve) => {
      const check = (received: unknown) => {
        if (!String((received as { readonly chunk: Buffer }).chunk).endsWith(BEAT)) return;
        CHUNKS.unsubscribe(check);
        resolve();
      };
      CHUNKS.subscribe(check);
    });
    stream?.write(BEAT);
    return arrived;
  };
  return { ...server, transport: "sse" as const, nextCall, beat };
}

describe("the stream of an HTTP+SSE session", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  test("[R29] ends the session when its regular comments stop", async () => {
    const [transport, wire] = prepareSseTransport();
    const onclose = vi.fn();
    const closed = new Promise<void>((resolve) => {
      transport.onclose = () => {
        onclose();
        resolve();
      };
    });
    const started = transport.start();
    wire.onHeaders(200, { "content-type": "text/event-stream" });
    wire.onData(Buffer.from("event: endpoint\ndata: /messages\n\n"));
    await started;
    for (let beat = 0; beat < 4; beat += 1) {
      vi.advanceTimersByTime(10_000);
      wire.onData(Buffer.from(": beat\n\n"));
    }
    vi.advanceTimersByTime(30_000);
    expect(onclose).not.toHaveBeenCalled();
    vi.advanceTimersByTime(15_000);
    await closed;
    expect(onclose).toHaveBeenCalledTimes(1);
    expect(transport.facts().fault).toMatchObject({ facts: { kind: "output-ended" } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("[R29] lasts through a long call of a server that answered at regular intervals before", async () => {
    const server = await startPacedServer();
    const session = await connect(server);
    const lost = vi.fn();
    session.onClose(lost);
    const call = () => session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 });
    for (let count = 0; count < 5; count += 1) {
      const answered = call();
      const answer = await server.nextCall();
      vi.advanceTimersByTime(1500);
      answer();
      await answered;
    }
    const long = call();
    const answer = await server.nextCall();
    vi.advanceTimersByTime(600_000);
    answer();
    expect(await long).toMatchObject({ content: [{ text: "done" }] });
    expect(lost).not.toHaveBeenCalled();
  });

  test.each([
    ["[R29] beyond its silence limit", () => vi.advanceTimersByTime(60_000)],
    [
      "[R30] as long as a sleep",
      () => {
        vi.setSystemTime(Date.now() + 120_000);
        vi.advanceTimersByTime(5000);
      },
    ],
  ])("brings the answer that arrived while the program was blocked %s", async (_, block) => {
    const server = await startPacedServer();
    const session = await connect(server);
    const lost = vi.fn();
    session.onClose(lost);
    const call = session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 });
    const answer = await server.nextCall();
    for (let count = 0; count < 4; count += 1) {
      vi.advanceTimersByTime(10_000);
      await server.beat();
    }
    answer();
    // The server hands the answer to the kernel before the event loop reads the network.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    block();
    expect(await call).toMatchObject({ content: [{ text: "done" }] });
    expect(lost).not.toHaveBeenCalled();
  });

  test("[R30] ends the session and its calls after the machine was asleep", async () => {
    const { remote, session } = await open(
      { answer: "legacy-sse", silentOn: ["tools/call"] },
      { transport: "sse" },
    );
    const ended = new Promise((resolve) => session.onClose(resolve));
    const call = failureOf(session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 }));
    await remote.until(() => count(remote, "tools/call") === 1);
    vi.setSystemTime(Date.now() + 120_000);
    vi.advanceTimersByTime(5000);
    expect(await call).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST", retryable: true });
  });
});
