import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// Loading it takes longer than a test has; here it is loaded before the first one.
import "@jackfield/mcp-transports";
import type { ErrorReport, ServerSnapshot } from "@jackfield/mcp-core";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { slowStartFindings } from "../src/command-line/doctor/start-findings.ts";
import { endLeftovers, openMcp } from "../src/index.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();

/** A server that starts at once, so that only what a test makes slow is slow. */
const SERVER = ["--mcp-server", `quick=${JSON.stringify(stdioFaultServer())}`];
const run = (command: string, ...argv: string[]) =>
  commandLine(command, "--cwd", folder.path, "--cache", folder.file("cache"), "--json", ...argv);

describe("jackfield doctor over several runs", () => {
  it("reports a server that took longer than three seconds in the last run", async () => {
    await run("status", ...SERVER);
    await rewriteOutcome((tookMs) => tookMs + 4_200);
    const { exitCode, stdout } = await run("doctor", ...SERVER);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        code: "slow-start",
        severity: "warning",
        server: "quick",
        message: expect.stringMatching(/took \d+\.\d s to start the last time/),
        nextStep: expect.stringContaining("lazy"),
      },
    ]);
    expect(JSON.parse((await run("doctor", ...SERVER)).stdout)).toEqual([]);
  });

  /** Changes how long the last start took, as the catalog remembers it. */
  async function rewriteOutcome(change: (tookMs: number) => number): Promise<void> {
    await using cache = sqliteToolCache({ path: folder.file("cache") });
    const ids = (await cache.list()).map(({ id }) => id);
    for (const [id, entry] of await cache.getMany(ids)) {
      const { lastOutcome } = entry;
      if (lastOutcome === undefined) throw new Error("The start was not remembered.");
      await cache.set(id, { ...entry, lastOutcome: { ...lastOutcome, tookMs: change(lastOutcome.tookMs) } });
    }
  }

  const server = (error?: ErrorReport): ServerSnapshot => ({
    name: "slow",
    status: error === undefined ? "ready" : "backoff",
    transport: "http",
    since: 0,
    error,
    tools: 0,
    toolsFrom: "live",
    calls: 0,
    failures: 0,
    definedIn: { scope: "user", file: "/home/ada/mcp.json", line: 4 },
  });

  it("reports a server that took longer than three seconds in this run", () => {
    const attempt = { name: "slow", what: "connecting", beganAt: 1_000 };
    expect(slowStartFindings([server()], [{ ...attempt, endedAt: 4_000 }], new Map())).toEqual([]);
    expect(slowStartFindings([server()], [{ ...attempt, endedAt: 4_001 }], new Map())).toMatchObject([
      {
        code: "slow-start",
        message: 'Server "slow" took 3.0 s to start.',
        file: "/home/ada/mcp.json",
        line: 4,
      },
    ]);
  });

  it("does not count failed attempts as a slow start", () => {
    const { error, ...up } = server({
      code: "MCP_CONNECT_TIMEOUT",
      message: "It did not come up.",
      at: 31_000,
    });
    const failed = { name: "slow", what: "connecting", beganAt: 1_000, endedAt: 31_000, hasFailed: true };
    const wasSlow = new Map([["slow", { ok: true, at: 0, tookMs: 4_200 }]]);
    expect(slowStartFindings([{ ...up, error }], [failed], wasSlow)).toEqual([]);
    const second = { ...failed, beganAt: 32_000, endedAt: 32_100, hasFailed: undefined };
    expect(slowStartFindings([up], [failed, second], new Map())).toEqual([]);
  });

  it("reports a damaged catalog once, and that it was made anew", async () => {
    await run("status", ...SERVER);
    const file = folder.file("cache/catalog.sqlite");
    writeFileSync(file, "this is no database, however long one looks at it");
    const damaged = await run("doctor", ...SERVER);
    expect(damaged.exitCode).toBe(0);
    expect(JSON.parse(damaged.stdout)).toMatchObject([
      { code: "catalog-damaged", severity: "warning", file, message: expect.stringContaining("deleted") },
    ]);
    expect(JSON.parse((await run("doctor", ...SERVER)).stdout)).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "reports a process that a killed host left running, and does not end it",
    async () => {
      const pid = await killHost();
      const { stdout } = await run("doctor");
      expect(JSON.parse(stdout)).toMatchObject([
        { code: "leftover", severity: "warning", server: "stubborn", nextStep: `End it with: kill ${pid}` },
      ]);
      const mcp = await openMcp({ cache: false, discover: false });
      expect(await endLeftovers(mcp.report.leftovers)).toEqual([]);
      await mcp.close();
      expect(JSON.parse((await run("doctor")).stdout)).toEqual([]);
    },
  );

  /** Starts a host with a server that outlives the end of its input, and kills it without warning. Returns the server's process id. */
  async function killHost(): Promise<number> {
    const built = fileURLToPath(new URL("../dist/index.js", import.meta.url));
    const stubborn = {
      command: process.execPath,
      args: ["-e", "setInterval(() => {}, 1000)"],
      connectTimeoutMs: 0,
    };
    const script = `import { openMcp } from ${JSON.stringify(built)};
await openMcp({ cache: false, discover: false, servers: ${JSON.stringify({ stubborn })} });`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    const directory = folder.file("own/state/processes");
    const pid = await vi.waitFor(
      () => {
        const [file] = readdirSync(directory).filter((name) => name.endsWith(".json"));
        return JSON.parse(readFileSync(`${directory}/${file}`, "utf8")).trees[0].processes[0].pid as number;
      },
      { interval: 50 },
    );
    host.kill("SIGKILL");
    await once(host, "exit");
    return pid;
  }
});
