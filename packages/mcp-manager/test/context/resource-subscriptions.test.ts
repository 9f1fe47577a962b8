import { type JsonObject, type LogLevel, McpError } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession } from "@jackfield/test-kit";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ResourceSubscriptions } from "../../src/context/resource-subscriptions.ts";

const A = "file:///a";
const B = "file:///b";

let logged: string[];
let subscriptions: ResourceSubscriptions;

beforeEach(() => {
  logged = [];
  const log = (_level: LogLevel, message: string) => void logged.push(message);
  subscriptions = new ResourceSubscriptions({ server: "s", log });
});

function openSession(answer: (method: string, params: JsonObject) => unknown = () => ({})): FakeSession {
  const session = createFakeSession({
    handshake: { capabilities: { resources: { subscribe: true } } },
    answer,
  });
  subscriptions.opened(session);
  return session;
}

/** What the server was asked, in order: `+` subscribe, `-` unsubscribe. */
function asked({ requests }: FakeSession): string[] {
  return requests.map(({ method, params }) => `${method === "resources/subscribe" ? "+" : "-"}${params.uri}`);
}

describe("subscriptions to resources", () => {
  it("notify the listener of updates until it stops, then unsubscribe", async () => {
    const session = openSession();
    const listener = vi.fn();
    const stop = await subscriptions.add(session, A, listener);
    subscriptions.updated(A);
    expect(listener).toHaveBeenCalledOnce();
    await stop();
    subscriptions.updated(A);
    expect(listener).toHaveBeenCalledOnce();
    expect(asked(session)).toEqual([`+${A}`, `-${A}`]);
  });

  it("are sent once per resource, and end with the last listener", async () => {
    const session = openSession();
    const listener = vi.fn();
    const [one, other] = await Promise.all([
      subscriptions.add(session, A, listener),
      subscriptions.add(session, A, listener),
    ]);
    subscriptions.updated(A);
    expect(listener).toHaveBeenCalledTimes(2);
    await one();
    expect(asked(session)).toEqual([`+${A}`]);
    await other();
    expect(asked(session)).toEqual([`+${A}`, `-${A}`]);
  });

  it("[N3] are undone if the resource is delisted while the request is pending", async () => {
    const held = Promise.withResolvers<object>();
    const session = openSession((method) => (method === "resources/subscribe" ? held.promise : {}));
    const adding = subscriptions.add(session, A, () => {});
    subscriptions.delisted([A]);
    held.resolve({});
    await adding;
    expect(asked(session)).toEqual([`+${A}`, `-${A}`]);
  });

  it("[N4] need no second request if added again while the first is pending", async () => {
    const held = Promise.withResolvers<object>();
    const session = openSession(() => held.promise);
    const listener = vi.fn();
    const first = subscriptions.add(session, A, () => {});
    subscriptions.delisted([A]);
    const second = subscriptions.add(session, A, listener);
    held.resolve({});
    await Promise.all([first, second]);
    subscriptions.updated(A);
    expect(asked(session)).toEqual([`+${A}`]);
    expect(listener).toHaveBeenCalledOnce();
  });

  const turnCounts = Array.from({ length: 8 }, (_, turns) => turns);
  const passTurns = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  };

  it.each(turnCounts)("[N3] are undone if aborted %i microtasks after the answer", async (turns) => {
    const held = Promise.withResolvers<object>();
    const session = openSession((method) => (method === "resources/subscribe" ? held.promise : {}));
    const controller = new AbortController();
    const adding = subscriptions.add(session, A, () => {}, controller.signal);
    held.resolve({});
    await passTurns(turns);
    controller.abort();
    const stop = await adding.catch(() => undefined);
    await stop?.();
    await vi.waitFor(() => expect(asked(session)).toEqual([`+${A}`, `-${A}`]));
    expect(logged).toEqual([]);
  });

  it.each(turnCounts)(
    "[N4] are sent again if added %i microtasks after the unsubscribe answer",
    async (turns) => {
      const held = Promise.withResolvers<object>();
      const session = openSession((method) => (method === "resources/unsubscribe" ? held.promise : {}));
      const stop = await subscriptions.add(session, A, () => {});
      const stopping = stop();
      held.resolve({});
      await passTurns(turns);
      await subscriptions.add(session, A, () => {});
      await stopping;
      expect(asked(session)).toEqual([`+${A}`, `-${A}`, `+${A}`]);
    },
  );

  it("are sent once if the server refuses two concurrent callers", async () => {
    const session = openSession(() => {
      throw new McpError("MCP_REQUEST_REJECTED", "No.");
    });
    const adding = [subscriptions.add(session, A, () => {}), subscriptions.add(session, A, () => {})];
    const ends = await Promise.allSettled(adding);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked(session)).toEqual([`+${A}`]);
  });

  it("[N5] ignore updates of other resources", async () => {
    const listener = vi.fn();
    await subscriptions.add(openSession(), A, listener);
    subscriptions.updated(B);
    expect(listener).not.toHaveBeenCalled();
  });

  it("[N6] end when the server no longer lists the resource", async () => {
    const session = openSession();
    const listener = vi.fn();
    await subscriptions.add(session, A, listener);
    await subscriptions.add(session, B, listener);
    subscriptions.delisted([A]);
    await vi.waitFor(() => expect(asked(session)).toEqual([`+${A}`, `+${B}`, `-${A}`]));
    subscriptions.updated(A);
    expect(listener).not.toHaveBeenCalled();
  });

  it("[N7] reject without a request if the server does not support them", async () => {
    const session = createFakeSession({ handshake: { capabilities: { resources: {} } } });
    subscriptions.opened(session);
    await expect(subscriptions.add(session, A, () => {})).rejects.toMatchObject({
      code: "MCP_REQUEST_REJECTED",
      outcome: "not-sent",
    });
    expect(session.requests).toEqual([]);
  });

  it("[R9] [R23] are restored in the next session", async () => {
    const listener = vi.fn();
    await subscriptions.add(openSession(), A, listener);
    subscriptions.sessionEnded();
    const next = openSession();
    await vi.waitFor(() => expect(asked(next)).toEqual([`+${A}`]));
    subscriptions.updated(A);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("ended while no session was open are not restored", async () => {
    const stop = await subscriptions.add(openSession(), A, () => {});
    subscriptions.sessionEnded();
    await stop();
    expect(openSession().requests).toEqual([]);
  });

  it("reject if the server refuses, and are not restored later", async () => {
    const refusal = new McpError("MCP_REQUEST_REJECTED", "No.");
    const session = openSession(() => {
      throw refusal;
    });
    await expect(subscriptions.add(session, A, () => {})).rejects.toBe(refusal);
    subscriptions.sessionEnded();
    expect(openSession().requests).toEqual([]);
  });

  it("refused by a later session are logged and do not affect the others", async () => {
    const first = openSession();
    await subscriptions.add(first, A, () => {});
    await subscriptions.add(first, B, () => {});
    subscriptions.sessionEnded();
    const next = openSession((_method, { uri }) => {
      if (uri === A) throw new McpError("MCP_REQUEST_REJECTED", "No.");
      return {};
    });
    await vi.waitFor(() => expect(logged).toEqual(["A subscription to a resource failed."]));
    expect(asked(next)).toEqual([`+${A}`, `+${B}`]);
  });
});
