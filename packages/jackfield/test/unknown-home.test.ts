import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loseHome, stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openApprovals, probeApprovals, readApprovals } from "../src/approval-store.ts";
import { runCommandLine } from "../src/command-line.ts";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { loginDirectory } from "../src/login-directory.ts";
import { collector, temporaryFolder } from "./fixture.ts";

useLeakCheck();

const DEFINITION = {
  name: "a",
  transport: "stdio",
  command: "a",
  definedIn: { scope: "project", file: "/p/.mcp.json" },
} as const;

let warnings: string[] = [];
const log = (level: string, message: string) => void (level === "warn" && warnings.push(message));
const refusal = {
  code: "MCP_STORAGE_FAILED",
  message: expect.stringMatching(/cannot be stored; set JACKFIELD_HOME to a folder/),
};

/** Starts a real server, whose process would be recorded. */
async function open(options: OpenMcpOptions = {}): Promise<readonly string[]> {
  await using mcp = await openMcp({ servers: { a: stdioFaultServer() }, log, ...options });
  expect(mcp.report.discoveryError).toBeUndefined();
  return mcp.servers().map(({ name, status }) => `${name} is ${status}`);
}

const SERVER = ["--mcp-server", `a=${JSON.stringify(stdioFaultServer())}`];

/** Runs commands in a folder. */
function runnerIn(cwd: string) {
  return async (...argv: string[]) => {
    const [stdout, stderr] = [collector(), collector()];
    const exitCode = await runCommandLine([...argv, "--cwd", cwd], { stdout, stderr });
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };
}

beforeEach(() => {
  warnings = [];
  for (const name of ["XDG_STATE_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  loseHome();
});

describe("with an unknown home and no JACKFIELD_HOME", () => {
  beforeEach(() => void vi.stubEnv("JACKFIELD_HOME", undefined));

  it("servers start with a catalog in memory, and one warning names the variable", async () => {
    expect(await open()).toEqual(["a is ready"]);
    expect(warnings).toEqual([
      expect.stringMatching(/the catalog, .* are not stored; set JACKFIELD_HOME to a folder/),
    ]);
  });

  it("a catalog with its own path is stored there, and its errors are logged", async () => {
    using folder = temporaryFolder();
    expect(await open({ cache: { path: join(folder.path, "catalog") } })).toEqual(["a is ready"]);
    expect(readdirSync(join(folder.path, "catalog"))).toContain("catalog.sqlite");
    expect(await open({ cache: { path: fileURLToPath(import.meta.url) } })).toEqual(["a is ready"]);
    expect(warnings.filter((warning) => !warning.includes("JACKFIELD_HOME"))).toHaveLength(1);
  });

  it("approvals and logins are refused, and the error names JACKFIELD_HOME", async () => {
    const ledger = openApprovals(undefined, log);
    expect(await ledger.isApproved(DEFINITION)).toBe(false);
    expect(await readApprovals(log).isApproved(DEFINITION)).toBe(false);
    expect(await ledger.revoke(DEFINITION)).toBe(false);
    await expect(ledger.approve(DEFINITION)).rejects.toMatchObject(refusal);
    await expect(probeApprovals(log)).rejects.toMatchObject(refusal);
    expect(() => loginDirectory()).toThrow(expect.objectContaining(refusal));
  });

  it("commands that need no storage work, and the others name JACKFIELD_HOME", async () => {
    using folder = temporaryFolder();
    const run = runnerIn(folder.path);
    expect(await run("status", ...SERVER)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("ready"),
    });
    expect(await run("config", "list")).toMatchObject({ exitCode: 0 });
    for (const command of [["init"], ["cache", "path"], ["cache", "list"]]) {
      const { exitCode, stderr } = await run(...command);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(/^error: .* is unknown.* set JACKFIELD_HOME to a folder/s),
      });
    }
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("commands that start servers warn exactly once, also without --verbose", async () => {
    using folder = temporaryFolder();
    const run = runnerIn(folder.path);
    for (const argv of [["status"], ["status", "--verbose"], ["tools"], ["types"]]) {
      const { stderr } = await run(...argv, ...SERVER);
      expect(stderr.match(/set JACKFIELD_HOME to a folder for them/g)).toHaveLength(1);
    }
  });

  it("doctor works and reports home-unknown", async () => {
    using folder = temporaryFolder();
    const run = runnerIn(folder.path);
    const { exitCode, stdout, stderr } = await run("doctor", "--json", ...SERVER);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const finding = {
      code: "home-unknown",
      severity: "warning",
      nextStep: "Set JACKFIELD_HOME to a folder for them.",
    };
    expect(JSON.parse(stdout).findings).toEqual([expect.objectContaining(finding)]);
    const named = await run("doctor", "--json", "--cache", "kept", ...SERVER);
    expect(JSON.parse(named.stdout).findings).toEqual([expect.objectContaining(finding)]);
    expect(readdirSync(join(folder.path, "kept"))).toContain("catalog.sqlite");
  });

  it("doctor reports home-unknown once, even if a server waits for approval", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, ".mcp.json"), '{"mcpServers":{"theirs":{"command":"x"}}}');
    const { stdout } = await runnerIn(folder.path)("doctor", "--json");
    const codes = JSON.parse(stdout).findings.map(({ code }: { code: string }) => code);
    expect(codes.toSorted()).toEqual(["home-unknown", "not-approved"]);
  });

  it("types advises to set JACKFIELD_HOME, unless --cache is given", async () => {
    using folder = temporaryFolder();
    const run = runnerIn(folder.path);
    const advice = "set JACKFIELD_HOME to a folder for it, then run";
    expect((await run("types", ...SERVER)).stdout).toContain(advice);
    expect((await run("types", "--cache", "kept", ...SERVER)).stdout).not.toContain(advice);
  });

  it("remote servers are tried without a login", async () => {
    const servers = { docs: { url: "http://127.0.0.1:9/mcp" } };
    expect(await open({ servers, retry: { maxRetries: 0 } })).toEqual(["docs is failed"]);
  });
});

describe("with an unknown home and JACKFIELD_HOME", () => {
  it("everything is stored there, without a warning", async () => {
    using folder = temporaryFolder();
    vi.stubEnv("JACKFIELD_HOME", folder.path);
    expect(await open()).toEqual(["a is ready"]);
    const ledger = openApprovals(undefined, log);
    await probeApprovals(log);
    await ledger.approve(DEFINITION);
    expect(await readApprovals(log).isApproved(DEFINITION)).toBe(true);
    expect(loginDirectory()).toBe(join(folder.path, "state", "logins"));
    expect(warnings).toEqual([]);
    expect(readdirSync(folder.path).sort()).toEqual(["cache", "state"]);
  });
});
