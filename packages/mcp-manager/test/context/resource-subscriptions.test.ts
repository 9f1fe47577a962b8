import { type JsonObject, type LogLevel, McpError } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession } from "@jackfield/test-kit";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  createResourceSubscriptions,
  type ResourceSubscriptions,
} from "../../src/context/resource-subscriptions.ts";

const A = "file:///a";
const B = "file:///b";

let logged: string[];
let subscriptions: ResourceSubscriptions;

beforeEach(() => {
  logged = [];
  const log = (_level: LogLevel, message: string) => void logged.push(message);
  subscriptions = createResourceSubscriptions({ server: "s", log });
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
  it("tell the server, and then whoever asked, until he has had enough", async () => {
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

  it("are made once for all who want the same resource, and end with the last of them", async () => {
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

  it("[N3] that are given up while they are being made are undone", async () => {
    const held = Promise.withResolvers<object>();
    const session = openSession((method) => (method === "resources/subscribe" ? held.promise : {}));
    const adding = subscriptions.add(session, A, () => {});
    subscriptions.delisted([A]);
    held.resolve({});
    await adding;
    expect(asked(session)).toEqual([`+${A}`, `-${A}`]);
  });

  it("[N4] that are given up and wanted again while they are being made stay, without another request", async () => {
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

  const soon = Array.from({ length: 8 }, (_, turns) => turns);
  const pass = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  };

  it.each(soon)("[N3] that are given up %i turns after the answer came are undone", async (turns) => {
    const held = Promise.withResolvers<object>();
    const session = openSession((method) => (method === "resources/subscribe" ? held.promise : {}));
    const controller = new AbortController();
    const adding = subscriptions.add(session, A, () => {}, controller.signal);
    held.resolve({});
    await pass(turns);
    controller.abort();
    const stop = await adding.catch(() => undefined);
    await stop?.();
    await vi.waitFor(() => expect(asked(session)).toEqual([`+${A}`, `-${A}`]));
    expect(logged).toEqual([]);
  });

  it.each(soon)(
    "[N4] that are wanted again %i turns after they were undone are made again",
    async (turns) => {
      const held = Promise.withResolvers<object>();
      const session = openSession((method) => (method === "resources/unsubscribe" ? held.promise : {}));
      const stop = await subscriptions.add(session, A, () => {});
      const stopping = stop();
      held.resolve({});
      await pass(turns);
      await subscriptions.add(session, A, () => {});
      await stopping;
      expect(asked(session)).toEqual([`+${A}`, `-${A}`, `+${A}`]);
    },
  );

  it("that the server refuses to two who want them are asked for once", async () => {
    const session = openSession(() => {
      throw new McpError("MCP_REQUEST_REJECTED", "No.");
    });
    const adding = [subscriptions.add(session, A, () => {}), subscriptions.add(session, A, () => {})];
    const ends = await Promise.allSettled(adding);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked(session)).toEqual([`+${A}`]);
  });

  it("[N5] pass over updates of resources that nobody asked for", async () => {
    const listener = vi.fn();
    await subscriptions.add(openSession(), A, listener);
    subscriptions.updated(B);
    expect(listener).not.toHaveBeenCalled();
  });

  it("[N6] end when the server does not list the resource any more", async () => {
    const session = openSession();
    const listener = vi.fn();
    await subscriptions.add(session, A, listener);
    await subscriptions.add(session, B, listener);
    subscriptions.delisted([A]);
    await vi.waitFor(() => expect(asked(session)).toEqual([`+${A}`, `+${B}`, `-${A}`]));
    subscriptions.updated(A);
    expect(listener).not.toHaveBeenCalled();
  });

  it("[N7] are refused without a request where the server takes none", async () => {
    const session = createFakeSession({ handshake: { capabilities: { resources: {} } } });
    subscriptions.opened(session);
    await expect(subscriptions.add(session, A, () => {})).rejects.toMatchObject({
      code: "MCP_REQUEST_REJECTED",
      outcome: "not-sent",
    });
    expect(session.requests).toEqual([]);
  });

  it("[R9] [R23] are made again in the next session", async () => {
    const listener = vi.fn();
    await subscriptions.add(openSession(), A, listener);
    subscriptions.gone();
    const next = openSession();
    await vi.waitFor(() => expect(asked(next)).toEqual([`+${A}`]));
    subscriptions.updated(A);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("that were ended while no session was up are not made again", async () => {
    const stop = await subscriptions.add(openSession(), A, () => {});
    subscriptions.gone();
    await stop();
    expect(openSession().requests).toEqual([]);
  });

  it("that the server refuses reject, and are not wanted", async () => {
    const refusal = new McpError("MCP_REQUEST_REJECTED", "No.");
    const session = openSession(() => {
      throw refusal;
    });
    await expect(subscriptions.add(session, A, () => {})).rejects.toBe(refusal);
    subscriptions.gone();
    expect(openSession().requests).toEqual([]);
  });

  it("that a later session refuses are logged, and harm no other", async () => {
    const first = openSession();
    await subscriptions.add(first, A, () => {});
    await subscriptions.add(first, B, () => {});
    subscriptions.gone();
    const next = openSession((_method, { uri }) => {
      if (uri === A) throw new McpError("MCP_REQUEST_REJECTED", "No.");
      return {};
    });
    await vi.waitFor(() => expect(logged).toEqual(["a subscription to a resource failed"]));
    expect(asked(next)).toEqual([`+${A}`, `+${B}`]);
  });
});
