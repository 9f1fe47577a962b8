import { Client, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { rehearse } from "../../src/handshake/rehearsed-transport.ts";
import { Peer, type Reply } from "./peer.ts";

const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "peer", version: "1" },
};
const SERVER_REQUEST = { jsonrpc: "2.0", id: "q", method: "roots/list" };
const createNotification = (method: string, params?: object) => ({
  jsonrpc: "2.0",
  method,
  ...(params && { params }),
});
/** Resolves when everything that was sent has been delivered. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function rehearsed(initialize: Reply = { result: HANDSHAKE }) {
  const peer = new Peer({ initialize, "tools/list": { result: { tools: [] } } });
  const told: unknown[] = [];
  const problems: Error[] = [];
  const transport = await rehearse(peer, {
    onNotification: (notification) => told.push(notification),
    onProblem: (problem) => problems.push(problem),
  });
  return { peer, told, problems, transport };
}

const methods = (messages: readonly JSONRPCMessage[]) =>
  messages.map((message) => ("method" in message ? message.method : "answer"));

describe("the SDK's client that connects later", () => {
  const connect = async (transport: Awaited<ReturnType<typeof rehearsed>>["transport"]) => {
    const client = new Client({ name: "late", version: "1" });
    await client.connect(transport, { prior: { kind: "legacy" } });
    return client;
  };

  test("gets the recorded handshake, and the server gets each message once", async () => {
    const { peer, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    await transport.tellInitialized();
    const client = await connect(transport);
    transport.deliverKept();
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(methods(peer.sent)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
  });

  test("sends notifications/initialized if it was not sent before", async () => {
    const { peer, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    await connect(transport);
    expect(methods(peer.sent)).toEqual(["initialize", "notifications/initialized"]);
  });

  test.each<[string, Reply, string]>([
    ["was refused", { error: { code: -32602, message: "not you" } }, "not you"],
    ["ended the connection", "end", "Connection closed"],
    ["could not be written", new Error("a broken pipe"), "a broken pipe"],
  ])("fails if the handshake %s", async (_, reply, words) => {
    const { peer, transport } = await rehearsed(reply);
    await transport.ask({ id: 0, method: "initialize", params: {} });
    await expect(connect(transport)).rejects.toThrow(words);
    expect(methods(peer.sent)).toEqual(["initialize"]);
  });

  test("answers an earlier server request once", async () => {
    const { peer, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    await transport.tellInitialized();
    peer.say(SERVER_REQUEST);
    await settled();
    await connect(transport);
    transport.deliverKept();
    await settled();
    // It has no handler for the request, and refuses it.
    expect(peer.sent.at(-1)).toMatchObject({ id: "q", error: { code: -32601 } });
    expect(peer.sent).toHaveLength(3);
  });
});

describe("before the SDK's client connects", () => {
  test("notifications are passed on, and progress without a request is dropped", async () => {
    const { peer, told, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    peer.say(createNotification("notifications/tools/list_changed"));
    peer.say(createNotification("notifications/progress", { progressToken: 1, progress: 1 }));
    peer.say(createNotification("vendor/news", { a: 1 }));
    await settled();
    expect(told).toEqual([
      { method: "notifications/tools/list_changed" },
      { method: "vendor/news", params: { a: 1 } },
    ]);
  });

  test("other messages are dropped while server/discover is pending", async () => {
    const peer = new Peer({ "server/discover": "silence" });
    const told: unknown[] = [];
    const onNotification = (notification: unknown) => told.push(notification);
    const transport = await rehearse(peer, { onNotification, onProblem: () => {} });
    const onNeeded = vi.fn();
    transport.whenNeeded(onNeeded);
    const outcome = transport.ask({ id: "probe", method: "server/discover" });
    peer.say(createNotification("notifications/tools/list_changed"));
    peer.say(SERVER_REQUEST);
    peer.say({ jsonrpc: "2.0", id: "probe", result: {} });
    expect(await outcome).toMatchObject({ kind: "answer" });
    expect(told).toEqual([]);
    expect(onNeeded).not.toHaveBeenCalled();
    peer.say(createNotification("notifications/message", { level: "info", data: 1 }));
    await settled();
    expect(told).toHaveLength(1);
  });

  test("a ping is answered without the client", async () => {
    const { peer, transport } = await rehearsed();
    const onNeeded = vi.fn();
    transport.whenNeeded(onNeeded);
    peer.say({ jsonrpc: "2.0", id: "p", method: "ping" });
    await settled();
    expect(peer.sent).toEqual([{ jsonrpc: "2.0", id: "p", result: {} }]);
    expect(onNeeded).not.toHaveBeenCalled();
  });

  test.each([
    ["sends a request", SERVER_REQUEST],
    ["cancels a request", createNotification("notifications/cancelled", { requestId: "q" })],
    ["sends an invalid _meta", createNotification("notifications/tools/list_changed", { _meta: [] })],
    ["sends an invalid notification", { jsonrpc: "2.0", method: "notifications/message", more: 1 }],
  ])("the client is needed if the server %s", async (_, message) => {
    const { peer, told, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    const onNeeded = vi.fn();
    transport.whenNeeded(onNeeded);
    peer.say(message);
    peer.say(message);
    await settled();
    expect(onNeeded).toHaveBeenCalledOnce();
    expect(told).toEqual([]);
  });

  test("at most 100 server requests are kept, and the others are refused", async () => {
    const { peer, transport } = await rehearsed();
    await transport.ask({ id: 0, method: "initialize", params: {} });
    for (let index = 0; index < 150; index += 1) peer.say({ ...SERVER_REQUEST, id: `q${index}` });
    await settled();
    const onmessage = vi.fn();
    transport.onmessage = onmessage;
    transport.deliverKept();
    expect(onmessage).toHaveBeenCalledTimes(100);
    const refused = peer.sent.filter((message) => "error" in message);
    expect(refused.map((message) => message.id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `q${index + 100}`),
    );
    expect(refused[0]).toMatchObject({ error: { code: -32603 } });
  });

  test("an answer with its id as a string is accepted, one with another id is not", async () => {
    const peer = new Peer({ initialize: "silence" });
    const transport = await rehearse(peer, { onNotification: () => {}, onProblem: () => {} });
    const outcome = transport.ask({ id: 0, method: "initialize", params: {} });
    peer.say({ jsonrpc: "2.0", id: "00", result: { of: "another" } });
    peer.say({ jsonrpc: "2.0", id: "0", result: HANDSHAKE });
    expect(await outcome).toMatchObject({ kind: "answer", answer: { result: HANDSHAKE } });
  });

  test("transport errors go to onProblem, and then to the client", async () => {
    const { peer, problems, transport } = await rehearsed();
    peer.onerror?.(new Error("first"));
    const onerror = vi.fn();
    transport.onerror = onerror;
    peer.onerror?.(new Error("second"));
    expect(problems).toEqual([new Error("first")]);
    expect(onerror).toHaveBeenCalledExactlyOnceWith(new Error("second"));
  });

  test("the end also reaches a listener that is added later", async () => {
    const { peer, transport } = await rehearsed();
    await peer.close();
    const onEnded = vi.fn();
    transport.whenEnded(onEnded);
    await settled();
    expect(onEnded).toHaveBeenCalledOnce();
  });
});
