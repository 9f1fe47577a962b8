import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { memoryStateStore, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { ORDER } from "./red-team-answers.ts";
import { type GuardedRuntime, hostileServer, offeredToModels, openGuarded } from "./red-team-runtime.ts";

useLeakCheck();

let folder: TemporaryFolder;
let opened: GuardedRuntime[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await Promise.all(opened.map(({ mcp }) => mcp.close()));
  opened = [];
  folder[Symbol.dispose]();
});

async function open(...settings: Parameters<typeof openGuarded>) {
  const runtime = await openGuarded(...settings);
  opened.push(runtime);
  return runtime;
}

const read = { name: "read", description: ORDER, inputSchema: { type: "object" as const } };

test("[T53] a server that is not approved is not started, and no adapter shows any of it", async () => {
  const server = hostileServer(folder, "hostile", { tools: [read], instructions: ORDER });
  const project = folder.file("");
  writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: { [ORDER]: server.entry } }));
  const { mcp } = await open({
    cwd: project,
    discover: { cwd: project, home: folder.file("home"), env: {} },
    approval: { store: memoryStateStore() },
  });
  expect(mcp.report.blocked).toMatchObject([{ name: ORDER }]);
  expect(offeredToModels(mcp)).toEqual({ aiSdk: "[]", langchain: "[]" });
  const call = mcp.callTool({ server: ORDER, tool: "read" }, {}, { audience: "model" });
  await expect(call).rejects.toMatchObject({ code: "MCP_APPROVAL_REQUIRED" });
  expect(server.records()).toEqual([]);
});

const LARGE_STATE = "of two ".repeat(9_000);
/** The SDK client's limit for one call. */
const MOST_ROUNDS = 5;

test("[T68] a call with endless input requests is given up, and its request state is stored nowhere", async () => {
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
      two: { inputRequired: inputRequired(LARGE_STATE) },
    },
  });
  const said: unknown[] = [];
  let asked = 0;
  const elicit = async () => {
    asked += 1;
    return { action: "accept", content: { a: "that" } } as const;
  };
  const { mcp } = await open({
    servers: { hostile: server.entry },
    handlers: { elicit },
    cache: { path: folder.file("cache") },
    log: (...line) => void said.push(line),
  });
  const calls = await Promise.allSettled(mcp.tools().map(({ name }) => mcp.callTool(name, {})));
  expect(calls.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(2 * MOST_ROUNDS);
  const states = (tool: string) =>
    server.records().flatMap(({ call, state }) => (call === tool && state !== undefined ? [state] : []));
  expect(new Set(states("one"))).toEqual(new Set(["état of one\u0000"]));
  expect(new Set(states("two"))).toEqual(new Set([LARGE_STATE]));
  await mcp.close();
  const kept = readdirSync(folder.file("cache")).map((name) =>
    readFileSync(folder.file(`cache/${name}`), "latin1"),
  );
  const shown = inspect(
    [said, mcp.report, mcp.servers(), calls.map((call) => "reason" in call && String(call.reason))],
    { depth: 20, maxStringLength: null },
  );
  for (const text of [...kept, shown]) expect(text).not.toMatch(/of one|of two/);
});
