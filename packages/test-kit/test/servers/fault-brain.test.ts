import type { JsonObject } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createFaultBrain } from "../../src/servers/fault-brain.ts";
import type { ConversationScript } from "../../src/servers/fault-script.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const TOOLS = ["a", "b", "c"].map((name) => ({ name, inputSchema: { type: "object" as const } }));

function ask(script: ConversationScript, method: string, params: JsonObject = {}) {
  return createFaultBrain(script).receive({ jsonrpc: "2.0", id: 1, method, params });
}

function answer(script: ConversationScript, method: string, params: JsonObject = {}) {
  return ask(script, method, params).at(-1)?.message;
}

test("a legacy server accepts the client's version and rejects server/discover", () => {
  expect(answer({}, "initialize", { protocolVersion: "2025-06-18" })?.result).toMatchObject({
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "jackfield-fault-server" },
  });
  expect(answer({ protocolVersion: "2024-11-05" }, "initialize")?.result?.protocolVersion).toBe("2024-11-05");
  expect(answer({}, "server/discover", { _meta: META })?.error?.code).toBe(-32601);
});

test("a modern server answers server/discover and rejects initialize", () => {
  const script = { era: "modern", instructions: "Be kind." } as const;
  expect(answer(script, "server/discover", { _meta: META })?.result).toMatchObject({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    instructions: "Be kind.",
    ttlMs: 0,
    cacheScope: "private",
  });
  expect(answer(script, "initialize")?.error?.code).toBe(-32601);
});

test("a modern server rejects a request without the envelope or with another version", () => {
  expect(answer({ era: "modern" }, "tools/list")?.error?.code).toBe(-32602);
  const other = answer({ era: "modern", protocolVersion: "2030-01-01" }, "tools/list", { _meta: META });
  expect(other?.error).toMatchObject({
    code: -32022,
    data: { supported: ["2030-01-01"], requested: "2026-07-28" },
  });
});

test("a dual server serves each client in its own era", () => {
  const script = { era: "dual" } as const;
  expect(answer(script, "initialize")?.result?.resultType).toBeUndefined();
  expect(answer(script, "tools/list")?.result?.resultType).toBeUndefined();
  expect(answer(script, "tools/list", { _meta: META })?.result?.resultType).toBe("complete");
  expect(answer(script, "server/discover", { _meta: META })?.result).toBeDefined();
});

test("each tool answers according to its name", () => {
  const call = (name: string) => answer({}, "tools/call", { name, arguments: { a: 1 } })?.result;
  expect(call("echo")).toEqual({ content: [{ type: "text", text: '{"a":1}' }] });
  expect(call("fail")).toMatchObject({ isError: true });
  expect(call("structured")).toMatchObject({ structuredContent: { a: 1 } });
  expect(call("image")).toMatchObject({ content: [{ type: "image", mimeType: "image/png" }] });
  expect(answer({}, "tools/call", { name: "nobody" })?.error?.code).toBe(-32602);
  expect(answer({ tools: TOOLS }, "tools/call", { name: "a" })?.result).toEqual({
    content: [{ type: "text", text: "{}" }],
  });
});

test("tools/list returns pages, the last one without a cursor", () => {
  const brain = createFaultBrain({ tools: TOOLS, pageSize: 2 });
  const page = (cursor?: unknown) =>
    brain.receive({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor } })[0]?.message.result;
  expect(page()).toEqual({ tools: TOOLS.slice(0, 2), nextCursor: "2" });
  expect(page("2")).toEqual({ tools: TOOLS.slice(2) });
});

test("tools/list can repeat a cursor or page without end", () => {
  const repeat = (cursor?: string) =>
    answer({ repeatCursor: true }, "tools/list", { cursor })?.result?.nextCursor;
  expect([repeat(), repeat("again")]).toEqual(["again", "again"]);
  const endless = (cursor?: string) =>
    answer({ endlessPages: true }, "tools/list", { cursor })?.result?.nextCursor;
  expect([endless(), endless("1"), endless("2")]).toEqual(["1", "2", "3"]);
});

test("scripted resources and prompts are announced and served", () => {
  const script = { resources: [{ uri: "file:///a", name: "a" }], prompts: [{ name: "greet" }] };
  expect(answer(script, "initialize")?.result?.capabilities).toMatchObject({ resources: {}, prompts: {} });
  expect(answer(script, "resources/list")?.result).toEqual({ resources: script.resources });
  expect(answer(script, "resources/read", { uri: "file:///a" })?.result).toMatchObject({
    contents: [{ uri: "file:///a" }],
  });
  expect(answer(script, "prompts/list")?.result).toEqual({ prompts: script.prompts });
  expect(answer(script, "prompts/get", { name: "greet" })?.result).toMatchObject({
    messages: [{ role: "user" }],
  });
});

test("scripted errors, silence and delays apply to their methods only", () => {
  const script = {
    errorOn: { "tools/list": { code: -32000, message: "No.", data: { a: 1 } } },
    silentOn: ["ping"],
    answerLateMs: { "tools/call": 50 },
  };
  expect(answer(script, "tools/list")?.error).toEqual({ code: -32000, message: "No.", data: { a: 1 } });
  expect(ask(script, "ping")).toEqual([]);
  expect(ask(script, "tools/call", { name: "echo" }).map(({ afterMs }) => afterMs)).toEqual([50]);
  expect(ask(script, "initialize").map(({ afterMs }) => afterMs)).toEqual([0]);
});

test("progress can stay constant", () => {
  const script = { progress: 3, constantProgress: true, answerLateMs: { "tools/call": 40 } };
  const params = { name: "echo", _meta: { progressToken: "t" } };
  const sent = ask(script, "tools/call", params).map(({ message }) => message.params?.progress);
  expect(sent).toEqual([1, 1, 1, undefined]);
});

test("progress is spread over a late call, and sent even if no answer follows", () => {
  const script = { progress: 3, answerLateMs: { "tools/call": 40 } };
  const params = { name: "echo", _meta: { progressToken: "t" } };
  expect(ask(script, "tools/call", params).map(({ afterMs }) => afterMs)).toEqual([10, 20, 30, 40]);
  const silent = ask({ ...script, silentOn: ["tools/call"] }, "tools/call", params);
  expect(silent.map(({ message }) => message.params)).toEqual(
    [1, 2, 3].map((progress) => ({ progressToken: "t", progress, total: 3 })),
  );
  expect(ask(script, "tools/call", { name: "echo" })).toHaveLength(1);
});

test("a call can change the tool list and notify a legacy client", () => {
  const brain = createFaultBrain({ listChangedAfterCall: TOOLS });
  const steps = brain.receive({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } });
  expect(steps.map(({ message, channel }) => [message.method, channel])).toEqual([
    [undefined, "request"],
    ["notifications/tools/list_changed", "session"],
  ]);
  const list = brain.receive({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect(list[0]?.message.result).toEqual({ tools: TOOLS });
});

test("a modern client is notified only on its subscription, until it cancels it", () => {
  const brain = createFaultBrain({ era: "modern", listChangedAfterCall: true });
  const call = () =>
    brain
      .receive({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", _meta: META } })
      .slice(1)
      .map(({ channel, message }) => [channel, message.params]);
  expect(call()).toEqual([]);

  const notifications = { toolsListChanged: true };
  const listen = { _meta: META, notifications };
  const [acknowledged] = brain.receive({
    jsonrpc: "2.0",
    id: "s",
    method: "subscriptions/listen",
    params: listen,
  });
  const stamp = { "io.modelcontextprotocol/subscriptionId": "s" };
  expect(acknowledged?.message).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { _meta: stamp, notifications },
  });
  expect(call()).toEqual([[{ subscription: "s" }, { _meta: stamp }]]);

  brain.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } });
  expect(call()).toEqual([]);
});

test("notifications and responses are not answered", () => {
  const brain = createFaultBrain({});
  expect(brain.receive({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([]);
  expect(brain.receive({ jsonrpc: "2.0", id: 1, result: {} })).toEqual([]);
});

test("an unknown method is rejected as not found", () => {
  expect(answer({}, "no/such")?.error?.code).toBe(-32601);
  expect(answer({}, "subscriptions/listen")?.error?.code).toBe(-32601);
});
