import { getEventListeners } from "node:events";
import { McpError } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { createDeadline, raceSignal } from "../src/deadline.ts";

const aborted = () => new McpError("MCP_ABORTED", "aborted");
const expired = () => new McpError("MCP_CALL_TIMEOUT", "expired");

describe("a deadline", () => {
  it("leaves no listener on the caller's signal, however often it is used", async () => {
    const { signal } = new AbortController();
    for (let use = 0; use < 1_000; use += 1) {
      using deadline = createDeadline({ signal, timeoutMs: 0, aborted, expired });
      await raceSignal(Promise.resolve(), deadline.signal);
      expect(getEventListeners(deadline.signal, "abort")).toEqual([]);
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it.each([
    ["[T11] stays the reason if the caller aborts after it has passed", 100, 150, "MCP_CALL_TIMEOUT"],
    ["[T12] is not the reason if the caller aborted before it passed", 100, 50, "MCP_ABORTED"],
  ])("%s", async (_title, timeoutMs, abortedAfterMs, code) => {
    vi.useFakeTimers();
    try {
      const caller = new AbortController();
      using deadline = createDeadline({ signal: caller.signal, timeoutMs, aborted, expired });
      const settled = vi.fn();
      const late = Promise.withResolvers<void>();
      raceSignal(late.promise, deadline.signal).catch(settled);
      setTimeout(() => caller.abort(), abortedAfterMs);
      await vi.advanceTimersByTimeAsync(1_000);
      late.reject(new Error("the body could not be read"));
      await vi.advanceTimersByTimeAsync(0);
      expect(deadline.signal.reason).toMatchObject({ code });
      expect(settled).toHaveBeenCalledExactlyOnceWith(deadline.signal.reason);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that has already passed rejects, without an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const reason = aborted();
    await expect(raceSignal(Promise.reject(expired()), AbortSignal.abort(reason))).rejects.toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
