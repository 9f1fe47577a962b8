import type { AuthPort, HostHandlers } from "@jackfield/mcp-core";
import type { HttpFaultServer } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { count, ECHO, never, open } from "./remote.ts";

const handlers: HostHandlers = { elicit: async () => ({ action: "decline" }) };
const SERVER_REQUEST = {
  id: "question",
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: {} } },
};

const isAnswer = ({ body }: HttpFaultServer["requests"][number]) => body?.id === SERVER_REQUEST.id;
const openStreams = ({ streams }: HttpFaultServer) => streams.filter(({ isOpen }) => isOpen);

/** Timers are frozen, also those of the server, so that the stream opens when the test advances them. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("while the server's GET stream is opening", () => {
  test("a call waits, so that server requests on that stream can be answered", async () => {
    const { remote, session } = await open({ on: { GET: { lateMs: 200 } } }, { handlers });
    const call = session.request("tools/call", ECHO);
    await remote.until(() => count(remote, "GET") === 1);
    await session.list("tools", { signal: never });
    expect(count(remote, "tools/call")).toBe(0);
    vi.advanceTimersByTime(200);
    await remote.until(() => count(remote, "tools/call") === 1);
    expect(openStreams(remote)).toHaveLength(1);
    remote.notify(SERVER_REQUEST);
    expect((await remote.received(isAnswer)).body?.result).toEqual({ action: "decline" });
    expect((await call).content).toHaveLength(1);
  });

  test("a call waits at most 250 ms", async () => {
    const { remote, session } = await open({ on: { GET: { hang: true } } }, { handlers });
    const call = session.request("tools/call", ECHO);
    await session.list("tools", { signal: never });
    vi.advanceTimersByTime(249);
    await session.list("tools", { signal: never });
    expect(count(remote, "tools/call")).toBe(0);
    vi.advanceTimersByTime(1);
    expect((await call).content).toHaveLength(1);
  });

  test("a call waits only until the stream is refused", async () => {
    const { session } = await open({ on: { GET: { reply: { status: 405 } } } }, { handlers });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("a call waits only until the stream is refused with 401 and the login fails", async () => {
    const auth: AuthPort = { headers: async () => ({}), onChallenge: async () => "fail" };
    const { session } = await open({ on: { GET: { reply: { status: 401 } } } }, { handlers, auth });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("a call does not wait if the host handles no server requests", async () => {
    const { remote, session } = await open({ on: { GET: { hang: true } } });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(openStreams(remote)).toHaveLength(0);
  });

  test("closing the session ends a waiting call unsent", async () => {
    const { remote, session } = await open({ on: { GET: { hang: true } } }, { handlers });
    const failure = session.request("tools/call", ECHO).catch((error: unknown) => error);
    await session.list("tools", { signal: never });
    await session.close();
    expect(await failure).toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
    expect(count(remote, "tools/call")).toBe(0);
  });
});
