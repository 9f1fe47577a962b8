import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useLeakCheck } from "../../src/leak-check.ts";
import { readFaultRecord } from "../../src/servers/fault-record.ts";
import type { FaultScript } from "../../src/servers/fault-script.ts";
import { stdioFaultServer } from "../../src/servers/stdio-fault-server.ts";
import { type RawProcess, spawnRaw } from "./raw-process.ts";

useLeakCheck();

let folder: string;
let recordTo: string;
let started: RawProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "jackfield-"));
  recordTo = join(folder, "record.jsonl");
  started = [];
});
afterEach(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  for (const grandchild of recordedGrandchildren()) killIfAlive(grandchild);
  await Promise.all(started.map(({ ended }) => ended));
  await rm(folder, { recursive: true });
});

function start(script: FaultScript): RawProcess {
  const server = spawnRaw(script);
  started.push(server);
  return server;
}

function recordedGrandchildren(): readonly number[] {
  return readFaultRecord(recordTo).flatMap((record) =>
    record.event === "started" && record.grandchild !== undefined ? [record.grandchild] : [],
  );
}

function recordedGrandchild(): number {
  const [grandchild] = recordedGrandchildren();
  if (grandchild === undefined) throw new Error("No grandchild is recorded.");
  return grandchild;
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

test("a server without faults serves a session and exits when its stdin ends", async () => {
  const server = start({});
  expect((await server.request("initialize", { protocolVersion: "2025-11-25" })).result).toBeDefined();
  server.send({ method: "notifications/initialized" });
  const { result } = await server.request("tools/list");
  expect(result?.tools).toHaveLength(4);
  server.child.stdin?.end();
  expect(await server.ended).toEqual([0, null]);
});

test.each([
  ["start", [], 0],
  ["discover", ["server/discover"], 0],
  ["initialize", ["initialize"], 0],
  ["initialized", ["initialize", "notifications/initialized"], 1],
  ["list", ["initialize", "tools/list"], 1],
  ["call", ["initialize", "tools/call"], 1],
] as const)("a server can exit on %s", async (exitOn, methods, answers) => {
  const server = start({ exitOn, exitCode: 7 });
  server.child.stdin?.on("error", () => {});
  for (const method of methods) {
    if (method.startsWith("notifications/")) server.send({ method });
    else server.send({ id: method, method });
  }
  expect(await server.ended).toEqual([7, null]);
  expect(server.lines).toHaveLength(answers);
});

test("a server can die in the middle of an answer", async () => {
  const server = start({ dieInCall: true });
  server.send({ id: 1, method: "tools/call", params: { name: "echo", arguments: { a: 1 } } });
  expect(await server.ended).toEqual([null, "SIGKILL"]);
  expect(server.lines).toHaveLength(1);
  expect(() => JSON.parse(server.lines[0] ?? "")).toThrow(SyntaxError);
});

test("a server can print junk before and after its answers", async () => {
  const server = start({ junk: { before: ["Loading…"], after: ["{ done }"] } });
  await server.request("ping");
  await server.line((line) => line === "{ done }");
  expect(server.lines).toEqual(["Loading…", '{"jsonrpc":"2.0","id":1,"result":{}}', "{ done }"]);
});

test("a server can write in chunks that split characters", async () => {
  const server = start({ chunkBytes: 1 });
  const answers = await Promise.all([
    server.request("tools/call", { name: "echo", arguments: { text: "héllo 😀" } }),
    server.request("ping"),
  ]);
  expect(answers[0]?.result?.content).toEqual([{ type: "text", text: '{"text":"héllo 😀"}' }]);
  expect(answers[1]?.result).toEqual({});
});

test("a server can leave one method unanswered and answer another", async () => {
  const server = start({ silentOn: ["tools/list"], answerLateMs: { ping: 1 } });
  server.send({ id: "silent", method: "tools/list" });
  expect((await server.request("ping")).result).toEqual({});
  expect(server.lines).toHaveLength(1);
});

test("a server can ignore signals and the end of its stdin until SIGKILL", async () => {
  const server = start({ ignoreStdinEnd: true, ignoreSignals: true });
  await server.request("ping");
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    server.child.kill(signal);
    await server.complaint(`The server ignores ${signal}.`);
  }
  server.child.stdin?.end();
  await server.complaint("The server ignores the end of stdin.");
  server.child.kill("SIGKILL");
  expect(await server.ended).toEqual([null, "SIGKILL"]);
});

test("a server gets exactly the environment it is given", async () => {
  const server = start({ echoEnvironment: true });
  const { result } = await server.request("tools/call", { name: "environment" });
  expect(result?.structuredContent).toEqual(stdioFaultServer().env);
});

test("every process of one record file records its start, requests and end", async () => {
  expect(readFaultRecord(recordTo)).toEqual([]);
  const first = start({ recordTo });
  await first.request("ping");
  first.child.stdin?.end();
  await first.ended;
  const second = start({ recordTo });
  await second.request("tools/call", { name: "echo" });
  second.child.kill("SIGTERM");
  await second.ended;
  const [one, two] = [first.child.pid, second.child.pid];
  expect(readFaultRecord(recordTo)).toEqual([
    { event: "started", pid: one },
    { event: "received", pid: one, method: "ping" },
    { event: "ended", pid: one, because: "stdin" },
    { event: "started", pid: two },
    { event: "received", pid: two, method: "tools/call", params: { name: "echo" } },
    { event: "ended", pid: two, because: "SIGTERM" },
  ]);
});

test("a grandchild can outlive its server, ignore signals and lead its own group", async () => {
  const server = start({ recordTo, grandchild: { ignoreSignals: true, ownGroup: true, holdsPipes: true } });
  await server.request("ping");
  const grandchild = recordedGrandchild();
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  process.kill(grandchild, "SIGTERM");
  await server.complaint("The grandchild ignores SIGTERM.");
  process.kill(-grandchild, "SIGKILL");
  expect(await server.ended).toEqual([null, "SIGKILL"]);
});

test("a plain grandchild leads no group of its own and ends on SIGTERM", async () => {
  const server = start({ recordTo, grandchild: { holdsPipes: true } });
  await server.request("ping");
  const grandchild = recordedGrandchild();
  expect(() => process.kill(-grandchild, 0)).toThrow("ESRCH");
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  process.kill(grandchild, "SIGTERM");
  // The pipes close only when the grandchild has exited, too.
  expect(await server.ended).toEqual([null, "SIGKILL"]);
});

test("a server writes its stderr lines even if it exits on start", () => {
  const { command, args, env } = stdioFaultServer({ stderr: ["warning: one", "two"], exitOn: "start" });
  const { stderr, status } = spawnSync(command, args, { env, encoding: "utf8" });
  expect(stderr).toContain("warning: one\ntwo\n");
  expect(status).toBe(1);
});

test("a script too long for an argument throws with the limit", () => {
  const tools = [{ name: "big", description: "x".repeat(200_000), inputSchema: { type: "object" as const } }];
  expect(() => stdioFaultServer({ tools })).toThrow("131071 bytes");
});

test("the server of the built package answers too", async () => {
  const built = (await import(
    new URL("../../dist/index.js", import.meta.url).href
  )) as typeof import("../../src/index.ts");
  const server = spawnRaw({}, built.stdioFaultServer({ era: "modern" }));
  started.push(server);
  expect((await server.request("initialize")).error?.code).toBe(-32601);
});
