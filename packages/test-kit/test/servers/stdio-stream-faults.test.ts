import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useLeakCheck } from "../../src/leak-check.ts";
import type { FaultScript } from "../../src/servers/fault-script.ts";
import { type RawProcess, spawnRaw } from "./raw-process.ts";

useLeakCheck();

let started: RawProcess[];
beforeEach(() => {
  started = [];
});
afterEach(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.map(({ ended }) => ended));
});

function start(script: FaultScript): RawProcess {
  const server = spawnRaw(script);
  server.child.stdin?.on("error", () => {});
  started.push(server);
  return server;
}

test("a server can exit after the handshake of either era", async () => {
  for (const [era, method] of [
    ["legacy", "initialize"],
    ["modern", "server/discover"],
  ] as const) {
    const server = start({ era, exitOn: "handshake", exitCode: 3 });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    expect((await server.request(method, { _meta })).result).toBeDefined();
    expect(await server.ended).toEqual([3, null]);
  }
});

test("a server does not exit after a rejected probe, which is no handshake", async () => {
  const server = start({ exitOn: "handshake" });
  expect((await server.request("server/discover")).error?.code).toBe(-32601);
  expect((await server.request("ping")).result).toEqual({});
});

test("a server does not split a line at Unicode separators", async () => {
  const server = start({});
  const text = "one\u2028two\u2029three\u0085four";
  const { result } = await server.request("tools/call", { name: "structured", arguments: { text } });
  expect(result?.structuredContent).toEqual({ text });
});

test("a server can end its lines with CR LF", async () => {
  const server = start({ crlf: true, junk: { before: ["Loading"] } });
  let output = "";
  server.child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  await server.request("ping");
  expect(output).toBe('Loading\r\n{"jsonrpc":"2.0","id":1,"result":{}}\r\n');
});

test("a server can answer with one huge line", async () => {
  const server = start({ answerBytes: { ping: 300_000 } });
  await server.request("ping");
  await server.request("initialize");
  expect(server.lines.map((line) => line.length)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(server.lines[0]?.length).toBeGreaterThanOrEqual(300_000);
  expect(server.lines[1]?.length).toBeLessThan(1000);
});

test("a server can duplicate answers, use string ids and send stray answers", async () => {
  const server = start({ duplicateAnswers: true, stringIds: true, strayAnswers: true });
  server.send({ id: 1, method: "ping" });
  server.send({ id: 2, method: "ping" });
  await server.line(
    (line) => server.lines.filter((other) => other === line).length === 2 && line.includes('"2"'),
  );
  const ids = server.lines.map((line) => JSON.parse(line).id);
  const strays = [987_654_321, "never asked"];
  expect(ids).toEqual([...strays, "1", "1", ...strays, "2", "2"]);
});

test("a server that floods stderr answers the call once stderr is read", async () => {
  const server = start({ floodStderrBytes: 4_000_000 });
  let taken = 0;
  server.child.stderr?.on("data", (chunk: string) => {
    taken += chunk.length;
  });
  await server.request("tools/call", { name: "echo" });
  server.child.stdin?.end();
  await server.ended;
  expect(taken).toBe(4_000_001);
});

test("a server that floods stderr does not answer the call while stderr is unread", async () => {
  const server = start({ floodStderrBytes: 4_000_000 });
  server.child.stderr?.pause();
  server.send({ id: "call", method: "tools/call", params: { name: "echo" } });
  expect((await server.request("ping")).result).toEqual({});
  expect(server.lines).toHaveLength(1);
});

test("a server can stop reading, so that later writes stay in the pipe", async () => {
  const server = start({ stopReadingOn: "list" });
  await server.request("ping");
  server.send({ id: "list", method: "tools/list" });
  const { stdin } = server.child;
  const isTaken = await new Promise((resolve) => {
    stdin?.write(`${"x".repeat(4_000_000)}\n`, (error) => resolve(!error));
    server.child.kill("SIGTERM");
    server.child.on("exit", () => resolve(false));
  });
  expect(isTaken).toBe(false);
  expect(await server.ended).toEqual([0, null]);
  expect(server.lines).toHaveLength(1);
});

test("a server can close its stdout and keep running until its stdin ends", async () => {
  const server = start({ closeStdoutOn: "call" });
  await server.request("ping");
  server.send({ id: "call", method: "tools/call", params: { name: "echo" } });
  await once(server.child.stdout ?? server.child, "end");
  expect(server.child.exitCode).toBeNull();
  server.child.stdin?.end();
  expect(await server.ended).toEqual([0, null]);
  expect(server.lines).toHaveLength(1);
});
