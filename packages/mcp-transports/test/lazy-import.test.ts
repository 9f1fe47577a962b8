import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startHttpServer } from "./http-server.ts";
import { scriptedServer } from "./scripted-server.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/imports.mjs", import.meta.url));

test("a legacy stdio session never loads the SDK", async () => {
  const server = scriptedServer((message, { send, refuse }) => {
    const state = globalThis as { asked?: number | string | undefined };
    if (message.id === "question") {
      const { result } = message as { readonly result?: object };
      send({ id: state.asked, result: { content: [], structuredContent: { ...result } } });
      return true;
    }
    if (message.method !== "tools/call") return undefined;
    const { name, _meta } = message.params;
    if (name === "echo") {
      send({ method: "notifications/tools/list_changed" });
      send({
        method: "notifications/progress",
        params: { progressToken: _meta.progressToken, progress: 1 },
      });
      return undefined;
    }
    if (name === "refuse") {
      refuse(-32602, "No such tool");
      return true;
    }
    state.asked = message.id;
    send({ id: "question", method: "roots/list" });
    return true;
  });
  const args = ["--no-warnings", FIXTURE, JSON.stringify(server)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({
    steps: {
      import: false,
      handshake: false,
      "list of tools": false,
      call: false,
      ping: false,
      "refused call": false,
      "call that was given up": false,
      news: false,
      "list of resources": false,
      "question of the server": false,
    },
    undici: false,
    progress: 1,
    refused: "MCP_TOOL_REJECTED",
    news: ["notifications/tools/list_changed"],
    answered: { roots: [{ uri: "file:///work" }] },
    resources: 1,
  });
  // No message was sent twice.
  const methods = server.received().map(({ method }) => method);
  for (const method of ["server/discover", "initialize", "notifications/initialized"])
    expect(methods.filter((name) => name === method)).toHaveLength(1);
});

const ALL = fileURLToPath(new URL("fixtures/all-imports.mjs", import.meta.url));
const EVERYTHING = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

test("every kind of request to the reference server works without loading the SDK", async () => {
  const program = { command: process.execPath, args: [EVERYTHING, "stdio"], env: {}, secrets: [] };
  const server = { transport: "stdio", name: "everything", ...program };
  const args = ["--no-warnings", ALL, JSON.stringify(server)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({
    isSdkLoaded: false,
    counts: { tools: 12, resources: 7, resourceTemplates: 2, prompts: 4 },
    kinds: ["text", "image", "resource_link", "resource"],
    contents: 1,
    messages: 1,
    values: ["Engineering"],
  });
});

const MODERN = fileURLToPath(new URL("fixtures/modern-imports.mjs", import.meta.url));

test.each([
  ["that reports changes", { listChanged: true }],
  ["that reports no changes", {}],
])("a session with a modern server %s works without loading the SDK", async (_, tools) => {
  const server = scriptedServer(
    (message, { send }) => {
      if (message.method === "subscriptions/listen") {
        const mark = { "io.modelcontextprotocol/subscriptionId": message.id };
        const params = { _meta: mark, notifications: message.params.notifications };
        send({ method: "notifications/subscriptions/acknowledged", params });
        send({ method: "notifications/tools/list_changed", params: { _meta: mark } });
        return true;
      }
      if (message.method !== "tools/call") return undefined;
      const _meta = { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } };
      const content = [{ type: "text", text: "done" }];
      send({ id: message.id, result: { resultType: "complete", content, _meta } });
      return true;
    },
    { isModern: true, capabilities: { tools } },
  );
  const args = ["--no-warnings", MODERN, JSON.stringify(server)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const result = {
    content: [{ type: "text", text: "done" }],
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
  };
  expect(JSON.parse(stdout)).toEqual({
    handshake: false,
    "list of tools": false,
    called: result,
    tools: ["echo"],
    news: "listChanged" in tools ? ["notifications/tools/list_changed"] : [],
    "in the end": false,
  });
});

const OVER_HTTP = fileURLToPath(new URL("fixtures/http-imports.mjs", import.meta.url));

test("an HTTP session connects, lists and calls without loading the SDK", async () => {
  const { log, ...server } = await startHttpServer();
  const args = ["--no-warnings", OVER_HTTP, JSON.stringify(server)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ isSdkLoaded: false, tools: 1, result: expect.any(Object) });
  const posts = log.map(({ what }) => what).filter((what) => what.startsWith("POST"));
  expect(posts).toEqual([
    "POST server/discover",
    "POST initialize",
    "POST notifications/initialized",
    "POST tools/list",
    "POST tools/call",
  ]);
});
