import { existsSync, writeFileSync } from "node:fs";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { commandLine, scriptServer, useTemporaryHome } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

useLeakCheck();

const folder = useTemporaryHome();

/** Runs a command with a configuration file, a catalog and a folder of its own. */
function run(mcpServers: object, ...argv: string[]) {
  writeFileSync(folder.file("servers.json"), JSON.stringify({ mcpServers }));
  return commandLine(...argv, "--config", "servers.json", "--cwd", folder.path, "--cache", "catalog");
}

const places = () => `--config ${folder.file("servers.json")} --cwd ${folder.path} --cache catalog`;
const readTool = { name: "read", inputSchema: { type: "object" as const } };
const failing = scriptServer("process.exit(1)");

describe("a command that needs another one first", () => {
  it("types repeats its options in the command to run first", async () => {
    const { entry } = hostileServer(folder, "files", { tools: [readTool] });
    const { stdout } = await run({ files: entry, lazy: { ...entry, lazy: true } }, "types", "--no-discover");
    expect(stdout).toContain(`run "jackfield status ${placesWithoutSearch()}" first:\nfiles\n`);
    expect(stdout).toContain(`run "jackfield doctor ${placesWithoutSearch()}", which starts them:\nlazy\n`);
  });

  it("types reminds of --mcp-server without repeating its entry, which may be secret", async () => {
    const { entry } = hostileServer(folder, "files", { tools: [readTool] });
    const { stdout } = await run({}, "types", "--mcp-server", `files=${JSON.stringify(entry)}`);
    expect(stdout).toContain(`run "jackfield status --mcp-server … ${places()}" first:\nfiles\n`);
  });

  it("tools repeats its options in the command that shows what is wrong", async () => {
    const found = await run({ broken: failing, other: failing }, "tools");
    expect(found.stderr).toContain(
      `broken (failed), other (failed). "jackfield status ${places()}" says why.`,
    );
    const { stderr } = await run({ broken: failing }, "tools", "nobody");
    expect(stderr).toContain(`No server is called "nobody"; "jackfield status ${places()}" lists them.`);
  });

  it("verify repeats its options, and the lock file, in the command that writes it", async () => {
    const { entry } = hostileServer(folder, "files", { tools: [readTool] });
    const lock = ["--lock", "my lock.json"];
    const write = `"jackfield verify --write ${places()} --lock 'my lock.json'"`;
    const { stderr } = await run({ files: entry }, "verify", ...lock);
    expect(stderr).toContain(`does not exist; ${write} creates one. (MCP_CONFIG_NOT_FOUND)`);
    expect(await run({ files: entry }, "verify", "--write", ...lock)).toMatchObject({ exitCode: 0 });
    const { stdout } = await run({}, "verify", ...lock);
    expect(stdout).toContain(`accept them with ${write}.`);
  });

  it.each([["tools", "off"], ["login", "none"], ["login", "off"], ["logout", "none"], ["login"]])(
    "%s %s repeats its options in the command that lists what is configured",
    async (...argv) => {
      const { exitCode, stderr } = await run({ off: { ...failing, disabled: true } }, ...argv);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`"jackfield config list ${places()}" shows`);
    },
  );

  it("call repeats its options in the command that lists the tools", async () => {
    const { stderr } = await run({}, "call", "nope", "--no-discover");
    expect(stderr).toContain(`"jackfield tools ${placesWithoutSearch()}" lists the available tools.`);
  });

  it("init repeats its folder in the command to try", async () => {
    const { stdout } = await commandLine("init", "--cwd", folder.path);
    expect(stdout).toContain(`Try it with "jackfield status --cwd ${folder.path}".`);
  });

  it("a value that begins with a dash stays the value of its option", async () => {
    const { stderr } = await commandLine("verify", "--lock=-l.json", "--cache=-c", "--cwd", folder.path);
    expect(stderr).toContain(' --cache=-c --lock=-l.json" creates one.');
  });

  it("doctor repeats its options in the command that empties the catalog", async () => {
    writeFileSync(folder.file("catalog"), "not a folder");
    const { stdout } = await run({}, "doctor", "--json");
    expect(JSON.parse(stdout).findings[0].nextStep).toContain(
      `"jackfield cache clear --cwd ${folder.path} --cache catalog"`,
    );
  });
});

const placesWithoutSearch = () => places().replace(" --cache", " --no-discover --cache");

describe("jackfield verify", () => {
  it("does not advise to write a lock file that exists and cannot be read", async () => {
    const { exitCode, stderr } = await run({}, "verify", "--lock", ".");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`The lock file ${folder.path} cannot be read (EISDIR)`);
    expect(stderr).not.toContain("--write");
  });

  it("--write names the command that says why servers have listed nothing", async () => {
    const { exitCode, stdout } = await run({ mail: failing }, "verify", "--write");
    expect({ exitCode, isWritten: existsSync(folder.file("mcp.lock")) }).toEqual({
      exitCode: 1,
      isWritten: false,
    });
    expect(stdout).toBe(
      `Nothing was written, because these servers have not listed their tools:\nmail\n"jackfield doctor ${places()}" says why.\n`,
    );
  });

  it("--write counts one tool of one server in the singular", async () => {
    const { entry } = hostileServer(folder, "files", { tools: [readTool] });
    const { stdout } = await run({ files: entry }, "verify", "--write");
    expect(stdout).toBe(`${folder.file("mcp.lock")} holds 1 tool of 1 server. Commit it.\n`);
  });
});

describe("jackfield status without any server", () => {
  it.each([["{"], ['{"mcpServers":[]}'], ['{"servers":{"a":{"command":"a"}}}']])(
    "does not advise a first file if the one there is says %j",
    async (text) => {
      writeFileSync(folder.file("bad.json"), text);
      const named = ["--no-discover", "--config", folder.file("bad.json")];
      for (const command of [["status"], ["config", "list"]]) {
        expect(await commandLine(...command, ...named)).toMatchObject({
          exitCode: 1,
          stdout: "No server could be read; correct what is named above.\n",
          stderr: expect.stringContaining("bad.json"),
        });
      }
    },
  );
});

describe("an option that is wrong", () => {
  it.each<[string, readonly string[], string]>([
    ["an unknown option", ["--bogus"], 'There is no option "--bogus"; "jackfield --help" lists the options.'],
    [
      "an empty --cwd",
      ["status", "--cwd", ""],
      'The folder of "--cwd" is empty; name one, or leave the option out.',
    ],
    [
      "an unknown host",
      ["status", "--hosts", "cursr"],
      '"--hosts" has no host "cursr"; did you mean "cursor"?',
    ],
    ["an unknown host of config list", ["config", "list", "--hosts", "cursr"], 'did you mean "cursor"?'],
    ["an empty --config", ["status", "--config", ""], 'error: "--config": it must be the path of a file'],
  ])("is named as it was typed: %s", async (_, argv, message) => {
    const { exitCode, stderr } = await commandLine(...argv);
    expect(exitCode).toBe(argv.includes("--config") ? 1 : 64);
    expect(stderr).toContain(message);
  });

  it("is named as it was typed by status, doctor and tools: --mcp-server", async () => {
    const server = ["--no-discover", "--mcp-server", 'foo={"command":5}'];
    for (const command of ["status", "doctor", "tools"]) {
      const { stdout, stderr } = await commandLine(command, ...server);
      expect(stdout + stderr).toContain('Server "foo" ("--mcp-server"): "command" must be a string');
      const inJson = await commandLine(command, ...server, "--json");
      expect(inJson.stdout + inJson.stderr).not.toContain("option ");
    }
  });
});

describe("JACKFIELD_TIMEOUT_MS with an invalid value", () => {
  it("is warned of on standard error without --verbose", async () => {
    vi.stubEnv("JACKFIELD_TIMEOUT_MS", "30s");
    expect(await commandLine("status", "--no-discover")).toMatchObject({
      exitCode: 0,
      stderr:
        "warning: JACKFIELD_TIMEOUT_MS is ignored; it must be a number of milliseconds, 0 for no limit.\n",
    });
  });

  it("is a finding of doctor", async () => {
    vi.stubEnv("JACKFIELD_TIMEOUT_MS", "30s");
    const { stdout, stderr } = await commandLine("doctor", "--no-discover", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).findings).toMatchObject([{ code: "variable-ignored", severity: "warning" }]);
  });
});
