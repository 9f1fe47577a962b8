import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  type ResolvedServer,
  type ResolvedStdioServer,
  type Session,
  silentLogger,
} from "@jackfield/mcp-core";
import { type LeakCheck, leakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConnector } from "../src/index.ts";
import { connect, failureOf } from "./connecting.ts";

const EVERYTHING = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const MODERN = fileURLToPath(new URL("fixtures/modern-server.mjs", import.meta.url));
const never = { signal: new AbortController().signal };

const nodeServer = (name: string, ...args: string[]): ResolvedStdioServer => ({
  transport: "stdio",
  name,
  command: process.execPath,
  args,
  env: {},
  secrets: [],
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

/** A definition, and what ends the program behind it. */
interface StartedServer {
  readonly server: ResolvedServer;
  stop(): Promise<void>;
}

async function everythingOverHttp(): Promise<StartedServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes(String(port))) break;
  child.stdout.resume();
  const url = `http://127.0.0.1:${port}/mcp`;
  return {
    server: { transport: "http", name: "everything", url, headers: {}, secrets: [] },
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

const everythingOverStdio = async (): Promise<StartedServer> => ({
  server: nodeServer("everything", EVERYTHING, "stdio"),
  stop: async () => {},
});

describe.each([
  ["stdio", everythingOverStdio],
  ["Streamable HTTP", everythingOverHttp],
] as const)("the reference server over %s", (_, start) => {
  const roots = async () => [{ uri: "file:///work", name: "work" }];
  let check: LeakCheck;
  let started: StartedServer;
  let session: Session;

  // The server takes long to start, so all tests talk to the same one.
  beforeAll(async () => {
    check = leakCheck();
    started = await start();
    session = await createConnector()(started.server, {
      ...never,
      log: silentLogger,
      handlers: { roots },
    });
    // What a session keeps open is open before the first test, which is checked for leftovers.
    await session.list("tools", never);
  });
  afterAll(async () => {
    await session.close();
    await started.stop();
    await check.assertClean();
  });

  test("connects and lists tools, resources, templates and prompts", async () => {
    expect(session.handshake).toMatchObject({ era: "legacy", serverInfo: { name: expect.any(String) } });
    const tools = (await session.list("tools", never)).items.map(({ name }) => name);
    expect(tools).toEqual(expect.arrayContaining(["echo", "get-tiny-image", "get-structured-content"]));
    expect((await session.list("resources", never)).items.length).toBeGreaterThan(0);
    expect((await session.list("resourceTemplates", never)).items.length).toBeGreaterThan(0);
    expect((await session.list("prompts", never)).items.length).toBeGreaterThan(0);
  });

  test("[H14] answers calls with text, images and data", async () => {
    const echo = await session.request("tools/call", { name: "echo", arguments: { message: "hello" } });
    expect(echo.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    const image = await session.request("tools/call", { name: "get-tiny-image", arguments: {} });
    expect(image.content.map(({ type }) => type)).toContain("image");
    const name = "get-structured-content";
    const data = await session.request("tools/call", { name, arguments: { location: "New York" } });
    expect(data.structuredContent).toMatchObject({ temperature: expect.any(Number) });
  });

  test("[H13] answers wrong arguments with isError", async () => {
    const result = await session.request("tools/call", { name: "echo", arguments: {} });
    expect(result.isError).toBe(true);
  });

  test("returns a resource and a prompt, and refuses an unknown resource", async () => {
    const [resource] = (await session.list("resources", never)).items;
    const { contents } = await session.request("resources/read", { uri: resource?.uri ?? "" });
    expect(contents[0]?.uri).toBe(resource?.uri);
    const { messages } = await session.request("prompts/get", { name: "simple-prompt" });
    expect(messages[0]?.role).toBe("user");
    expect(await failureOf(session.request("resources/read", { uri: "nothing://here" }))).toMatchObject({
      code: "MCP_REQUEST_REJECTED",
      outcome: "rejected",
    });
  });

  test("reports the progress of a long call", async () => {
    const seen: number[] = [];
    await session.request(
      "tools/call",
      { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  test("asks the host for its roots", async () => {
    const result = await session.request("tools/call", { name: "get-roots-list", arguments: {} });
    expect(JSON.stringify(result.content)).toContain("file:///work");
  });
});

test("an official SDK server that supports both eras is connected in the modern era", async () => {
  const session = await connect(nodeServer("both", MODERN));
  expect(session.handshake).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
  const result = await session.request("tools/call", { name: "greet", arguments: { name: "Ada" } });
  expect(result.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  const again = await connect(nodeServer("both", MODERN), { prior: session.handshake.prior });
  expect((await again.list("tools", never)).items.map(({ name }) => name)).toEqual(["greet", "publish"]);
});

test("an official SDK server in the modern era reports a resource only while subscribed", async () => {
  const session = await connect(nodeServer("both", MODERN));
  const heard: unknown[] = [];
  session.onNotification((notification) => heard.push(notification));
  await session.request("tools/call", { name: "publish" });
  expect(await session.request("resources/subscribe", { uri: "memo://news" })).toEqual({});
  await session.request("tools/call", { name: "publish" });
  expect(await session.request("resources/unsubscribe", { uri: "memo://news" })).toEqual({});
  await session.request("tools/call", { name: "publish" });
  const params = expect.objectContaining({ uri: "memo://news" });
  expect(heard).toEqual([{ method: "notifications/resources/updated", params }]);
});

describe.concurrent("the small reference servers", () => {
  const program = (url: string) => fileURLToPath(url);
  const servers = {
    filesystem: {
      args: [
        program(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")),
        import.meta.dirname,
      ],
      call: { name: "list_directory", arguments: { path: import.meta.dirname } },
    },
    memory: {
      args: [program(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"))],
      call: { name: "read_graph", arguments: {} },
    },
    "sequential-thinking": {
      args: [program(import.meta.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js"))],
      call: {
        name: "sequentialthinking",
        arguments: { thought: "One.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
      },
    },
  };

  test.each(Object.entries(servers))(
    "%s declares an outputSchema and answers with structuredContent",
    async (name, { args, call }) => {
      const session = await connect(nodeServer(name, ...args));
      const { items } = await session.list("tools", never);
      expect(items.find((tool) => tool.name === call.name)?.outputSchema).toMatchObject({ type: "object" });
      const { isError, structuredContent } = await session.request("tools/call", call);
      expect(isError ?? false).toBe(false);
      expect(structuredContent).toEqual(expect.any(Object));
    },
  );
});
