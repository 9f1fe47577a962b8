import { type CatalogKind, isMcpError, McpError } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createFakeSession } from "../src/fake-session.ts";

const never = new AbortController().signal;
const crash = new McpError("MCP_SERVER_EXITED", "The process ended.");
const hang = () => new Promise<never>(() => {});

test("a call echoes its arguments and is recorded with its options", async () => {
  const session = createFakeSession();
  const result = await session.request("tools/call", { name: "echo", arguments: { a: 1 } }, { timeoutMs: 5 });
  expect(result).toEqual({ content: [{ type: "text", text: '{"a":1}' }] });
  expect(session.requests).toEqual([
    { method: "tools/call", params: { name: "echo", arguments: { a: 1 } }, options: { timeoutMs: 5 } },
  ]);
});

test("other requests get the smallest valid answer", async () => {
  const session = createFakeSession();
  expect(await session.request("ping", undefined)).toEqual({});
  expect(await session.request("resources/read", { uri: "file:///a" })).toEqual({ contents: [] });
  expect(session.requests[0]).toEqual({ method: "ping", params: {}, options: {} });
});

test("a custom answer receives method, parameters and options", async () => {
  const session = createFakeSession({
    answer: (method, params, options) => ({
      content: [{ type: "text", text: `${method} ${params.name}` }],
      _meta: options.meta,
    }),
  });
  const result = await session.request("tools/call", { name: "x" }, { meta: { trace: 1 } });
  expect(result).toEqual({ content: [{ type: "text", text: "tools/call x" }], _meta: { trace: 1 } });
});

test("a custom answer that throws rejects the request, always with an McpError", async () => {
  const rejected = new McpError("MCP_TOOL_REJECTED", "No.");
  const errors = [rejected, new TypeError("a mistake")];
  const session = createFakeSession({
    answer: () => {
      throw errors.shift();
    },
  });
  await expect(session.request("tools/call", { name: "x" })).rejects.toBe(rejected);
  await expect(session.request("tools/call", { name: "x" })).rejects.toMatchObject({ code: "MCP_INTERNAL" });
});

test("lists return the items set for each kind, and are recorded", async () => {
  const session = createFakeSession({
    tools: [{ name: "one", inputSchema: { type: "object" } }],
    items: { prompts: [{ name: "greet" }] },
    ttlMs: 7,
  });
  const kinds: CatalogKind[] = ["tools", "prompts", "resources", "resourceTemplates"];
  const lists = await Promise.all(kinds.map((kind) => session.list(kind, { signal: never })));
  expect(lists.map(({ items }) => items.map((item) => item.name))).toEqual([["one"], ["greet"], [], []]);
  expect(lists[0]?.ttlMs).toBe(7);
  expect(session.listed).toEqual(kinds);

  session.setTools([{ name: "two", inputSchema: { type: "object" } }]);
  expect((await session.list("tools", { signal: never })).items.map(({ name }) => name)).toEqual(["two"]);
});

test("lists fail until failLists is cleared", async () => {
  const session = createFakeSession();
  session.failLists(crash);
  await expect(session.list("tools", { signal: never })).rejects.toBe(crash);
  session.failLists(undefined);
  await expect(session.list("tools", { signal: never })).resolves.toEqual({ items: [] });
});

test("a held list waits for the last release, then returns the current tools", async () => {
  const session = createFakeSession();
  const releases = [session.holdLists(), session.holdLists()];
  const list = session.list("tools", { signal: never });
  releases[0]?.();
  session.setTools([{ name: "late", inputSchema: { type: "object" } }]);
  releases[1]?.();
  expect((await list).items.map(({ name }) => name)).toEqual(["late"]);
});

test("a held list and a hanging request reject when their signals fire", async () => {
  const session = createFakeSession({ answer: hang });
  session.holdLists();
  const controller = new AbortController();
  const list = session.list("tools", controller);
  const request = session.request("tools/call", { name: "x" }, controller);
  controller.abort();
  await expect(list).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
  await expect(request).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
  const late = session.request("tools/call", { name: "x" }, controller);
  await expect(late).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
});

test("pending and later requests reject when the session is lost", async () => {
  const session = createFakeSession({ answer: hang });
  session.holdLists();
  const list = session.list("tools", { signal: never });
  const request = session.request("ping", undefined);
  session.lose(crash);
  await expect(list).rejects.toMatchObject({ code: "MCP_SESSION_LOST", cause: crash });
  await expect(request).rejects.toMatchObject({ code: "MCP_SESSION_LOST", outcome: "unknown" });
  await expect(session.request("ping", undefined)).rejects.toMatchObject({ outcome: "not-sent" });
  expect(session.closed).toBe(true);
  expect(session.closeCount).toBe(0);
});

test("a pending request rejects when the session is closed", async () => {
  const session = createFakeSession({ answer: hang });
  const request = session.request("ping", undefined);
  await session.close();
  await expect(request).rejects.toSatisfy((error) => isMcpError(error, "MCP_CLOSED"));
});

test("onClose listeners hear the cause once, late ones at once", async () => {
  const heard: unknown[] = [];
  const lost = createFakeSession();
  lost.onClose((cause) => heard.push(cause));
  lost.lose(crash);
  await lost.close();
  lost.onClose((cause) => heard.push(cause));
  expect(heard).toEqual([crash, crash]);

  const closed = createFakeSession();
  const stop = closed.onClose(() => heard.push("was taken back"));
  stop();
  closed.onClose((cause) => heard.push(cause));
  await closed.close();
  await closed.close();
  expect(heard).toEqual([crash, crash, undefined]);
  expect(closed.closeCount).toBe(2);
});

test("a held close closes the session at once but resolves on release", async () => {
  const session = createFakeSession();
  const release = session.holdClose();
  let resolved = false;
  const closing = session.close().then(() => {
    resolved = true;
  });
  await Promise.resolve();
  expect([session.closed, resolved]).toEqual([true, false]);
  release();
  await closing;
  expect(resolved).toBe(true);
});

test("notifications and renewals reach listeners until they are removed", () => {
  const session = createFakeSession();
  const heard: string[] = [];
  const stops = [
    session.onNotification(({ method }) => heard.push(method)),
    session.onRenewed(() => heard.push("renewed")),
  ];
  session.notify({ method: "notifications/tools/list_changed" });
  session.renew();
  for (const stop of stops) stop();
  session.notify({ method: "notifications/tools/list_changed" });
  session.renew();
  expect(heard).toEqual(["notifications/tools/list_changed", "renewed"]);
});

test("the handshake and its prior are modern unless the options say legacy", () => {
  expect(createFakeSession().handshake).toMatchObject({
    era: "modern",
    protocolVersion: "2026-07-28",
    prior: { era: "modern" },
  });
  const legacy = createFakeSession({ handshake: { era: "legacy", instructions: "Be kind." } }).handshake;
  expect(legacy).toMatchObject({ era: "legacy", instructions: "Be kind.", prior: { era: "legacy" } });
});
