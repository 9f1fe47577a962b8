import { McpError } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createHeartbeat,
  DEFAULT_HEARTBEAT,
  type Heartbeat,
  type PingRecord,
} from "../../src/server/heartbeat.ts";

const POLICY = { intervalMs: 1_000, timeoutMs: 100, threshold: 2 };
const NO_ANSWER = new McpError("MCP_CALL_TIMEOUT", "No answer.");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server that counts pings and answers as the test says. */
function watched(policy = POLICY, record: PingRecord = {}) {
  const server = {
    heardAt: performance.now(),
    isBusy: false,
    pings: 0,
    answer: async (): Promise<unknown> => ({}),
  };
  const lost: McpError[] = [];
  const ping = async (timeoutMs: number) => {
    server.pings += 1;
    const answer = await Promise.race([
      server.answer(),
      new Promise((_resolve, reject) => setTimeout(() => reject(NO_ANSWER), timeoutMs)),
    ]);
    server.heardAt = performance.now();
    return answer;
  };
  const subject = {
    server: "s",
    pings: record,
    ping,
    heardAt: () => server.heardAt,
    isBusy: () => server.isBusy,
  };
  const heartbeat: Heartbeat = createHeartbeat(policy, subject, (error) => lost.push(error));
  return { server, lost, heartbeat };
}

const silent = () => new Promise<never>(() => {});

describe("a heartbeat", () => {
  it("pings a silent server once per interval as long as it answers", async () => {
    const { server, lost } = watched();
    await vi.advanceTimersByTimeAsync(5_050);
    expect(server.pings).toBe(5);
    expect(lost).toEqual([]);
  });

  it("does not ping a server that sends messages anyway", async () => {
    const { server } = watched();
    for (let step = 0; step < 10; step += 1) {
      await vi.advanceTimersByTimeAsync(900);
      server.heardAt = performance.now();
    }
    expect(server.pings).toBe(0);
  });

  it("does not ping a server that is busy with a call", async () => {
    const { server } = watched();
    server.isBusy = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.pings).toBe(0);
    server.isBusy = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.pings).toBe(1);
  });

  it("[S5] reports the session lost, once, after as many unanswered pings as the threshold", async () => {
    const { server, lost } = watched();
    server.answer = silent;
    await vi.advanceTimersByTimeAsync(1_150);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(server.pings).toBe(2);
    expect(lost).toMatchObject([{ code: "MCP_SESSION_LOST", server: "s", cause: NO_ANSWER }]);
  });

  it("resets the count of missed pings when a ping is answered", async () => {
    const { server, lost } = watched();
    server.answer = async () => (server.pings % 2 === 1 ? silent() : {});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(server.pings).toBeGreaterThan(10);
    expect(lost).toEqual([]);
  });

  it("[S5] counts an error answer to a ping as a sign of life", async () => {
    const { server, lost } = watched();
    server.answer = async () => {
      server.heardAt = performance.now();
      throw new McpError("MCP_REQUEST_REJECTED", "Method not found.", { rpcCode: -32601 });
    };
    await vi.advanceTimersByTimeAsync(5_050);
    expect(server.pings).toBe(5);
    expect(lost).toEqual([]);
  });

  it("takes a ping that is refused with an HTTP status as lost, until a fresh session refuses it, too", async () => {
    const record: PingRecord = {};
    const refusing = { ...POLICY, threshold: 1 };
    const refuse = async () => {
      throw new McpError("MCP_REQUEST_REJECTED", "Bad Request", { rpcCode: -32_600, httpStatus: 400 });
    };
    const first = watched(refusing, record);
    first.server.answer = refuse;
    await vi.advanceTimersByTimeAsync(1_150);
    expect(first.lost).toMatchObject([{ code: "MCP_SESSION_LOST" }]);

    const healed = watched(refusing, record);
    await vi.advanceTimersByTimeAsync(1_150);
    healed.server.answer = refuse;
    await vi.advanceTimersByTimeAsync(1_150);
    expect(healed.lost).toHaveLength(1);

    const fresh = watched(refusing, record);
    fresh.server.answer = refuse;
    await vi.advanceTimersByTimeAsync(10_000);
    const later = watched(refusing, record);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([fresh.lost, later.lost]).toEqual([[], []]);
    expect([fresh.server.pings, later.server.pings]).toEqual([1, 0]);
  });

  it("[S5] sends and reports nothing after stop(), even if a ping is pending", async () => {
    const { server, lost, heartbeat } = watched();
    server.answer = silent;
    await vi.advanceTimersByTimeAsync(1_050);
    heartbeat.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.pings).toBe(1);
    expect(lost).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is off if intervalMs is 0", async () => {
    const { server } = watched({ ...POLICY, intervalMs: 0 });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(server.pings).toBe(0);
  });

  it("detects a silent server within 40 seconds by default", async () => {
    const { server, lost } = watched(DEFAULT_HEARTBEAT);
    server.answer = silent;
    await vi.advanceTimersByTimeAsync(40_000);
    expect(lost).toHaveLength(1);
  });

  it("does not catch up on the intervals missed while the machine slept", async () => {
    const { server, lost } = watched();
    server.answer = silent;
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(1_250);
    expect(server.pings).toBe(2);
    expect(lost).toHaveLength(1);
  });
});
