import type { AuthPort } from "@jackfield/mcp-core";
import type { HttpFaultScript } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { connectTo, count, ECHO, never, open, startRemote } from "./remote.ts";

/** Nobody is ever told anything. */
const silence = () => new Promise<never>(() => {});

/** Gives nothing special while a session is opened, then gets stuck as told. */
function stuckPort(stuck: Partial<AuthPort>) {
  let isOpen = false;
  const port: AuthPort = {
    headers: async (server) => (isOpen && stuck.headers ? stuck.headers(server) : {}),
    onChallenge: stuck.onChallenge ?? (async () => "fail"),
  };
  return { port, opened: () => (isOpen = true) };
}

describe("[R45] the one deadline of a call covers", () => {
  /** Enough for what happens before a call gets stuck, on a machine that is busy. */
  const LIMITS = { timeoutMs: 0, maxTotalMs: 800 };

  test.each<readonly [string, Partial<AuthPort>, HttpFaultScript, number]>([
    ["the wait for credentials", { headers: silence }, {}, 0],
    [
      "the wait for a login",
      { onChallenge: silence },
      { on: { "tools/call": { reply: { status: 401 } } } },
      1,
    ],
  ])("%s, and the call was not carried out", async (_, stuck, faults, arrivals) => {
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
    ["the second leg of a redirect", { on: { "tools/call": { redirect: "same-origin" } } }],
    [
      "a stream that cannot be taken up again",
      {
        answer: "sse",
        eventIds: true,
        on: { "tools/call": { endAfterMs: 0, retryMs: 0 }, GET: { skip: 1, hang: true } },
      },
    ],
    ["an answer that was to come by the other stream", { on: { "tools/call": { answerOn: "get-stream" } } }],
  ])("%s, and the outcome is unknown", async (_, script) => {
    const { remote, session } = await open({ ...script, silentOn: ["tools/call"] });
    await remote.until(() => count(remote, "GET") === 1);
    const error = await failureOf(session.request("tools/call", ECHO, LIMITS));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(count(remote, "tools/call")).toBeLessThanOrEqual(2);
  });
});

describe("[R45] the one deadline of a list", () => {
  test("is not waited beyond: a page that may be asked for only later fails the list at once", async () => {
    const reply = { status: 429, headers: { "retry-after": "9" } };
    const script = { pageSize: 2, on: { "tools/list": { skip: 1, reply } } };
    const { remote, session } = await open(script, { limits: { maxTotalMs: 8000 } });
    const error = await failureOf(session.list("tools", { signal: never }));
    expect(error).toMatchObject({ httpStatus: 429, retryAfterMs: 9000, phase: "list" });
    expect(count(remote, "tools/list")).toBe(2);
  });
});

describe("[R45] the one deadline of a connection covers", () => {
  test.each<readonly [string, Partial<AuthPort>, HttpFaultScript]>([
    ["the wait for credentials", { headers: silence }, {}],
    ["the wait for a login", { onChallenge: silence }, { authorization: ["Bearer other"] }],
    ["a greeting that is not taken note of", {}, { on: { "notifications/initialized": { hang: true } } }],
    ["a fallback that leads nowhere", {}, { answer: "legacy-sse", endpoint: null }],
  ])("%s", async (_, stuck, script) => {
    const remote = await startRemote(script);
    const { port, opened } = stuckPort(stuck);
    opened();
    const error = await failureOf(connectTo(remote, { auth: port, limits: { connectTimeoutMs: 200 } }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: "remote" });
  });
});

describe("[R34] a call that tells of its progress", () => {
  const slow = { answer: "sse", answerLateMs: { "tools/call": 60_000 }, progress: 2000 } as const;

  test("ends at its idle deadline if nothing gets on", async () => {
    const { session } = await open({ ...slow, constantProgress: true });
    const limits = { timeoutMs: 800, maxTotalMs: 0, onProgress: () => {} };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("within 800 ms without progress");
  });

  test("ends at its total deadline if it gets on for ever", async () => {
    const { session } = await open(slow);
    const limits = { timeoutMs: 0, maxTotalMs: 800, onProgress: () => {} };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("within 800 ms in total");
  });
});
