import type { AuthPort } from "@jackfield/mcp-core";
import type { HttpFaultScript } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { connectTo, count, ECHO, never, open, startRemote } from "./remote.ts";

/** Never settles. */
const neverSettle = () => new Promise<never>(() => {});

/** An auth port that works until `opened` is called, and then gets stuck in the methods of `stuck`. */
function stuckPort(stuck: Partial<AuthPort>) {
  let isOpen = false;
  const port: AuthPort = {
    headers: async (...asked) => (isOpen && stuck.headers ? stuck.headers(...asked) : {}),
    onChallenge: stuck.onChallenge ?? (async () => "fail"),
  };
  return { port, opened: () => (isOpen = true) };
}

describe("[R45] the total deadline of a call covers", () => {
  /** Enough time on a busy machine for what happens before a call gets stuck. */
  const LIMITS = { timeoutMs: 0, maxTotalMs: 800 };

  test.each<readonly [string, Partial<AuthPort>, HttpFaultScript, number]>([
    ["the wait for credentials", { headers: neverSettle }, {}, 0],
    [
      "the wait for a login",
      { onChallenge: neverSettle },
      { on: { "tools/call": { reply: { status: 401 } } } },
      1,
    ],
  ])("%s, with the outcome not-sent", async (_, stuck, faults, arrivals) => {
    const remote = await startRemote();
    const { port, opened } = stuckPort(stuck);
    const session = await connectTo(remote, { auth: port });
    await remote.until(() => remote.streams.length === 1);
    opened();
    remote.setScript(faults);
    const error = await failureOf(session.request("tools/call", ECHO, LIMITS));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
    expect(count(remote, "tools/call")).toBe(arrivals);
    expect(remote.calls).toEqual([]);
  });

  test.each<readonly [string, HttpFaultScript]>([
    ["the second request of a redirect", { on: { "tools/call": { redirect: "same-origin" } } }],
    [
      "a stream that cannot be resumed",
      {
        answer: "sse",
        eventIds: true,
        on: { "tools/call": { endAfterMs: 0, retryMs: 0 }, GET: { skip: 1, hang: true } },
      },
    ],
    ["an answer that is due on the GET stream", { on: { "tools/call": { answerOn: "get-stream" } } }],
  ])("%s, with the outcome unknown", async (_, script) => {
    const { remote, session } = await open({ ...script, silentOn: ["tools/call"] });
    await remote.until(() => count(remote, "GET") === 1);
    const error = await failureOf(session.request("tools/call", ECHO, LIMITS));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(count(remote, "tools/call")).toBeLessThanOrEqual(2);
  });
});

describe("[R45] the total deadline of a list", () => {
  test("fails the list at once if a page's Retry-After lies beyond it", async () => {
    const reply = { status: 429, headers: { "retry-after": "9" } };
    const script = { pageSize: 2, on: { "tools/list": { skip: 1, reply } } };
    const { remote, session } = await open(script, { limits: { maxTotalMs: 8000 } });
    const error = await failureOf(session.list("tools", { signal: never }));
    expect(error).toMatchObject({ httpStatus: 429, retryAfterMs: 9000, phase: "list" });
    expect(count(remote, "tools/list")).toBe(2);
  });
});

describe("[R45] the connect deadline covers", () => {
  test.each<readonly [string, Partial<AuthPort>, HttpFaultScript]>([
    ["the wait for credentials", { headers: neverSettle }, {}],
    ["the wait for a login", { onChallenge: neverSettle }, { authorization: ["Bearer other"] }],
    ["an unanswered notifications/initialized", {}, { on: { "notifications/initialized": { hang: true } } }],
  ])("%s", async (_, stuck, script) => {
    const remote = await startRemote(script);
    const { port, opened } = stuckPort(stuck);
    opened();
    const error = await failureOf(connectTo(remote, { auth: port, limits: { connectTimeoutMs: 200 } }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: "remote" });
  });

  test("a fallback to HTTP+SSE without an endpoint, which leaves the first refusal as the reason", async () => {
    const remote = await startRemote({ answer: "legacy-sse", endpoint: null });
    const error = await failureOf(connectTo(remote, { limits: { connectTimeoutMs: 3000 } }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "remote", httpStatus: 405 });
  });
});

describe("[R34] a call that reports progress", () => {
  const slow = { answer: "sse", answerLateMs: { "tools/call": 60_000 }, progress: 2000 } as const;

  test("ends at its idle deadline if the progress does not increase", async () => {
    const { session } = await open({ ...slow, constantProgress: true });
    const limits = { timeoutMs: 800, maxTotalMs: 0, onProgress: () => {} };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("within 800 ms without progress");
  });

  test("ends at its total deadline even if the progress keeps increasing", async () => {
    const { session } = await open(slow);
    const limits = { timeoutMs: 0, maxTotalMs: 800, onProgress: () => {} };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("within 800 ms in total");
  });
});
