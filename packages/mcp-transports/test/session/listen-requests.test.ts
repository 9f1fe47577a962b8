import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createListenRequests } from "../../src/session/listen-requests.ts";

const ENVELOPE = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const TIMEOUT_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function listening(send = async (_message: JSONRPCMessage) => {}) {
  const sent: JSONRPCMessage[] = [];
  const cancel = vi.fn();
  const requests = createListenRequests({
    send: (message) => {
      sent.push(message);
      return send(message);
    },
    cancel,
    envelope: ENVELOPE,
  });
  const closing = new AbortController();
  const open = (filter: object = { toolsListChanged: true }) =>
    requests.open(filter, { timeoutMs: TIMEOUT_MS, signal: closing.signal });
  const take = (message: object) => requests.take({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  return { sent, cancel, open, take, closing };
}

const acknowledgement = (id: unknown, notifications: object = {}) => ({
  method: "notifications/subscriptions/acknowledged",
  params: { _meta: { [SUBSCRIPTION]: id }, notifications },
});

describe("a subscriptions/listen request", () => {
  test("carries filter and envelope, and is granted by an acknowledgement with its id", async () => {
    const { sent, open, take, cancel } = listening();
    const filter = { resourceSubscriptions: ["a:", "b:"] };
    const opening = open(filter);
    const params = { _meta: ENVELOPE, notifications: filter };
    expect(sent).toEqual([{ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen", params }]);
    expect(take(acknowledgement("listen:0", { resourceSubscriptions: ["b:", 7] }))).toBe(true);
    const granted = await opening;
    expect(granted.resources).toEqual(["b:"]);
    granted.close();
    granted.close();
    expect(cancel).toHaveBeenCalledExactlyOnceWith("listen:0");
    await granted.closed;
    expect(take(acknowledgement("listen:0"))).toBe(false);
  });

  test.each<[string, object, object]>([
    [
      "fails with the server's error",
      { id: "listen:0", error: { code: -32602, message: "Too many" } },
      { code: -32602, message: "Too many" },
    ],
    ["fails if it is answered before an acknowledgement", { id: "listen:0", result: {} }, {}],
    [
      "fails if the server cancels it",
      { method: "notifications/cancelled", params: { requestId: "listen:0" } },
      {},
    ],
  ])("%s", async (_, message, error) => {
    const { open, take, cancel } = listening();
    const opening = open();
    expect(take(message)).toBe(true);
    await expect(opening).rejects.toMatchObject(error);
    expect(cancel).not.toHaveBeenCalled();
  });

  test("fails if sending it fails", async () => {
    const { open, cancel } = listening(() => Promise.reject(new Error("broken")));
    await expect(open()).rejects.toThrow("broken");
    expect(cancel).not.toHaveBeenCalled();
  });

  test("is cancelled if the server does not acknowledge it in time", async () => {
    const { open, cancel } = listening();
    const opening = open();
    const failed = expect(opening).rejects.toThrow("in time");
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    await failed;
    expect(cancel).toHaveBeenCalledExactlyOnceWith("listen:0");
  });

  test("is cancelled when the session ends, whether acknowledged or not", async () => {
    const { open, take, cancel, closing } = listening();
    const [first, second] = [open(), open()];
    take(acknowledgement("listen:1"));
    const granted = await second;
    closing.abort(new Error("the session ends"));
    await expect(first).rejects.toThrow("the session ends");
    await granted.closed;
    expect(cancel.mock.calls).toEqual([["listen:0"], ["listen:1"]]);
    await expect(open()).rejects.toThrow("the session ends");
  });

  test.each<[string, object]>([
    ["its answer", { id: "listen:0", result: { resultType: "complete" } }],
    ["cancellation by the server", { method: "notifications/cancelled", params: { requestId: "listen:0" } }],
  ])("ends with %s", async (_, message) => {
    const { open, take, cancel } = listening();
    const opening = open();
    take(acknowledgement("listen:0"));
    const granted = await opening;
    expect(take(message)).toBe(true);
    await granted.closed;
    granted.close();
    expect(cancel).not.toHaveBeenCalled();
  });
});

test("messages about other requests, or about none, are not taken", async () => {
  const { open, take, closing } = listening();
  const opening = open();
  for (const message of [
    acknowledgement("listen:1"),
    acknowledgement(undefined),
    { method: "notifications/subscriptions/acknowledged" },
    { method: "notifications/subscriptions/acknowledged", params: { _meta: null } },
    { method: "notifications/cancelled", params: { requestId: 0 } },
    { method: "notifications/cancelled" },
    { method: "notifications/tools/list_changed", params: { _meta: { [SUBSCRIPTION]: "listen:0" } } },
    { id: 0, result: {} },
    { id: null, error: { code: 1, message: "" } },
  ])
    expect(take(message)).toBe(false);
  closing.abort(new Error("over"));
  await expect(opening).rejects.toThrow("over");
});
