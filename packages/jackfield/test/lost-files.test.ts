import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tools } from "../src/command-line/tools-command.ts";
import { openMcp } from "../src/index.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();

const run = (...argv: string[]) =>
  commandLine(...argv, "--cwd", folder.path, "--json", "--cache", folder.file("cache"));

// Nobody answers here, and to look at the standard input of the process would open it.
const noInput = new PassThrough();
beforeEach(() => void vi.spyOn(process, "stdin", "get").mockReturnValue(noInput as never));
afterEach(() => void vi.restoreAllMocks());

describe("a file that was lost as a whole", () => {
  it.each([
    ["tools", "[]"],
    ["config list", "[]"],
    ["approve", '{"approved":[],"waiting":[]}'],
  ])("keeps %s from saying that all is well", async (command, document) => {
    writeFileSync(folder.file("broken.json"), "{");
    for (const file of ["broken.json", "missing.json"]) {
      const named = ["--no-discover", "--config", folder.file(file)];
      const { exitCode, stdout, stderr } = await run(...command.split(" "), ...named);
      expect({ exitCode, stdout: JSON.stringify(JSON.parse(stdout)) }).toEqual({
        exitCode: 1,
        stdout: document,
      });
      expect(stderr).toContain(file);
    }
  });

  it.each(["tools", "config list", "approve"])("is not what one bad entry is for %s", async (command) => {
    writeFileSync(folder.file("mcp.json"), '{"mcpServers":{"bad":{"command":5}}}');
    const named = ["--no-discover", "--config", folder.file("mcp.json")];
    expect(await run(...command.split(" "), ...named)).toMatchObject({ exitCode: 0 });
  });
});

describe("a search for files that was lost as a whole", () => {
  it("keeps tools from saying that all is well", async () => {
    const fail = () => {
      throw new Error("no environment");
    };
    const env = new Proxy({}, { get: fail });
    const discover = { cwd: folder.path, home: folder.path, env, hosts: "all" } as const;
    await using mcp = await openMcp({ discover, cache: false });
    expect(mcp.report).toMatchObject({ discoveryError: { code: "MCP_INTERNAL" }, problems: [] });
    const { signal } = new AbortController();
    const { exitCode, json } = await tools(mcp, { server: undefined, tokens: false, signal });
    expect({ exitCode, json }).toEqual({ exitCode: 1, json: [] });
  });
});

describe("an empty folder for the catalog", () => {
  it("is refused, for it would be the working directory", async () => {
    vi.spyOn(process, "cwd").mockReturnValue(folder.path);
    const { exitCode, stdout, stderr } = await commandLine("tools", "--no-discover", "--cache", "");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain('"--cache" is empty');
    expect(stderr).toContain("(MCP_CONFIG_INVALID)");
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe("jackfield doctor, where nothing can be approved", () => {
  it("says so before it advises to approve", async () => {
    writeFileSync(folder.file(".mcp.json"), '{"mcpServers":{"theirs":{"command":"x"}}}');
    mkdirSync(folder.file("own/state"), { recursive: true });
    writeFileSync(folder.file("own/state/approvals"), "");
    const { exitCode, stdout } = await run("doctor");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        code: "approvals-unusable",
        severity: "error",
        message: expect.stringContaining(folder.file("own/state/approvals")),
      },
      { code: "not-approved", server: "theirs" },
    ]);
  });

  it("says nothing of it where nothing waits to be approved", async () => {
    const enabled = { command: "x", enabled: false };
    writeFileSync(folder.file("mcp.json"), JSON.stringify({ mcpServers: { off: enabled } }));
    mkdirSync(folder.file("own/state"), { recursive: true });
    writeFileSync(folder.file("own/state/approvals"), "");
    const { exitCode, stdout } = await run("doctor", "--config", folder.file("mcp.json"));
    const codes = JSON.parse(stdout).map(({ code }: { code: string }) => code);
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
  });

  it("leaves no approval behind where it finds that one can be kept", async () => {
    writeFileSync(folder.file(".mcp.json"), '{"mcpServers":{"theirs":{"command":"x"}}}');
    expect(JSON.parse((await run("doctor")).stdout)).toMatchObject([{ code: "not-approved" }]);
    expect(JSON.parse((await run("config", "list")).stdout)).toMatchObject([{ approved: false }]);
  });
});
