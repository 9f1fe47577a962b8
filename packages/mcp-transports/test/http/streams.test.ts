import { startTcpFaultProxy } from "@jackfield/test-kit";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { connectTo, count, ECHO, never, open, startRemote } from "./remote.ts";

const NOTE = { method: "notifications/tools/list_changed" };

describe("the server's GET stream", () => {
  test.each([
    ["is refused with 405", { reply: { status: 405 } }],
    ["is refused with 404 by a server without sessions", { reply: { status: 404 } }],
    ["is answered with an HTML page", { contentType: "text/html" }],
    ["never begins", { hang: true }],
    ["ends at once", { endAfterMs: 0 }],
    ["breaks off", { drop: "headers" as const }],
  ])("[R31] that %s does not affect calls and does not end the session", async (_, fault) => {
    const { remote, session } = await open({ sessionless: true, on: { GET: fault } });
    const onClose = vi.fn();
    session.onClose(onClose);
    await remote.received(({ method }) => method === "GET");
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
    expect(onClose).not.toHaveBeenCalled();
  });

  const REFUSALS = [
    ["with 404", { reply: { status: 404 } }],
    ["with 405", { reply: { status: 405 } }],
    ["with an HTML page", { contentType: "text/html" }],
  ] as const;

  test.each(
    REFUSALS.flatMap(([how, fault]) => [["json", how, fault] as const, ["sse", how, fault] as const]),
  )("that a server with sessions (%s) refuses %s causes no new session", async (answer, _, fault) => {
    // With a handler for server requests, a call waits until the stream is open or refused.
    const handlers = { roots: async () => [] };
    const { remote, session } = await open({ answer, on: { GET: fault } }, { handlers });
    const onRenewed = vi.fn();
    session.onRenewed(onRenewed);
    for (const _ of [1, 2, 3]) await session.request("tools/call", ECHO);
    expect(count(remote, "initialize")).toBe(1);
    expect(onRenewed).not.toHaveBeenCalled();
    remote.forgetSessions();
    for (const _ of [1, 2, 3]) await session.request("tools/call", ECHO);
    expect(count(remote, "initialize")).toBe(2);
    expect(onRenewed).toHaveBeenCalledTimes(1);
    expect(remote.calls).toHaveLength(6);
    await session.close();
    expect(remote.sessions).toEqual([]);
  });

  test("[X3] is requested only after the session is initialized", async () => {
    const { remote } = await open();
    await remote.until(() => count(remote, "GET") === 1);
    expect(remote.violations).toEqual([]);
  });

  test("is not requested from a modern server", async () => {
    const { remote, session } = await open({ era: "modern" });
    await session.request("tools/call", ECHO);
    expect(count(remote, "GET")).toBe(0);
  });

  test("is reopened with Last-Event-ID after it has ended, and delivers again", async () => {
    const { remote, session } = await open({ eventIds: true, on: { GET: { retryMs: 0 } } });
    const heard: string[] = [];
    session.onNotification(({ method }) => heard.push(method));
    await remote.until(() => remote.streams.length === 1);
    remote.notify(NOTE);
    await vi.waitUntil(() => heard.length === 1);
    remote.endStreams();
    const again = await remote.received(({ headers }) => headers["last-event-id"] !== undefined);
    expect(again.method).toBe("GET");
    await remote.until(() => count(remote, "GET") === 2);
    remote.notify(NOTE);
    await vi.waitUntil(() => heard.length === 2);
  });

  test("[R24] that ends at once with `retry: 0` is not reopened in a tight loop", async () => {
    const { remote, session } = await open({ on: { GET: { endAfterMs: 0, retryMs: 0 } } });
    await remote.until(() => count(remote, "GET") === 2);
    const [first, second] = [1, 2].map(() => session.request("tools/call", ECHO));
    await Promise.all([first, second]);
    expect(count(remote, "GET")).toBeLessThanOrEqual(3);
  });

  test("[R32] open 20 times, beside 20 slow lists, does not block calls", async () => {
    const remote = await startRemote({ answerLateMs: { "tools/list": 60_000 } });
    const sessions = await Promise.all(Array.from({ length: 20 }, () => connectTo(remote)));
    await remote.until(() => remote.streams.length === 20);
    const slow = sessions.map((session) => failureOf(session.list("tools", { signal: never })));
    await remote.until(() => count(remote, "tools/list") === 20);
    const quick = sessions.map((session) => session.request("tools/call", ECHO));
    expect(await Promise.all(quick)).toHaveLength(20);
    await Promise.all(sessions.map((session) => session.close()));
    await Promise.all(slow);
  });
});

describe("a lost connection", () => {
  test("[R29] without a reset fails the call at its deadline, and the next call works", async () => {
    const remote = await startRemote();
    const proxy = await startTcpFaultProxy(remote.url);
    atEnd(() => proxy.close());
    const session = await connectTo(proxy);
    await remote.until(() => remote.streams.length === 1);
    proxy.blackHole();
    const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 200 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    await proxy.resume();
    // Connections from before the fault never recover, so this call must not use them.
    expect((await session.request("tools/call", ECHO, { timeoutMs: 10_000 })).content).toHaveLength(1);
    expect(remote.calls).toHaveLength(1);
  });

  test("that the server closed while it was idle is not used again", async () => {
    const remote = await startRemote({ sessionless: true, on: { GET: { reply: { status: 405 } } } });
    const proxy = await startTcpFaultProxy(remote.url);
    atEnd(() => proxy.close());
    const session = await connectTo(proxy);
    await session.request("tools/call", ECHO);
    for (let round = 0; round < 20; round += 1) {
      const idleSince = performance.now();
      proxy.cut("fin");
      await vi.waitUntil(() => performance.now() - idleSince > 8, { interval: 2 });
      expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    }
  });
});

describe("[R43] an aborted call", () => {
  test("does not affect 99 others, and is cancelled on the server once", async () => {
    const { remote, session } = await open({ on: { "tools/call": { hang: true, times: 1 } } });
    const controller = new AbortController();
    const failure = failureOf(session.request("tools/call", ECHO, { signal: controller.signal }));
    await remote.until(() => count(remote, "tools/call") === 1);
    const others = Array.from({ length: 99 }, () => session.request("tools/call", ECHO));
    controller.abort();
    expect(await failure).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    expect(await Promise.all(others)).toHaveLength(99);
    await remote.until(() => count(remote, "notifications/cancelled") === 1);
    expect(count(remote, "tools/call")).toBe(100);
  });

  test("[R44] sends nothing if its signal was aborted before", async () => {
    const { remote, session } = await open();
    const error = await failureOf(session.request("tools/call", ECHO, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(count(remote, "tools/call") + count(remote, "notifications/cancelled")).toBe(0);
  });

  test("[R44] 200 calls that share a signal leave no listeners on it", async () => {
    const { session } = await open();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await Promise.all(Array.from({ length: 200 }, () => session.request("tools/call", ECHO, { signal })));
    expect(add.mock.calls.length).toBeGreaterThanOrEqual(200);
    expect(remove.mock.calls.length).toBe(add.mock.calls.length);
  });
});
