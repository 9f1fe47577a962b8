import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { collector, commandLine, everything, temporaryFolder } from "./fixture.ts";

useLeakCheck();

/** One home for all: a real server in the own file, one that hangs in Cursor's, and a project with one that waits for approval. */
const folder = temporaryFolder();
const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const HANGS = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };

function write(name: string, content: unknown): string {
  const file = folder.file(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
  return file;
}

const project = folder.file("project");
const jackfield = (...argv: string[]) => commandLine(...argv, "--cwd", project);

beforeAll(async () => {
  vi.stubEnv("HOME", folder.path);
  vi.stubEnv("JACKFIELD_HOME", folder.file("own"));
  write("own/mcp.json", { mcpServers: { everything } });
  write(".cursor/mcp.json", { mcpServers: { hangs: HANGS } });
  write("project/.git/HEAD", "");
  write("project/.mcp.json", { mcpServers: { brought: { command: "brought" } } });
  // The catalog knows the server from now on.
  expect(await jackfield("tools", "everything")).toMatchObject({ exitCode: 0, stderr: "" });
});

afterAll(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

describe("what the command line shows", () => {
  it("is what the user has in the files of all hosts, and what the project brings", async () => {
    const { stdout } = await jackfield("config", "list", "--json");
    const listed = JSON.parse(stdout).definitions.map(
      ({ name, approved }: { name: string; approved: boolean }) => [name, approved],
    );
    expect(listed).toEqual([
      ["everything", true],
      ["hangs", true],
      ["brought", false],
    ]);
  });

  it("is narrowed by --hosts, JACKFIELD_HOSTS and a line of the own file", async () => {
    const names = async (...argv: string[]) =>
      JSON.parse((await jackfield("config", "list", "--json", ...argv)).stdout)
        .definitions.map(({ name }: { name: string }) => name)
        .join();
    expect(await names("--hosts", "cursor")).toBe("hangs");
    vi.stubEnv("JACKFIELD_HOSTS", "cursor");
    expect(await names()).toBe("hangs");
    expect(await names("--hosts", "jackfield")).toBe("everything,brought");
    vi.stubEnv("JACKFIELD_HOSTS", "cursr");
    expect(await jackfield("status")).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('JACKFIELD_HOSTS has no host "cursr"; did you mean "cursor"?'),
    });
    vi.stubEnv("JACKFIELD_HOSTS", "");
    write("own/mcp.json", { hosts: ["cursor"], mcpServers: { everything } });
    expect(await names()).toBe("hangs");
    write("own/mcp.json", { mcpServers: { everything } });
  });
});

describe("jackfield call", () => {
  it.each<[string, string[], string]>([
    ["server.tool", ["everything.echo", "message=hi"], "Echo: hi\n"],
    ["server/tool", ["everything/echo", '{"message":"hi"}'], "Echo: hi\n"],
    ["the exposed name", ["mcp__everything__echo", "message=hi"], "Echo: hi\n"],
    ["a server and a tool", ["everything", "echo", "message=hi"], "Echo: hi\n"],
    [
      "numbers where the tool takes them",
      ["everything.get-sum", "a=1", "b:=2"],
      "The sum of 1 and 2 is 3.\n",
    ],
    ["text where the tool takes it", ["everything.echo", "message=42"], "Echo: 42\n"],
    ["an address or a path in a value", ["everything.echo", "message=a=b:=c"], "Echo: a=b:=c\n"],
  ])("takes %s, and starts no server but the tool's", async (_title, words, stdout) => {
    expect(await jackfield("call", ...words)).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  it("takes JSON from a file and from standard input, and later words over earlier ones", async () => {
    const file = write("arguments.json", { message: "from a file" });
    expect(await jackfield("call", "everything.echo", `@${file}`)).toMatchObject({
      stdout: "Echo: from a file\n",
    });
    const [stdout, stderr] = [collector(), collector()];
    const words = ["call", "everything.echo", "-", "message=later", "--cwd", project];
    await runCommandLine(words, { stdout, stderr, stdin: Readable.from('{"message":"earlier"}') });
    expect(stdout.text()).toBe("Echo: later\n");
  });

  it("takes a command or a path instead of a name", async () => {
    const echo = ["echo", "message=hi"];
    expect(await jackfield("call", EVERYTHING, ...echo)).toMatchObject({
      stdout: "Echo: hi\n",
      stderr: expect.any(String),
    });
    const behind = ["--cwd", project, "--", process.execPath, EVERYTHING, "stdio"];
    expect(await commandLine("call", ...echo, ...behind)).toMatchObject({
      exitCode: 0,
      stdout: "Echo: hi\n",
    });
  });

  it("explains a tool instead of calling it", async () => {
    const { exitCode, stdout } = await jackfield("call", "everything.get-structured-content", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain('location: "New York" | "Chicago" | "Los Angeles"');
    expect(stdout).toContain("temperature: number");
    expect(stdout).toContain("read-only");
    expect(stdout).toContain("\n  jackfield call everything.get-structured-content location='New York'\n");
    expect(stdout).toContain("A model calls it mcp__everything__get-structured-content.");
  });

  it.each<[string, string[], number, string]>([
    ["a tool", ["call", "everything.ecoh"], 1, 'did you mean "everything.echo"?'],
    ["an exposed name", ["call", "mcp__everything__ecoh"], 1, '"mcp__everything__echo"'],
    ["an argument", ["call", "everything.echo", "mesage=hi"], 64, 'did you mean "message"?'],
    ["a server", ["tools", "evrything"], 1, 'did you mean "everything"?'],
    ["a command", ["toosl"], 64, 'did you mean "tools"?'],
    ["an option", ["tools", "--jsno"], 64, '"--json"'],
    ["no argument at all", ["call", "everything.echo", "hello"], 64, "write key=value"],
  ])("a slip in %s is answered with what was meant", async (_title, words, exitCode, text) => {
    expect(await jackfield(...words)).toMatchObject({ exitCode, stderr: expect.stringContaining(text) });
  });

  it("gives up after --timeout, and prints the error as JSON too", async () => {
    const words = ["call", "everything.trigger-long-running-operation", "duration=60", "--timeout", "2s"];
    const { exitCode, stdout } = await jackfield(...words, "--json");
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
      exitCode: 1,
      error: { code: "MCP_CALL_TIMEOUT", server: "everything" },
    });
  });
});

describe("jackfield tools", () => {
  it("prints signatures with marks, whole where nothing has to fit a terminal", async () => {
    const { stdout } = await jackfield("tools", "everything");
    expect(stdout).toMatch(
      /^everything\.echo\(message: string\) {2}read-only\n {4}Echoes back the input string$/m,
    );
    expect(stdout).toMatch(
      /^everything\.get-structured-content\(.*\) → \{ temperature: number; .*\} {2}read-only$/m,
    );
    expect(stdout).toMatch(
      /allowing it to be downloaded in a subsequent request during the current session\.$/m,
    );
  });

  it("prints with --json all that the server said", async () => {
    const { stdout } = await jackfield("tools", "everything", "--json");
    const tool = JSON.parse(stdout).tools.find(
      ({ originalName }: { originalName: string }) => originalName === "get-structured-content",
    );
    expect(tool).toMatchObject({
      title: expect.any(String),
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    });
  });
});

it("resources and prompts are listed and asked for", async () => {
  const listed = JSON.parse((await jackfield("resources", "everything", "--json")).stdout);
  const [{ uri }] = listed.resources;
  expect((await jackfield("resources", "everything")).stdout).toContain(`everything ${uri}\n`);
  expect((await jackfield("read", "everything", uri)).stdout.length).toBeGreaterThan(10);
  expect((await jackfield("prompts", "everything")).stdout).toContain(
    "everything.args-prompt(city, state?)\n",
  );
  const { stdout } = await jackfield("prompt", "everything.args-prompt", "city=Berlin");
  expect(stdout).toMatch(/^user: .*Berlin/);
});

it("status says in a word what each server needs, and each advice once", async () => {
  const { exitCode, stdout, stderr } = await jackfield("status", "everything");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^everything +ready +\d+ +.*mcp\.json:\d+$/m);
  const servers = {
    unset: { command: "x", env: { KEY: "$" + "{JACKFIELD_TEST_UNSET}" } },
    gone: { command: folder.file("gone") },
    idle: { ...HANGS, lazy: true },
    off: { command: "x", disabled: true },
  };
  const file = write("states.json", { mcpServers: servers });
  const all = await jackfield("status", "--config", file, "--hosts", "jackfield");
  expect(all.stdout).toMatch(/^unset +needs JACKFIELD_TEST_UNSET /m);
  expect(all.stdout).toMatch(/^gone +failed /m);
  const late = await jackfield("status", "hangs", "--timeout", "500ms");
  expect(late.stdout).toMatch(/^hangs +failed /m);
  expect(late.stdout).toContain("within 500 ms");
  expect(late.stdout).not.toContain("TimeoutMs");
  expect(all.stdout).toMatch(/^idle +on demand /m);
  expect(all.stdout).toMatch(/^brought +needs approval /m);
  expect(all.stdout).toMatch(/^off +off /m);
  expect(all.stdout).toMatch(/^6 servers: .*1 ready.*; /m);
  expect((all.stdout + all.stderr).match(/jackfield approve/g)).toHaveLength(1);
});
