import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
// Loading them takes longer than a test has; here they are loaded before the first one.
import "@jackfield/mcp-auth";
import "@jackfield/mcp-config";
import "@jackfield/mcp-tool-cache";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { approveCommand } from "../src/blocked-servers.ts";
import { runCommandLine } from "../src/command-line.ts";
import { collector, commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();

/** A folder whose name needs quoting in a shell, with a file that defines a server called `theirs`. */
function project(file: string, key: string): string {
  const cwd = folder.file("it's $HOME; a clone");
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  const entry = { type: "http", url: "http://127.0.0.1:9/mcp" };
  writeFileSync(join(cwd, file), JSON.stringify({ [key]: { theirs: entry } }));
  return cwd;
}

/** The words into which a shell splits the command in a text. */
async function wordsIn(text: string): Promise<readonly string[]> {
  const [, command] = /jackfield (approve.*)/.exec(text) ?? [];
  const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${command}`]);
  return stdout.trimEnd().split("\n");
}

/** The servers that a command lists as waiting when there is no terminal. */
async function waiting(...argv: readonly string[]): Promise<unknown> {
  const [stdout, stderr, stdin] = [collector(), collector(), new PassThrough()];
  await runCommandLine([...argv, "--json"], { stdout, stderr, stdin });
  stdin.destroy();
  return JSON.parse(stdout.text()).waiting;
}

describe.runIf(process.platform !== "win32")("the approve command that a message suggests", () => {
  it.each([
    ["a default file", ".mcp.json", "mcpServers", []],
    ["a file in its host's dialect", ".vscode/mcp.json", "servers", ["--hosts", "vscode,cursor"]],
    ["a file in another host's dialect", ".mcp.json", "mcpServers", ["--hosts", "vscode"]],
    ["a file found with all hosts", ".vscode/mcp.json", "servers", ["--hosts", "all"]],
  ])("finds the server in %s, whichever command printed it", async (_what, file, key, hosts) => {
    const places = ["--cwd", project(file, key), ...hosts];
    const cache = ["--cache", folder.file("cache")];
    const status = await commandLine("status", ...places, ...cache);
    const doctor = await commandLine("doctor", "--json", ...places, ...cache);
    const login = await commandLine("login", "theirs", ...places);
    const report = await commandLine("status", "--json", ...places, ...cache);
    const texts = [
      status.stdout,
      JSON.parse(doctor.stdout).findings[0].nextStep,
      login.stderr.replace(/ \(MCP_\w+\)$/m, ""),
      JSON.parse(report.stdout).servers[0].error.message,
    ];
    for (const text of texts) {
      const [command, name, ...options] = await wordsIn(text);
      expect([command, name]).toEqual(["approve", "theirs"]);
      expect(await waiting("approve", "theirs", ...options)).toMatchObject([{ name: "theirs" }]);
    }
  });

  it("names only hosts that were searched, and omits the current folder", () => {
    const of = (host?: string) => ({ name: "a", definedIn: { scope: "project", host } as const });
    expect(approveCommand([of()], {})).toBe("npx jackfield approve a");
    expect(approveCommand([of("cursor")], { hosts: ["claude-code", "cursor"], cwd: "." })).toBe(
      "npx jackfield approve a --hosts cursor",
    );
    expect(approveCommand([of("vscode-mcp-json")], { hosts: ["cursor", "vscode"], cwd: process.cwd() })).toBe(
      "npx jackfield approve a --hosts cursor,vscode",
    );
    expect(approveCommand([of("cursor"), of()], { hosts: "all", cwd: "/tmp" })).toBe(
      "npx jackfield approve a --cwd /tmp",
    );
  });
});
