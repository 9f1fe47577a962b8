import { writeFileSync } from "node:fs";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { commandLine, everything, temporaryFolder } from "./fixture.ts";

const SERVER = `everything=${JSON.stringify(everything)}`;

useLeakCheck();

describe("jackfield status", () => {
  it("shows servers that are switched off, with what does it", async () => {
    using folder = temporaryFolder();
    const file = folder.file("off.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { idle: { command: "x", disabled: true } } }));
    const argv = ["--no-discover", "--config", file, "--cache", folder.file("cache")];
    const { exitCode, stdout } = await commandLine(...argv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^idle +off +.*off\.json:1$/m);
    expect(stdout).toContain("idle: it is switched off where it is defined");
    const listed = JSON.parse((await commandLine("--json", ...argv)).stdout) as { off: unknown };
    expect(listed.off).toMatchObject([{ name: "idle", definedIn: { file, line: 1 } }]);
  });

  it("exits 0 with one JSON document when every server is up", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await commandLine(
      "--json",
      "--mcp-server",
      SERVER,
      "--cache",
      folder.path,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      servers: [
        {
          name: "everything",
          status: "ready",
          uptimeMs: expect.any(Number),
          transport: "stdio",
          tools: expect.any(Number),
          toolsFrom: "live",
          definedIn: { scope: "explicit", pointer: "/servers/everything" },
        },
      ],
      off: [],
      startedInMs: expect.any(Number),
    });
  });

  it("exits 1 when a server is not up, and shows the reason beside the working ones", async () => {
    using folder = temporaryFolder();
    const file = folder.file("mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { everything, wrong: { args: [] } } }));
    const { exitCode, stdout } = await commandLine(
      "status",
      "--json",
      "--config",
      file,
      "--cache",
      folder.path,
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).servers).toMatchObject([
      { name: "everything", status: "ready" },
      {
        name: "wrong",
        status: "failed",
        error: { code: "MCP_CONFIG_INVALID" },
        definedIn: { file, line: 1 },
      },
    ]);
  });

  it("reports a missing file on standard error and exits 1", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await commandLine(
      "status",
      "--json",
      "--config",
      folder.file("none.json"),
      "--cache",
      folder.path,
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).servers).toEqual([]);
    expect(stderr).toContain("none.json");
    expect(stderr).toContain("MCP_CONFIG_NOT_FOUND");
  });

  it("exits 1 if a misspelled key hides a file's servers", async () => {
    using folder = temporaryFolder();
    const file = folder.file("mcp.json");
    writeFileSync(file, JSON.stringify({ mcpservers: { everything } }));
    const { exitCode, stdout, stderr } = await commandLine(
      "status",
      "--json",
      "--config",
      file,
      "--cache",
      folder.path,
    );
    expect({ exitCode, servers: JSON.parse(stdout).servers }).toEqual({ exitCode: 1, servers: [] });
    expect(stderr).toMatch(/^error: .*"mcpservers" is not read/);
  });

  it("prints a table in which a server's output cannot move the cursor", async () => {
    using folder = temporaryFolder();
    const evil = `evil=${JSON.stringify({ command: process.execPath, args: ["-e", "console.error('\\u001b[2Jgone'); process.exit(1)"] })}`;
    const { stdout } = await commandLine(
      "--mcp-server",
      SERVER,
      "--mcp-server",
      evil,
      "--cache",
      folder.path,
    );
    expect(stdout).toMatch(/^SERVER +STATUS +TOOLS +DEFINED IN$/m);
    expect(stdout).toMatch(/^everything +ready +\d+ +command line$/m);
    expect(stdout).toMatch(/^evil +failed +command line$/m);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("gone");
  });
});

describe("jackfield tools", () => {
  it("lists the tools with their schemas", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout } = await commandLine(
      "tools",
      "everything",
      "--json",
      "--tokens",
      "--mcp-server",
      SERVER,
      "--cache",
      folder.path,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).tools).toContainEqual({
      name: "mcp__everything__echo",
      server: "everything",
      originalName: "echo",
      origin: "live",
      description: expect.any(String),
      inputSchema: expect.objectContaining({ type: "object", required: ["message"] }),
      title: "Echo Tool",
      annotations: expect.objectContaining({ readOnlyHint: true }),
      execution: { taskSupport: "forbidden" },
      tokens: expect.any(Number),
    });
  });

  it("finds tools by what they do, best first, and says if none fits", async () => {
    using folder = temporaryFolder();
    const search = (...more: string[]) =>
      commandLine("tools", ...more, "--mcp-server", SERVER, "--cache", folder.path);
    const found = await search("--search", "get the sum of two numbers", "--json");
    expect(found.exitCode).toBe(0);
    expect(JSON.parse(found.stdout).tools[0]).toMatchObject({ originalName: "get-sum" });
    const none = await search("everything", "--search", "bake a wedding cake");
    expect(none).toMatchObject({ exitCode: 0, stdout: 'No tool fits "bake a wedding cake".\n' });
  });

  it("names the failed servers when no tool is available", async () => {
    using folder = temporaryFolder();
    const gone = JSON.stringify({ command: folder.file("gone") });
    const { exitCode, stdout, stderr } = await commandLine(
      "tools",
      "--mcp-server",
      `gone=${gone}`,
      "--cache",
      folder.path,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "No tool is available.\n" });
    expect(stderr).toMatch(
      /^warning: The tools of server "gone" are not known: .* was not found\. Install it, or .*\n$/,
    );
  });

  it("refuses a server that is not configured", async () => {
    using folder = temporaryFolder();
    const { exitCode, stderr } = await commandLine("tools", "none", "--cache", folder.path);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("MCP_SERVER_UNKNOWN"),
    });
  });
});

describe("a server that is not used", () => {
  it.each([
    [["tools", "off"], "MCP_SERVER_UNKNOWN"],
    [["call", "mcp__off__read", "{}"], "MCP_TOOL_UNKNOWN"],
  ])("is reported with the reason and its place by %j", async (argv, code) => {
    using folder = temporaryFolder();
    const file = folder.file("mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { off: { command: "x", disabled: true } } }));
    const { exitCode, stderr } = await commandLine(...argv, "--config", file, "--cache", folder.path);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Server "off" (${file}:1) is not used: it is switched off where it is defined;`);
    expect(stderr).toContain(`"jackfield config list --config ${file} --cache ${folder.path}"`);
    expect(stderr).toContain(code);
  });

  it("is reported last if it waits for approval, so that the text ends with the command to copy", async () => {
    using folder = temporaryFolder();
    const servers = { wait: { command: "x" }, "wait.": { command: "x", disabled: true } };
    writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const argv = ["call", "mcp__wait__y", "{}", "--cwd", folder.path, "--cache", folder.file("cache")];
    const { stderr } = await commandLine(...argv);
    expect(stderr).toMatch(
      /"wait\." .* is not used: .*"wait" .* is not used: .* review it with: npx jackfield approve wait --cwd \S+ \(MCP_TOOL_UNKNOWN\)$/m,
    );
  });
});

describe("jackfield call", () => {
  it("prints the server's answer, and accepts a tool's own name if it is unique", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout } = await commandLine(
      "call",
      "echo",
      '{"message":"hi"}',
      "--json",
      "--mcp-server",
      SERVER,
      "--cache",
      folder.path,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ content: [{ type: "text", text: "Echo: hi" }], isError: false });
  });

  it.each([
    ["the tool's name is not known", ["call", "none", "{}"], "MCP_TOOL_UNKNOWN", 1],
    ["an argument is missing", ["call", "echo"], "MCP_ARGUMENTS_INVALID", 1],
    ["the arguments are not JSON", ["call", "echo", "{nonsense"], "MCP_CONFIG_INVALID", 64],
  ])("fails when %s", async (_title, argv, code, status) => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await commandLine(
      ...argv,
      "--mcp-server",
      SERVER,
      "--cache",
      folder.path,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: status, stdout: "" });
    expect(stderr).toContain(code);
  });

  it("exits 2 when the tool answers with an error", async () => {
    using folder = temporaryFolder();
    const input = '{"messageType":"nonsense"}';
    const { exitCode, stdout } = await commandLine(
      "call",
      "get-annotated-message",
      input,
      "--json",
      "--mcp-server",
      SERVER,
      "--cache",
      folder.path,
    );
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 2, isError: true });
  });
});

describe("the command line", () => {
  it.each([
    [["frobnicate"], 'There is no command "frobnicate"'],
    [["--nonsense"], "--nonsense"],
    [["status", "too", "many"], '"status" does not take "many"'],
    [["call"], '"call" needs the name of a tool'],
    [["status", "--write"], '"status" does not take "--write".'],
    [["doctor", "--host", "cursor"], '"doctor" does not take "--host"; did you mean "--hosts"?'],
    [["config", "list", "--host", "cursor"], '"config list" does not take "--host"; did you mean "--hosts"?'],
    [["--mcp-server", "nonsense"], "NAME=JSON"],
    [["--mcp-server", '{"url":"https://h/?key=planted"}'], '"--mcp-server" must be NAME=JSON, for example'],
    [["--mcp-server", 's:{"url":"https://h/?key=planted"}'], '"--mcp-server" must be NAME=JSON, for example'],
    [["--mcp-server", "a={"], 'The JSON of "--mcp-server a"'],
  ])("refuses %j with exit code 64 and says why", async (argv, message) => {
    const { exitCode, stdout, stderr } = await commandLine(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" });
    expect(stderr).toContain(message);
  });

  it.each(["status", "config list", "cache list", "init", "types", "approve", "doctor"])(
    "refuses a --cwd that does not exist for %s",
    async (command) => {
      using folder = temporaryFolder();
      const argv = [...command.split(" "), "--cwd", folder.file("none"), "--cache", folder.path];
      const { exitCode, stdout, stderr } = await commandLine(...argv, "--json");
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
        exitCode: 1,
        error: { code: "MCP_CONFIG_NOT_FOUND" },
      });
      expect(stderr).toContain("MCP_CONFIG_NOT_FOUND");
    },
  );

  it("prints its usage and its version", async () => {
    expect(await commandLine("--help")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Usage: jackfield"),
    });
    expect(await commandLine("--version")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it("says what to do when nothing is configured", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout } = await commandLine("--cache", folder.path);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/jackfield init.*--config FILE/s),
    });
  });
});
