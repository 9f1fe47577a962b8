import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../connecting.ts";
import { prepareSseTransport } from "./prepared-sse.ts";
import { count, ECHO, open } from "./remote.ts";

describe("the stream of an HTTP+SSE session", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  test("[R29] ends the session when its regular comments stop", async () => {
    const [transport, wire] = prepareSseTransport();
    transport.onclose = vi.fn();
    const started = transport.start();
    wire.onHeaders(200, { "content-type": "text/event-stream" });
    wire.onData(Buffer.from("event: endpoint\ndata: /messages\n\n"));
    await started;
    for (let beat = 0; beat < 4; beat += 1) {
      vi.advanceTimersByTime(10_000);
      wire.onData(Buffer.from(": beat\n\n"));
    }
    vi.advanceTimersByTime(30_000);
    expect(transport.onclose).not.toHaveBeenCalled();
    vi.advanceTimersByTime(15_000);
    expect(transport.onclose).toHaveBeenCalledTimes(1);
    expect(transport.fault).toMatchObject({ facts: { kind: "output-ended" } });
    expect(vi.getTimerCount()).toBe(0);
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
