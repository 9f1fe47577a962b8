import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOfflineModel } from "../../apps/agent/src/offline-model/server.ts";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const FILES = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const SENTENCE = "The harbour light is green.";

let folder: string;
let model: Awaited<ReturnType<typeof startOfflineModel>>;
const children: ChildProcess[] = [];
const servers: Server[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "jackfield-examples-"));
  // What a user has: one server in the own file.
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "README.md"), SENTENCE);
  const config = { mcpServers: { files: { command: process.execPath, args: [FILES, folder] } } };
  writeFileSync(join(folder, "home", "mcp.json"), JSON.stringify(config));
  symlinkSync(join(HERE, "node_modules"), join(folder, "node_modules"));
  model = await startOfflineModel();
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(ended));
  for (const server of servers.splice(0)) server.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

function start(example: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, ["--no-warnings", resolve(HERE, example)], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      JACKFIELD_HOME: join(folder, "home"),
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "offline",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

/** What it printed, and how it ended. */
async function run(example: string, env?: NodeJS.ProcessEnv) {
  const child = start(example, env);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "close"),
  ]);
  return { stdout, stderr, code: child.exitCode };
}

/** Starts a server; gives its port, which it prints. */
async function listening(example: string, env: NodeJS.ProcessEnv, stream: "stdout" | "stderr" = "stdout") {
  const child = start(example, { MCP_CONFIG: join(folder, "home", "mcp.json"), PORT: "0", ...env });
  for await (const line of createInterface({ input: child[stream] as NodeJS.ReadableStream })) {
    const [, port] = /port:? (\d+)/.exec(line) ?? [];
    if (port !== undefined) return { child, url: `http://127.0.0.1:${port}` };
  }
  throw new Error(`${example} did not say its port.`);
}

/** SIGTERM; the exit code. */
async function terminated(child: ChildProcess): Promise<number | null> {
  child.kill("SIGTERM");
  await once(child, "exit");
  return child.exitCode;
}

const post = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test.each(["agent.mts", "agent-langchain.mts"])(
  "%s answers, and says what to set without a model",
  async (example) => {
    expect(await run(example)).toMatchObject({
      stdout: expect.stringContaining(SENTENCE),
      stderr: "",
      code: 0,
    });
    const unset = await run(example, { OPENAI_BASE_URL: "", OPENAI_API_KEY: "" });
    expect(unset.stderr).toMatch(/Set OPENAI_(BASE_URL|API_KEY)/);
    expect(unset.code).toBe(1);
  },
);

test("a CommonJS program requires jackfield", async () => {
  const { stdout, code } = await run("commonjs.cjs");
  expect(stdout).toContain("mcp__files__read_text_file of files");
  expect(code).toBe(0);
});

test("own tools stand beside those of servers, and a failure is shown", async () => {
  const { stderr, code } = await run("own-tools.mts");
  expect(stderr).toMatch(/^MCP_TOOL_UNKNOWN not-sent /m);
  expect(code).toBe(0);
});

test("the Hono app streams an answer, and ends on SIGTERM", async () => {
  const { child, url } = await listening("hono.mts", {});
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject([{ name: "files" }]);
  const parts = [{ type: "text", text: 'Read the text file with path "README.md".' }];
  const answer = await post(`${url}/api/chat`, { messages: [{ id: "1", role: "user", parts }] });
  expect(await answer.text()).toContain(SENTENCE);
  expect(await terminated(child)).toBe(0);
});

test("the LangGraph service asks before a call that may write, and goes on", async () => {
  const { child, url } = await listening("langgraph.mts", {});
  const say = 'Write the file with path "new.txt" and content "hello".';
  const asked = (await (await post(url, { thread: "1", say })).json()) as { waiting?: object[] };
  expect(JSON.stringify(asked.waiting)).toContain("mcp__files__write_file");
  const decide = { decisions: [{ type: "reject", message: "no" }] };
  const answered = (await (await post(url, { thread: "1", decide })).json()) as {
    text: string;
    waiting?: object[];
  };
  expect(answered.waiting).toBeUndefined();
  expect(await terminated(child)).toBe(0);
});

test("the service in a container is alive at once, ready with its servers, and ends on SIGTERM, without a home", async () => {
  const env = { JACKFIELD_HOME: undefined, HOME: undefined, MCP_CACHE: join(folder, "catalog") };
  const { child, url } = await listening("container/server.mts", env, "stderr");
  expect((await fetch(`${url}/live`)).status).toBe(200);
  const ready = await fetch(`${url}/ready`);
  expect(await ready.json()).toEqual([]);
  expect(await terminated(child)).toBe(0);
});

/** A remote server with one tool; gives its address. */
async function startTracker(): Promise<string> {
  const tracker = createServer(async (request, response) => {
    const { id, method } = request.method === "POST" ? JSON.parse(await text(request)) : {};
    if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answerTo(method) }));
  }).listen(0, "127.0.0.1");
  servers.push(tracker);
  await once(tracker, "listening");
  return `http://127.0.0.1:${(tracker.address() as AddressInfo).port}/mcp`;
}

/** Of packages in `node_modules`, esbuild does not say that an import has no effect; the workspace's own are elsewhere. */
const isOfUsers = ({ id }: { readonly id: string }) => id !== "ignored-bare-import";

const NODE = { bundle: true, platform: "node", logLevel: "silent" } as const;

test("the function, bundled into one file, answers with nothing installed", async () => {
  const outfile = join(folder, "bundle", "function.cjs");
  const entryPoints = [join(HERE, "serverless.mts")];
  const { warnings } = await build({ ...NODE, format: "cjs", entryPoints, outfile });
  expect(warnings.filter(isOfUsers)).toEqual([]);
  rmSync(join(folder, "node_modules"));
  const program = join(folder, "bundle", "invoke.mjs");
  writeFileSync(
    program,
    `const { handler } = (await import("./function.cjs")).default;
    console.log(await handler({ prompt: "Look up what is open." }));
    process.exit();`,
  );
  const { stdout, stderr } = await run(program, { TRACKER_URL: await startTracker() });
  expect(stderr).toBe("");
  expect(stdout).toContain("three issues");
});

test("jackfield in one ES module, without any setting, reaches a remote server", async () => {
  const outfile = join(folder, "bundle", "program.mjs");
  const contents = `import { openMcp } from "jackfield";
    const mcp = await openMcp({ discover: false, cache: false, servers: { tracker: { url: process.env.TRACKER_URL } } });
    console.log(JSON.stringify(await mcp.callTool({ server: "tracker", tool: "look_up" }, {})));
    await mcp.close();`;
  const { warnings } = await build({
    ...NODE,
    format: "esm",
    stdin: { contents, resolveDir: HERE },
    outfile,
  });
  expect(warnings.filter(isOfUsers)).toEqual([]);
  rmSync(join(folder, "node_modules"));
  const { stdout, stderr } = await run(outfile, { TRACKER_URL: await startTracker() });
  expect(stderr).toBe("");
  expect(stdout).toContain("three issues");
});

function answerTo(method: string): object {
  const tools = [{ name: "look_up", description: "Looks up what is open.", inputSchema: { type: "object" } }];
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "t", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: "three issues" }] } };
    default:
      return { error: { code: -32601, message: "no such method" } };
  }
}

test("telemetry prints the span of a connection", async () => {
  const { stdout, code } = await run("opentelemetry.mts");
  expect(stdout).toContain("connect files");
  expect(stdout).toContain("mcp.client.session.duration");
  expect(code).toBe(0);
});
