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

/** The timers stand still, those of the server as well, so that the stream opens when the test says so. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("while the stream of the server's own messages is being opened", () => {
  test("a call waits, so that a question that belongs to no call's stream finds somebody", async () => {
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

  test("a call waits no longer than a quarter of a second", async () => {
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

  test("a call waits only until the stream is refused for a login that nobody makes", async () => {
    const auth: AuthPort = { headers: async () => ({}), onChallenge: async () => "fail" };
    const { session } = await open({ on: { GET: { reply: { status: 401 } } } }, { handlers, auth });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("a call is not held back where nothing can be asked", async () => {
    const { remote, session } = await open({ on: { GET: { hang: true } } });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(openStreams(remote)).toHaveLength(0);
  });

  test("a call that waits ends with the session, unsent", async () => {
    const { remote, session } = await open({ on: { GET: { hang: true } } }, { handlers });
    const failure = session.request("tools/call", ECHO).catch((error: unknown) => error);
    await session.list("tools", { signal: never });
    await session.close();
    expect(await failure).toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
    expect(count(remote, "tools/call")).toBe(0);
  });
});
