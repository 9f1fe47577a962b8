import { mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandLine, temporaryFolder } from "./fixture.ts";

useLeakCheck();

describe.skipIf(process.platform === "win32")("the command line in a folder that was removed", () => {
  const before = process.cwd();
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "jackfield-"));
    process.chdir(folder);
    rmdirSync(folder);
  });
  afterAll(() => process.chdir(before));

  it.each([[["init"]], [["config", "list"]], [["config", "parse", "--host", "cursor", "mcp.json"]]])(
    "says so and what to do: %j",
    async (argv) => {
      const { exitCode, stdout, stderr } = await commandLine(...argv);
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toMatch(/The working directory.* was removed; change to a folder that exists/);
      expect(stderr).toContain("MCP_CONFIG_INVALID");
    },
  );

  it("says so where a hint would name the folder", async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: { a: { command: "x" } } }));
    const { exitCode, stderr } = await commandLine("--cwd", folder.path, "status");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/The working directory.* was removed; change to a folder that exists/);
  });

  it("parses a file with an absolute path", async () => {
    using folder = temporaryFolder();
    const file = folder.file("mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: "x" } } }));
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", "cursor", file, "--json");
    expect(exitCode).toBe(0);
    expect(Object.keys(JSON.parse(stdout).servers)).toEqual(["a"]);
  });
});
