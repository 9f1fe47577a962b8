import { existsSync, readFileSync } from "node:fs";
import type { InlineServer } from "@jackfield/mcp-config";
import { recordStatuses, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer, type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

/**
 * A server that ignores SIGTERM and the end of its input. As it starts it notes its own process id, and which of those that were
 * started before it still run; one that is dead but not reaped does not.
 */
const STUBBORN = `
  const { appendFileSync, existsSync, readFileSync } = require("node:fs");
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
  const [record, manner] = process.argv.slice(1);
  const runs = ({ pid }) => {
    try {
      const stat = readFileSync("/proc/" + pid + "/stat", "latin1");
      return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
    } catch {
      return false;
    }
  };
  const earlier = existsSync(record) ? readFileSync(record, "utf8").trim().split("\\n").map((line) => JSON.parse(line)) : [];
  appendFileSync(record, JSON.stringify({ pid: process.pid, besides: earlier.filter(runs) }) + "\\n");
  const info = { capabilities: { tools: {} }, serverInfo: { name: "stubborn", version: "1" } };
  const answer = (id, rest) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (manner === "silent" || id === undefined) return;
    if (method === "initialize") answer(id, { result: { protocolVersion: params.protocolVersion, ...info } });
    else if (method !== "tools/list") answer(id, { error: { code: -32601, message: "Not here." } });
    else {
      answer(id, { result: { tools: [] } });
      if (manner === "falls silent" && earlier.length === 0) process.stdout.end();
    }
  });`;

interface Start {
  readonly pid: number;
  readonly besides: readonly Start[];
}

describe.runIf(process.platform === "linux")("a server process that ignores SIGTERM", () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  const stubborn = (name: string, manner: string, options: Partial<InlineServer> = {}): InlineServer => {
    const { command, args = [] } = scriptServer(STUBBORN) as { command: string; args?: readonly string[] };
    return { command, args: [...args, folder.file(name), manner], ...options } as InlineServer;
  };
  const starts = (name: string): readonly Start[] => {
    if (!existsSync(folder.file(name))) return [];
    const lines = readFileSync(folder.file(name), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line));
  };
  const started = (name: string, times: number) =>
    vi.waitFor(() => expect(starts(name).length).toBeGreaterThanOrEqual(times));

  it("[H5] is restarted only after its previous process has ended", async () => {
    const mcp = await openMcp({
      servers: {
        // Long enough for its process to have noted its start, on a busy machine too.
        silent: stubborn("silent", "silent", { connectTimeoutMs: 2_000 }),
        lost: stubborn("lost", "falls silent"),
        asked: stubborn("asked", "answers"),
      },
      discover: false,
      cache: false,
      retry: { initialDelayMs: 1, maxRetries: 20 },
      limits: { closeTimeoutMs: 2_000 },
    });
    try {
      await Promise.all([mcp.reconnect("asked"), started("silent", 2), started("lost", 2)]);
      for (const name of ["silent", "lost", "asked"]) {
        expect(starts(name).length, name).toBeGreaterThanOrEqual(2);
        for (const { besides } of starts(name)) expect(besides, name).toEqual([]);
      }
    } finally {
      await mcp.close();
    }
  });

  it.each([
    ["being launched", 0],
    ["shaking hands", 1],
  ])("[S2] is killed by close() while it is %s, and never becomes ready", async (_when, times) => {
    const servers = { silent: stubborn("silent", "silent", { lazy: true }) };
    const mcp = await openMcp({ servers, discover: false, cache: false });
    const statuses = recordStatuses(mcp);
    const calling = mcp.callTool({ server: "silent", tool: "any" });
    const refused = expect(calling).rejects.toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
    await statuses.reached("silent", "connecting");
    await started("silent", times);
    await mcp.close();
    await refused;
    expect(statuses.of("silent")).toEqual(["connecting", "closing", "closed"]);
    for (const { pid } of starts("silent")) expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});
