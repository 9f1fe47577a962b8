import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Finding } from "../src/command-line/doctor/finding.ts";
import { commandLine, EVERYTHING, everything, useTemporaryHome } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

useLeakCheck();

const folder = useTemporaryHome();

// On a busy machine servers start slowly, which would be a finding. `doctor-runs.test.ts` tests what is said of that.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const run = (...argv: string[]) => commandLine("doctor", "--cwd", folder.path, ...argv);

/** What the doctor finds in one configuration file. */
async function findingsIn(content: unknown, ...argv: string[]) {
  const file = folder.file("mcp.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
  const { exitCode, stdout, stderr } = await run("--config", file, "--json", ...argv);
  const findings: readonly Finding[] = JSON.parse(stdout).findings;
  return { exitCode, stderr, findings, file };
}

describe("jackfield doctor", () => {
  it("reports no findings and exits 0 if nothing is wrong", async () => {
    const { exitCode, findings, file, stderr } = await findingsIn({ mcpServers: { everything } });
    expect({ exitCode, findings, stderr }).toEqual({ exitCode: 0, findings: [], stderr: "" });
    expect(await run("--config", file)).toMatchObject({
      exitCode: 0,
      stdout: "No problems were found with the one server.\n",
    });
    expect((await run("--no-discover")).stdout).toContain("jackfield init");
  });

  it("names the servers that start in an empty folder, and how to start them elsewhere", async () => {
    const server = process.execPath;
    const launched = { command: "env", args: [server, EVERYTHING, "stdio"] };
    const preloaded = ["--import", "data:text/javascript,", EVERYTHING, "stdio"];
    const moved = { command: "nice", args: [server, ...preloaded] };
    const { exitCode, findings } = await findingsIn({ mcpServers: { launched, moved } });
    expect({ exitCode, findings }).toMatchObject({
      exitCode: 0,
      findings: [{ code: "started-elsewhere", severity: "info", server: "moved" }],
    });
    expect(findings[0]?.nextStep).toContain('"cwd"');
    const trusted = { ...moved, cwd: folder.path };
    expect((await findingsIn({ mcpServers: { trusted } })).findings).toEqual([]);
  });

  it.each<[string, unknown, Partial<Finding>]>([
    [
      "a command that is not on the PATH",
      { mcpServers: { files: { command: "no-such-program" } } },
      { code: "command-not-found", severity: "error", server: "files", line: 3 },
    ],
    [
      "a lazy server's command that is not on the PATH",
      { mcpServers: { files: { command: "no-such-program", lazy: true } } },
      { code: "command-not-found", severity: "error", server: "files", line: 3 },
    ],
    [
      "servers under the wrong root key",
      { servers: { files: { command: "no-such-program" } } },
      { code: "wrong-root-key", severity: "error", line: 2 },
    ],
    [
      "a variable that is not set",
      { mcpServers: { files: { command: "${JACKFIELD_TEST_UNSET}" } } },
      { code: "variable-unset", severity: "error", server: "files", line: 3 },
    ],
    [
      "a server that exits at once",
      { mcpServers: { files: { command: process.execPath, args: ["-e", "process.exit(3)"] } } },
      { code: "server-failed", severity: "error", server: "files" },
    ],
    [
      "an unusable entry",
      { mcpServers: { files: { args: [] } } },
      { code: "ServerConfigError", severity: "error", server: "files" },
    ],
    ["a broken file", "{", { code: "ConfigSyntaxError", severity: "error" }],
  ])("reports %s with its place and the next step, and exits 1", async (_what, content, expected) => {
    const { exitCode, findings, file } = await findingsIn(content);
    expect(exitCode).toBe(1);
    expect(findings[0]).toMatchObject({ ...expected, file });
    for (const { message, nextStep } of findings) {
      expect(message).not.toBe("");
      expect(nextStep ?? message).toMatch(/\.$|^End it with/);
    }
  });

  it("reports servers in Claude Code's settings, which no program reads, whatever hosts are searched", async () => {
    const settings = folder.file(".claude/settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ mcpServers: { lost: { command: "x" } } }));
    for (const hosts of [[], ["--hosts", "claude-code"]]) {
      const { stdout } = await run("--json", ...hosts);
      const told = (JSON.parse(stdout).findings as { file?: string }[]).filter(
        ({ file }) => file === settings,
      );
      expect(told).toMatchObject([{ code: "wrong-root-key", severity: "warning", line: 1 }]);
      expect(JSON.stringify(told)).toContain('so \\"lost\\" is lost. Move them to');
    }
  });

  it("reports a secret written in a file without showing it", async () => {
    const secret = "sk-live-4eC39HqLyjWDarjtT1zdp7dc";
    const entry = { ...everything, env: { API_TOKEN: secret } };
    const { exitCode, findings, file } = await findingsIn({ mcpServers: { everything: entry } });
    expect(exitCode).toBe(0);
    expect(findings).toMatchObject([
      {
        code: "literal-secret",
        severity: "warning",
        server: "everything",
        file,
        nextStep: expect.stringContaining("${NAME}"),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it("reports a project's servers that are not approved", async () => {
    const project = folder.file(".mcp.json");
    writeFileSync(project, JSON.stringify({ mcpServers: { theirs: { command: "no-such-program" } } }));
    const { exitCode, stdout } = await run("--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        code: "not-approved",
        severity: "warning",
        server: "theirs",
        file: project,
        nextStep: expect.stringContaining("jackfield approve"),
      },
    ]);
  });

  it("reports name clashes: equal names in two files, similar names in one", async () => {
    const weaker = folder.file("weaker.json");
    writeFileSync(weaker, JSON.stringify({ mcpServers: { everything: { command: "another" } } }));
    const { findings } = await findingsIn(
      { mcpServers: { everything, Every_thing: everything, "every thing": everything } },
      "--config",
      weaker,
    );
    expect(findings).toMatchObject([
      { code: "shadowed", severity: "warning", server: "everything", file: weaker },
      { code: "name-clash", message: expect.stringContaining('"Every_thing" and "every thing"') },
    ]);
  });

  it("reports a lazy server whose tools cost many tokens, and what to exclude", async () => {
    const tool = (name: string, length: number) => ({
      name,
      description: "word ".repeat(length / 5),
      inputSchema: { type: "object" as const },
    });
    const tools = [tool("small", 40), tool("large", 10_000), tool("larger", 20_000)];
    const { entry } = hostileServer(folder, "dear", { tools });
    const lazy = { ...entry, lazy: true };
    const { findings } = await findingsIn({ mcpServers: { dear: lazy, everything } });
    expect(findings).toMatchObject([{ code: "many-tokens", severity: "info", server: "dear" }]);
    expect(findings[0]?.message).toMatch(/about 7\d{3} tokens.*larger \(~50\d\d\), large \(~25\d\d\), small/);
    expect(findings[0]?.nextStep).toContain('"tools": { "exclude": ["larger","large","small"] }');
  });

  it("prints errors before warnings, each with its next step", async () => {
    const secret = { ...everything, env: { API_TOKEN: "sk-live-4eC39HqLyjWDarjtT1zdp7dc" } };
    const { file } = await findingsIn({ mcpServers: { secret, broken: { command: "no-such-program" } } });
    const { stdout } = await run("--config", file);
    expect(stdout).toMatch(/^error command-not-found\n {2}Server "broken".* Install it.*\n {2}at /);
    expect(stdout).toMatch(
      /\n\nwarning literal-secret\n {2}Server "secret".*\n {2}→ .*\n {2}at .*mcp\.json:\d+\n\n1 error, 1 warning; 2 servers\n$/,
    );
  });

  it("groups what is alike, counts it, and says the same step once", async () => {
    const gone = { command: "no-such-program" };
    writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: { a: gone, b: gone } }));
    const { stdout } = await run();
    expect(stdout).toMatch(/^warning not-approved \(2\)\n {2}Server "a".*\n {2}at .*\n {2}Server "b"/);
    expect(stdout.match(/jackfield approve/g)).toHaveLength(1);
    expect(stdout).toMatch(/\n\n2 warnings; 2 servers\n$/);
  });
});
