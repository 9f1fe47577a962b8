import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { memoryStateStore, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { ORDER } from "./red-team-answers.ts";
import { type GuardedRuntime, hostileServer, offeredToModels, openGuarded } from "./red-team-runtime.ts";

const COMMAND = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));

useLeakCheck();

let folder: TemporaryFolder;
let opened: GuardedRuntime[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await Promise.all(opened.map(({ mcp }) => mcp.close()));
  opened = [];
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

async function open(...settings: Parameters<typeof openGuarded>) {
  const runtime = await openGuarded(...settings);
  opened.push(runtime);
  return runtime;
}

const read = { name: "read", description: ORDER, inputSchema: { type: "object" as const } };

test("[T53] nothing of a server that nobody has approved reaches an adapter, and it is not started", async () => {
  const server = hostileServer(folder, "hostile", { tools: [read], instructions: ORDER });
  const project = folder.file("");
  writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: { [ORDER]: server.entry } }));
  const { mcp } = await open({
    cwd: project,
    discover: { cwd: project, home: folder.file("home"), env: {} },
    approvals: memoryStateStore(),
  });
  expect(mcp.report.blocked).toMatchObject([{ name: ORDER }]);
  expect(offeredToModels(mcp)).toEqual({ aiSdk: "[]", langchain: "[]" });
  const call = mcp.callTool({ server: ORDER, tool: "read" }, {}, { audience: "model" });
  await expect(call).rejects.toMatchObject({ code: "MCP_APPROVAL_REQUIRED" });
  expect(server.records()).toEqual([]);
});

test("[T68] a server that asks for ever before it answers is given up, and told its own state alone", async () => {
  const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
  const params = { mode: "form", message: "Which?", requestedSchema };
  const inputRequired = (state: string) => ({
    inputRequests: { q: { method: "elicitation/create", params } },
    requestState: state,
  });
  const server = hostileServer(folder, "hostile", {
    isModern: true,
    tools: ["one", "two"].map((name) => ({ ...read, name })),
    answers: {
      one: { inputRequired: inputRequired("état of one\u0000") },
      two: { inputRequired: inputRequired("of two") },
    },
  });
  let asked = 0;
  const elicit = async () => {
    asked += 1;
    return { action: "accept", content: { a: "that" } } as const;
  };
  const { mcp } = await open({ servers: { hostile: server.entry }, handlers: { elicit } });
  const calls = await Promise.allSettled(mcp.tools().map(({ name }) => mcp.callTool(name, {})));
  expect(calls.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(2 * 10);
  const states = (tool: string) =>
    server.records().flatMap(({ call, state }) => (call === tool && state !== undefined ? [state] : []));
  expect(new Set(states("one"))).toEqual(new Set(["état of one\u0000"]));
  expect(new Set(states("two"))).toEqual(new Set(["of two"]));
});

describe("secrets that a server was given", () => {
  /** Without anything by which it could be told from other text. */
  const CANARIES = Array.from({ length: 12 }, () => randomBytes(9).toString("hex"));

  /** Everything that comes out of a runtime whose servers fail in several ways, at the finest level of logging. */
  async function outputs() {
    const said: unknown[] = [];
    const [argument = "", variable = "", spoken = "", inUrl = "", inHeader = "", user = "", ...rest] =
      CANARIES;
    vi.stubEnv("RED_TEAM_TOKEN", rest[0]);
    const server = hostileServer(folder, "hostile", {
      tools: [read],
      answers: { read: { error: { code: -32000, message: `no access with ${spoken}` } } },
    });
    const { command, args } = server.entry;
    const shout = "console.error(process.env.KEY, process.argv.slice(1).join(' ')); process.exit(3)";
    const { mcp } = await open({
      servers: {
        speaks: { command, args: [...args, argument], env: { KEY: variable, API_TOKEN: spoken } },
        exits: { command, args: ["-e", shout, "--token=${RED_TEAM_TOKEN}"], env: { KEY: rest[1] ?? "" } },
        remote: {
          url: `http://${user}:${rest[2]}@127.0.0.1:1/mcp?token=${inUrl}`,
          headers: { authorization: `Bearer ${inHeader}`, "x-key": rest[3] ?? "" },
        },
      },
      cache: { path: folder.file("cache") },
      retry: { maxRetries: 0 },
      log: (...line) => void said.push(line),
    });
    const calls = ["speaks", "exits", "remote"].map((name) =>
      mcp.callTool({ server: name, tool: "read" }, {}).catch((error: unknown) => said.push(error)),
    );
    await Promise.all(calls);
    said.push(mcp.report, mcp.servers(), mcp.tools(), mcp);
    await mcp.close();
    const kept = readdirSync(folder.file("cache")).map((name) =>
      readFileSync(folder.file(`cache/${name}`), "latin1"),
    );
    const shown = said.map((value) => `${inspect(value, { depth: 20, showHidden: true })}${stackOf(value)}`);
    return { logged: shown.join("\n"), json: JSON.stringify(said), kept: kept.join("\n") };
  }

  test("[T90][T91][T92] are in no log, error, stack, report, dump or file, neither whole nor in part nor encoded", async () => {
    const { logged, json, kept } = await outputs();
    expect(logged).toContain("no access with");
    expect(logged.length).toBeGreaterThan(2_000);
    const forms = (secret: string) => [
      secret,
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
      ...Array.from({ length: secret.length - 7 }, (_, from) => secret.slice(from, from + 8)),
    ];
    const leaked = Object.entries({ logged, json, kept }).flatMap(([where, text]) =>
      CANARIES.flatMap((secret, index) =>
        forms(secret).flatMap((form) =>
          text.includes(form) ? [`${where}: ${form} of canary ${index}`] : [],
        ),
      ),
    );
    expect(leaked).toEqual([]);
  });
});

function stackOf(value: unknown): string {
  return value instanceof Error ? `${value.stack}${stackOf(value.cause)}` : "";
}

test("[T95] everything that is kept is kept under JACKFIELD_HOME, and nothing in the user's home", async () => {
  const server = hostileServer(folder, "hostile", { tools: [read] });
  const home = folder.file("user");
  const file = folder.file("servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { hostile: server.entry } }));
  const env = { PATH: process.env.PATH, HOME: home, JACKFIELD_HOME: folder.file("kept") };
  const argv = [COMMAND, "status", "--config", file, "--no-discover"];
  await promisify(execFile)(process.execPath, argv, { cwd: folder.path, env });
  expect(readdirSync(folder.path).sort()).toEqual(
    ["hostile.json", "hostile.record", "kept", "servers.json"].sort(),
  );
  expect(readdirSync(folder.file("kept"), { recursive: true })).toContain("cache/catalog.sqlite");
});

test("[T94] nothing is reached but the servers that are configured", async () => {
  const trap = createServer((_request, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  await once(trap, "listening");
  const { port } = trap.address() as AddressInfo;
  const local = hostileServer(folder, "hostile", { tools: [read] }).entry;
  const remote = { url: `http://127.0.0.1:${port}/mcp` };
  const file = folder.file("servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { local, remote } }));
  const record = folder.file("reached");
  const env = { PATH: process.env.PATH, JACKFIELD_HOME: folder.file("kept"), REACHED: record };
  const preload = new URL("./fixtures/reached-addresses.mjs", import.meta.url).href;
  const argv = ["--import", preload, COMMAND, "status", "--config", file, "--no-discover"];
  const run = promisify(execFile)(process.execPath, argv, { cwd: folder.path, env });
  await expect(run).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("local") });
  trap.close();
  const reached = readFileSync(record, "utf8").trim().split("\n");
  expect(new Set(reached)).toEqual(new Set([`127.0.0.1:${port}`]));
});

test("[T93] no package runs anything when it is installed", () => {
  const packages = new URL("../../", import.meta.url);
  const manifests = readdirSync(packages).map((name) =>
    JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8")),
  );
  expect(manifests.length).toBeGreaterThan(10);
  const scripts = manifests.flatMap((manifest) => Object.keys(manifest.scripts));
  expect(scripts.filter((name) => /install|prepare|publish|pack/.test(name))).toEqual([]);
});
