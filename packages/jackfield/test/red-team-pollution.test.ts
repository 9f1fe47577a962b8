import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";
import { hostileServer, openGuarded, seenByModels } from "./red-team-runtime.ts";

useLeakCheck();

const positions: string[] = [];

/** Members that would change every object if they were copied; they name their position. */
function poison(position: string): Record<string, never> {
  positions.push(position);
  const where = JSON.stringify({ polluted: position });
  return JSON.parse(`{"__proto__":${where},"constructor":{"prototype":${where}},"prototype":${where}}`);
}

const schema = (position: string) => ({
  type: "object" as const,
  properties: {
    a: { type: "string", ...poison(`${position}.properties.a`) },
    ...poison(`${position}.properties`),
  },
  $defs: poison(`${position}.$defs`),
  ...poison(position),
});
const text = { type: "text", text: "ok" };
const notification = (method: string, params: object) => ({ jsonrpc: "2.0", method, params });

/** Poisons every place where a server may put an object. */
const SCRIPT = {
  handshake: {
    capabilities: {
      tools: { listChanged: true, ...poison("initialize.capabilities.tools") },
      resources: { subscribe: true },
      prompts: {},
      logging: {},
      experimental: {
        ours: poison("initialize.capabilities.experimental"),
        ...poison("initialize.experimental"),
      },
      ...poison("initialize.capabilities"),
    },
    serverInfo: {
      name: "hostile",
      version: "1",
      icons: [{ src: "data:,", ...poison("initialize.icons") }],
      ...poison("initialize.serverInfo"),
    },
    _meta: poison("initialize._meta"),
    ...poison("initialize"),
  },
  listing: { _meta: poison("tools/list._meta"), ...poison("tools/list") },
  tools: [
    {
      name: "read",
      inputSchema: schema("tool.inputSchema"),
      annotations: { readOnlyHint: true, ...poison("tool.annotations") },
      _meta: poison("tool._meta"),
      icons: [{ src: "data:,", ...poison("tool.icons") }],
      ...poison("tool"),
    },
    { name: "count", inputSchema: { type: "object" as const }, outputSchema: schema("tool.outputSchema") },
    { name: "fail", inputSchema: { type: "object" as const } },
  ],
  answers: {
    read: {
      notify: [
        ...["__proto__", "constructor", "hasOwnProperty"].map((method) =>
          notification(method, poison(`method ${method}`)),
        ),
        notification("notifications/message", {
          level: "info",
          data: poison("message.data"),
          ...poison("message"),
        }),
        notification("notifications/progress", {
          progressToken: "__proto__",
          progress: 1,
          ...poison("progress"),
        }),
        notification("notifications/resources/updated", { uri: "a:b", ...poison("resources/updated") }),
        notification("notifications/cancelled", { requestId: "__proto__", ...poison("cancelled") }),
      ],
      ask: { method: "ping", params: poison("ping") },
      result: {
        content: [
          {
            ...text,
            annotations: poison("content.annotations"),
            _meta: poison("content._meta"),
            ...poison("content"),
          },
          { type: "resource", resource: { uri: "a:b", text: "ok", ...poison("content.resource") } },
        ],
        _meta: poison("result._meta"),
        ...poison("result"),
      },
    },
    count: {
      result: {
        content: [text],
        structuredContent: {
          a: "1",
          list: [poison("structuredContent.list")],
          ...poison("structuredContent"),
        },
      },
    },
    fail: { error: { code: -32_000, message: "no", data: poison("error.data"), ...poison("error") } },
  },
  replies: {
    "resources/list": {
      resources: [{ uri: "a:b", name: "b", ...poison("resource") }],
      ...poison("resources/list"),
    },
    "resources/templates/list": {
      resourceTemplates: [{ uriTemplate: "a:{b}", name: "c", ...poison("template") }],
    },
    "resources/read": { contents: [{ uri: "a:b", text: "ok", ...poison("resources/read") }] },
    "prompts/list": {
      prompts: [{ name: "p", arguments: [{ name: "a", ...poison("argument") }], ...poison("prompt") }],
    },
    "prompts/get": { messages: [{ role: "user", content: { ...text, ...poison("prompts/get") } }] },
  },
};

/** Whether an object, or one in it, inherits from anything but what objects and lists inherit from. */
function isChanged(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const parent = Object.getPrototypeOf(value);
  if (parent !== Object.prototype && parent !== Array.prototype) return true;
  return Object.values(value).some(isChanged);
}

test("[T58] __proto__ and constructor members anywhere in a server's messages change no object", async () => {
  using folder = temporaryFolder();
  const before = Object.getOwnPropertyNames(Object.prototype);
  const { mcp } = await openGuarded({
    servers: { hostile: hostileServer(folder, "hostile", SCRIPT).entry },
    cache: { path: folder.file("cache") },
  });
  const heard: { readonly method: string }[] = [];
  mcp.on("notification", (event) => heard.push(event));
  const seen: string[] = [];
  for (const { name } of mcp.tools()) seen.push(...Object.values(await seenByModels(mcp, name)));
  const given = {
    tools: mcp.tools(),
    result: await mcp.callTool("mcp__hostile__count", {}),
    resources: await mcp.resources(),
    resource: await mcp.readResource("hostile", "a:b"),
    prompts: await mcp.prompts(),
    prompt: await mcp.getPrompt("hostile", "p"),
    heard,
  };
  await mcp.close();
  expect(positions.length).toBeGreaterThanOrEqual(30);
  expect(given).toMatchObject({
    tools: [{ originalName: "count" }, { originalName: "fail" }, { originalName: "read" }],
    result: { structuredContent: { a: "1" } },
    resources: [{ uri: "a:b" }],
    prompts: [{ name: "p" }],
  });
  expect(heard.map(({ method }) => method)).toContain("notifications/message");
  expect(seen.filter((text) => !/ok|MCP_TOOL_REJECTED/.test(text))).toEqual([]);
  expect(Object.entries(given).flatMap(([name, value]) => (isChanged(value) ? [name] : []))).toEqual([]);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
});
