import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
// Loading it takes longer than a test has; here it is loaded before the first one.
import "@jackfield/mcp-transports";
import type { ErrorReport, ServerSnapshot } from "@jackfield/mcp-core";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { slowStartFindings } from "../src/command-line/doctor/start-findings.ts";
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
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        code: "slow-start",
        severity: "warning",
        server: "quick",
        message: expect.stringMatching(/took \d+\.\d s to start the last time/),
        nextStep: expect.stringContaining("lazy"),
      },
    ]);
    expect(JSON.parse((await run("doctor", ...SERVER)).stdout)).toEqual({ findings: [] });
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
    expect(JSON.parse(damaged.stdout).findings).toMatchObject([
      { code: "catalog-damaged", severity: "warning", file, message: expect.stringContaining("deleted") },
    ]);
    expect(JSON.parse((await run("doctor", ...SERVER)).stdout)).toEqual({ findings: [] });
  });

  it.runIf(process.platform === "linux")(
    "reports a server that still runs although its host was killed, and does not end it",
    async () => {
      const args = ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)", `orphan-${process.pid}`];
      const pid = await orphan(args);
      const entry = { command: process.execPath, args, connectTimeoutMs: 300 };
      const stubborn = ["--mcp-server", `stubborn=${JSON.stringify(entry)}`];
      const { stdout } = await run("doctor", ...stubborn);
      expect(JSON.parse(stdout).findings).toContainEqual(
        expect.objectContaining({
          code: "orphan",
          severity: "warning",
          server: "stubborn",
          nextStep: `End it, unless another program uses it: kill ${pid}`,
        }),
      );
      process.kill(pid, "SIGKILL");
      const { findings: after } = JSON.parse((await run("doctor", ...stubborn)).stdout);
      expect(after.map(({ code }: { code: string }) => code)).not.toContain("orphan");
    },
  );

  /** Has a host start a process as a server, and kills the host. Returns the process id. */
  async function orphan(args: readonly string[]): Promise<number> {
    const script = `const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ${JSON.stringify(args)}, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
child.once("spawn", () => console.log(child.pid));
setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
    const [printed] = await once(host.stdout, "data");
    host.kill("SIGKILL");
    await once(host, "exit");
    return Number(String(printed));
  }
});
