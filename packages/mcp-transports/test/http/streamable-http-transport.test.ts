import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HttpWire, WireListener, WireRequest } from "../../src/http/http-wire.ts";
import { StreamableHttpTransport } from "../../src/http/streamable-http-transport.ts";
import { atEnd } from "../cleanup.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = readonly [status: number, headers?: Record<string, string>, result?: object];

/** A network without delay; `answer` decides what the server answers. */
function createWire(answer: (request: WireRequest) => Answer): HttpWire {
  const respond = (request: WireRequest, listener: WireListener) => {
    listener.onWriting();
    const [status, headers = {}, result] = answer(request);
    listener.onHeaders(status, { "content-type": "application/json", ...headers });
    const { id } = request.body ? JSON.parse(request.body) : {};
    if (result) listener.onData(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result })));
    listener.onEnd();
  };
  return {
    isDecoding: true,
    send(request, listener) {
      queueMicrotask(() => respond(request, listener));
      return { abort() {}, pause() {}, resume() {} };
    },
    async close() {},
  };
}

const AGREEMENT = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "wire", version: "1" },
};

test("[R24] a session that keeps getting lost with its stream is renewed at most six times a minute", async () => {
  const begun: number[] = [];
  let known: string | undefined;
  const wire = createWire(({ method, headers, body = "" }) => {
    if (method === "GET") {
      if (known === undefined || !headers.includes(known)) return [404];
      known = undefined;
      return [200, { "content-type": "text/event-stream" }];
    }
    if (!body.includes('"initialize"')) return [202];
    begun.push(Date.now());
    known = `session-${begun.length}`;
    return [200, { "mcp-session-id": known }, AGREEMENT];
  });
  const transport = new StreamableHttpTransport({
    url: new URL("http://wire.example/mcp"),
    configured: [],
    wire,
    credentials: undefined,
    maxMessageBytes: 0,
    renewalTimeoutMs: 0,
    closing: new AbortController(),
    secrets: () => [],
  });
  atEnd(() => transport.close());
  const answered = new Promise((resolve, reject) => {
    transport.onmessage = resolve;
    const follower = { isWanted: () => true, onWriting() {}, onRefused() {}, onFailed: reject };
    transport.post({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }, follower);
  });
  await answered;
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(begun.length).toBeGreaterThan(15);
  for (const start of begun.slice(1)) {
    const within = begun.filter((time) => time >= start && time < start + 60_000);
    expect(within.length).toBeLessThanOrEqual(6);
  }
});
