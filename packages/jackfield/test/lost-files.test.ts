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

// No answers are given here, and reading the standard input of the process would open it.
const noInput = new PassThrough();
beforeEach(() => void vi.spyOn(process, "stdin", "get").mockReturnValue(noInput as never));
afterEach(() => void vi.restoreAllMocks());

describe("a file whose servers are all lost", () => {
  it.each([
    ["tools", '{"tools":[]}'],
    ["config list", '{"definitions":[]}'],
    ["approve", '{"approved":[],"waiting":[]}'],
  ])("makes %s exit 1", async (command, document) => {
    writeFileSync(folder.file("broken.json"), "{");
    writeFileSync(folder.file("elsewhere.json"), '{"servers":{"a":{"command":"a"}}}');
    writeFileSync(folder.file("misspelled.json"), '{"mcpServer":{"a":{"command":"a"}}}');
    for (const file of ["broken.json", "missing.json", "elsewhere.json", "misspelled.json"]) {
      const named = ["--no-discover", "--config", folder.file(file)];
      const { exitCode, stdout, stderr } = await run(...command.split(" "), ...named);
      const { error, ...rest } = JSON.parse(stdout);
      expect({ exitCode, stdout: JSON.stringify(rest) }).toEqual({ exitCode: 1, stdout: document });
      expect(error.message).toContain(file);
      expect(stderr).toContain(file);
    }
  });

  it.each(["tools", "config list", "approve"])(
    "is not one with an invalid entry, with which %s exits 0",
    async (command) => {
      writeFileSync(folder.file("mcp.json"), '{"mcpServers":{"bad":{"command":5}}}');
      const named = ["--no-discover", "--config", folder.file("mcp.json")];
      expect(await run(...command.split(" "), ...named)).toMatchObject({ exitCode: 0 });
    },
  );
});

describe("a failed search for files", () => {
  it("makes tools exit 1", async () => {
    const fail = () => {
      throw new Error("no environment");
    };
    const env = new Proxy({}, { get: fail });
    const discover = { cwd: folder.path, home: folder.path, env, hosts: "all" } as const;
    await using mcp = await openMcp({ discover, cache: false });
    expect(mcp.report).toMatchObject({ discoveryError: { code: "MCP_INTERNAL" }, problems: [] });
    const { signal } = new AbortController();
    const { exitCode, json } = await tools(mcp, { server: undefined, tokens: false, signal });
    expect({ exitCode, json }).toEqual({ exitCode: 1, json: { tools: [] } });
  });
});

describe("an empty --cache", () => {
  it("is refused, since it would mean the working directory", async () => {
    vi.spyOn(process, "cwd").mockReturnValue(folder.path);
    const { exitCode, stdout, stderr } = await commandLine("tools", "--no-discover", "--cache", "");
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" });
    expect(stderr).toContain('"--cache" is empty');
    expect(stderr).toContain("(MCP_CONFIG_INVALID)");
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe("jackfield doctor, if approvals cannot be stored", () => {
  it("reports approvals-unusable before not-approved", async () => {
    writeFileSync(folder.file(".mcp.json"), '{"mcpServers":{"theirs":{"command":"x"}}}');
    mkdirSync(folder.file("own/state"), { recursive: true });
    writeFileSync(folder.file("own/state/approvals"), "");
    const { exitCode, stdout } = await run("doctor");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        code: "approvals-unusable",
        severity: "error",
        message: expect.stringContaining(folder.file("own/state/approvals")),
      },
      { code: "not-approved", server: "theirs" },
    ]);
  });

  it("does not report approvals-unusable if nothing waits for approval", async () => {
    const enabled = { command: "x", enabled: false };
    writeFileSync(folder.file("mcp.json"), JSON.stringify({ mcpServers: { off: enabled } }));
    mkdirSync(folder.file("own/state"), { recursive: true });
    writeFileSync(folder.file("own/state/approvals"), "");
    const { exitCode, stdout } = await run("doctor", "--config", folder.file("mcp.json"));
    const codes = JSON.parse(stdout).findings.map(({ code }: { code: string }) => code);
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
  });

  it("leaves no approval behind after it tested the store", async () => {
    writeFileSync(folder.file(".mcp.json"), '{"mcpServers":{"theirs":{"command":"x"}}}');
    expect(JSON.parse((await run("doctor")).stdout).findings).toMatchObject([{ code: "not-approved" }]);
    expect(JSON.parse((await run("config", "list")).stdout)).toMatchObject({
      definitions: [{ approved: false }],
    });
  });
});
