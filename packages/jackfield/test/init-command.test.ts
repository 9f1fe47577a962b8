import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { commandLine, everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();

const SERVER = ["--mcp-server", `everything=${JSON.stringify(everything)}`];
const run = (command: string, ...argv: string[]) => commandLine(command, "--cwd", folder.path, ...argv);
const written = () => JSON.parse(readFileSync(folder.file(".mcp.json"), "utf8"));

describe("jackfield init", () => {
  it("writes a first file with a filesystem server for the folder, and prints it", async () => {
    const { exitCode, stdout, stderr } = await run("init");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(written()).toEqual({
      mcpServers: {
        files: {
          command: "npx",
          args: ["-y", expect.stringMatching(/^@modelcontextprotocol\/server-filesystem@\d/), "."],
        },
      },
    });
    expect(stdout).toContain(readFileSync(folder.file(".mcp.json"), "utf8"));
  });

  it("writes the given servers, which then start without another approval", async () => {
    const { stdout } = await run("init", ...SERVER, "--json");
    expect(JSON.parse(stdout)).toEqual({
      file: folder.file(".mcp.json"),
      servers: ["everything"],
      approved: ["everything"],
      content: { mcpServers: { everything } },
    });
    const status = await run("status", "--json");
    expect({ exitCode: status.exitCode, stderr: status.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(status.stdout).servers).toMatchObject([{ name: "everything", status: "ready" }]);
  });

  it("approves only what it has written: a changed entry needs approval again", async () => {
    await run("init", ...SERVER);
    const changed = { mcpServers: { everything: { ...everything, env: { MORE: "1" } } } };
    writeFileSync(folder.file(".mcp.json"), JSON.stringify(changed));
    const { exitCode, stdout } = await run("status", "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).servers).toMatchObject([{ error: { code: "MCP_APPROVAL_REQUIRED" } }]);
  });

  it("replaces an existing file only with --force", async () => {
    writeFileSync(folder.file(".mcp.json"), "{}");
    const refused = await run("init", ...SERVER);
    expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("--force") });
    expect(written()).toEqual({});
    expect(await run("init", ...SERVER, "--force")).toMatchObject({ exitCode: 0 });
    expect(written()).toEqual({ mcpServers: { everything } });
  });

  it("warns of a variable that is not set; once it is, the entry gets it, as its approval says", async () => {
    const entry = JSON.stringify({ ...everything, env: { REGION: "${JACKFIELD_TEST_REGION}" } });
    const { exitCode, stdout, stderr } = await run("init", "--mcp-server", `files=${entry}`);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warn: .*a variable that is not set: "JACKFIELD_TEST_REGION".* Set it/);
    expect(stdout).toContain("It cannot start yet: see the warning.");
    vi.stubEnv("JACKFIELD_TEST_REGION", "eu-west-7");
    const own = await run("status", "--json");
    expect(JSON.parse(own.stdout).servers).toMatchObject([{ name: "files", status: "ready" }]);
  });

  it("reports that the file cannot be written", async () => {
    mkdirSync(folder.file(".mcp.json"));
    const { exitCode, stderr } = await run("init", "--force");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot be written .*\(MCP_STORAGE_FAILED\)\n$/);
  });

  it.each(['{"foo":1}', "5"])("writes nothing if an entry is not a valid server: %s", async (entry) => {
    const { exitCode, stdout, stderr } = await run("init", "--mcp-server", `x=${entry}`, "--json");
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 1, error: { server: "x" } });
    expect(stderr).toMatch(/Nothing was written.*"x".*MCP_CONFIG_INVALID/);
    expect(existsSync(folder.file(".mcp.json"))).toBe(false);
  });

  it("writes nothing if the approval cannot be stored, and names the folder", async () => {
    writeFileSync(folder.file("afile"), "");
    vi.stubEnv("JACKFIELD_HOME", folder.file("afile"));
    const { exitCode, stderr } = await run("init", ...SERVER);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(folder.file("afile/state/approvals"));
    expect(stderr).toContain("set JACKFIELD_HOME to another folder. (MCP_STORAGE_FAILED)");
    expect(existsSync(folder.file(".mcp.json"))).toBe(false);
  });

  it("approves what it writes through a symbolic link", async () => {
    mkdirSync(folder.file("real"));
    symlinkSync(folder.file("real"), folder.file("link"));
    const { exitCode, stdout } = await commandLine("init", ...SERVER, "--json", "--cwd", folder.file("link"));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      file: folder.file("real/.mcp.json"),
      approved: ["everything"],
    });
  });
});
