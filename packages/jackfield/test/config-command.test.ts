import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandLine, type TemporaryFolder, temporaryFolder } from "./fixture.ts";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../mcp-config/test/fixtures");

let folder: TemporaryFolder;

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv("HOME", folder.path);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  vi.stubEnv("JACKFIELD_HOME", join(folder.path, "own"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

/** Writes a file by its path in the home, and gives its whole path. */
function write(path: string, content: unknown): string {
  const file = folder.file(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 1));
  return file;
}

/** A repository in the home; returns its folder. */
function project(files: { readonly [path: string]: unknown } = {}): string {
  mkdirSync(folder.file("work/.git"), { recursive: true });
  for (const [path, content] of Object.entries(files)) write(join("work", path), content);
  return folder.file("work");
}

const servers = (entries: object) => ({ mcpServers: entries });

describe("jackfield config parse", () => {
  it.each([
    ["claude-code", "project.mcp.json"],
    ["goose", "config.yaml"],
    ["codex", "user.config.toml"],
    ["mcpb", "manifest.json"],
    ["registry", "server.json"],
  ])("parses the sample of %s as expected", async (host, name) => {
    const file = join(FIXTURES, host, name);
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", host, file, "--json");
    const expected = readFileSync(file.replace(/\.[^.]+$/, ".expected.json"), "utf8");
    expect(JSON.parse(stdout).servers).toEqual(withoutNotes(JSON.parse(expected)));
    expect(exitCode).toBe(0);
  });

  it("shows a project of another machine by its folder", async () => {
    const mine = { "/elsewhere/mine": servers({ mine: { command: "x" } }) };
    const other = { "/elsewhere/other": servers({ other: { command: "y" } }) };
    const file = write("home.json", { projects: { ...mine, ...other } });
    const argv = ["--host", "claude-code", file, "--cwd", "/elsewhere/other", "--json"];
    const { stdout, exitCode } = await commandLine("config", "parse", ...argv);
    expect([Object.keys(JSON.parse(stdout).servers), exitCode]).toEqual([["other"], 0]);
  });

  it("gives every diagnostic in JSON a place", async () => {
    const file = folder.file("mcp.json");
    writeFileSync(file, Buffer.from([0x7b, 0xc3, 0x28, 0x7d]));
    const { stdout } = await commandLine("config", "parse", "--host", "cursor", file, "--json");
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { code: "ConfigEncodingError", file, line: 1, column: 1 },
    ]);
  });

  it("resolves files against --cwd", async () => {
    const file = write("work/mcp.json", servers({ upper: { command: "x" } }));
    const lower = write("work/lower.json", servers({ lower: { command: "y" } }));
    const argv = ["--host", "cursor", "mcp.json", "lower.json", "--cwd", folder.file("work")];
    const { stdout } = await commandLine("config", "parse", ...argv);
    expect(stdout).toContain(`${file}:3`);
    expect(stdout).toContain(`${lower}:3`);
  });

  it.each([
    { host: "jackfield", severity: "error", exitCode: 1 },
    { host: "cursor", severity: "warning", exitCode: 0 },
  ])(
    "calls servers under a key that $host does not read an $severity",
    async ({ host, severity, exitCode }) => {
      const file = write("mcp.json", { servers: { a: { command: "a" } } });
      const parsed = await commandLine("config", "parse", "--host", host, file);
      expect(parsed.stdout).toContain(`${severity} wrong-root-key`);
      expect(parsed.exitCode).toBe(exitCode);
    },
  );

  it("exits 0 if there is nothing under a key that is not read", async () => {
    const file = write("mcp.json", { servers: {} });
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", "jackfield", file);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('"servers" is not read; servers belong under "mcpServers".'),
    });
  });

  it("prints diagnostics with their place, and exits 1 if one is an error", async () => {
    const file = write("mcp.json", servers({ good: { command: "x" }, bad: { args: [] } }));
    const { exitCode, stdout, stderr } = await commandLine(
      "config",
      "parse",
      "--host",
      "cursor",
      file,
      "--json",
    );
    const parsed = JSON.parse(stdout);
    expect(Object.keys(parsed.servers)).toEqual(["good"]);
    expect(parsed.diagnostics).toEqual([
      {
        code: "ServerConfigError",
        severity: "error",
        message: expect.stringContaining("neither"),
        file,
        line: 6,
        column: 3,
        pointer: "/mcpServers/bad",
        server: "bad",
      },
    ]);
    expect([exitCode, stderr]).toEqual([1, ""]);
  });

  it("reports unset variables, and expands none", async () => {
    vi.stubEnv("SET_HERE", "planted");
    const entry = {
      url: "https://host.example",
      headers: { A: "${env:SET_HERE}", B: "${env:NOT_SET_HERE}" },
    };
    const file = write("mcp.json", servers({ s: entry }));
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", "cursor", file, "--json");
    const parsed = JSON.parse(stdout);
    expect(parsed.servers.s.headers).toEqual(entry.headers);
    expect(parsed.diagnostics).toMatchObject([
      { code: "unresolved-variable", severity: "warning", server: "s" },
    ]);
    expect([exitCode, stdout.includes("planted")]).toEqual([0, false]);
  });

  it("merges further files below the first, as the host does", async () => {
    const [stronger, weaker] = ["project.config.toml", "user.config.toml"].map((name) =>
      join(FIXTURES, "codex", name),
    ) as [string, string];
    const { stdout } = await commandLine("config", "parse", "--host", "codex", stronger, weaker, "--json");
    expect(JSON.parse(stdout).servers.docs).toMatchObject({ command: "docs-server-dev", cwd: "/srv/docs" });
  });

  it("prints the place of each diagnostic once, as config list does", async () => {
    const own = write("own/mcp.json", servers({ s: { command: "x", cmd: "y" } }));
    const file = write(
      "mcp.json",
      servers({ s: { command: "x", cmd: "y", timeout: "1" }, t: { command: 5 } }),
    );
    const { stdout } = await commandLine("config", "parse", "--host", "gemini", file);
    expect(stdout.split("\n").slice(2, -1)).toEqual([
      `error ServerConfigError: Server "t" (${file}:9:4): "command" must be a string, not a number; put it in quotes.`,
      `warning near-miss-field: ${file}:5:4: Server "s": "cmd" is not read; did you mean "command"?`,
      expect.stringContaining(
        `warning invalid-field: Server "s" (${file}:6:4): "timeout" must be a finite number`,
      ),
    ]);
    const { stderr } = await commandLine("config", "list", "--cwd", project());
    expect(stderr).toBe(`warning: ${own}:5:4: Server "s": "cmd" is not read; did you mean "command"?\n`);
  });

  it("prints no values in its table", async () => {
    const entry = { url: "https://u:planted@host.example", headers: { Authorization: "Bearer planted" } };
    const file = write("mcp.json", servers({ s: entry }));
    const { stdout } = await commandLine("config", "parse", "--host", "cursor", file);
    expect(stdout).toMatch(/^SERVER +TRANSPORT +STATE +DEFINED IN\ns +http +on +.*mcp\.json:3\n/);
    expect(stdout).toContain("warning literal-secret");
    expect(stdout).not.toContain("planted");
  });

  it.each([
    [["config"], "list or parse"],
    [["config", "parse", "file.json"], "--host HOST"],
    [["config", "parse", "--host", "emacs", "file.json"], '"claude-code"'],
    [["config", "list", "extra"], 'does not take "extra"'],
  ])("refuses %j and shows the correct usage", async (argv, text) => {
    const { exitCode, stderr } = await commandLine(...argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).toContain("MCP_CONFIG_INVALID");
  });

  it("exits 1 for a missing file", async () => {
    const { exitCode, stdout } = await commandLine(
      ...["config", "parse", "--host", "cursor", folder.file("none.json"), "--json"],
    );
    expect(JSON.parse(stdout)).toMatchObject({ servers: {}, diagnostics: [{ code: "ConfigReadError" }] });
    expect(exitCode).toBe(1);
  });
});

describe("jackfield config list", () => {
  const list = async (...argv: string[]) => {
    const { stdout, ...rest } = await commandLine("config", "list", "--json", ...argv);
    return { ...rest, listed: JSON.parse(stdout) as { [field: string]: unknown }[] };
  };

  it("lists the entries found by default with their places, and starts nothing", async () => {
    const ran = folder.file("ran");
    const touch = { command: process.execPath, args: ["-e", `fs.writeFileSync(${JSON.stringify(ran)}, "")`] };
    const cwd = project({ ".mcp.json": servers({ theirs: touch }) });
    const own = write(
      "own/mcp.json",
      servers({ mine: { command: "x" }, off: { command: "x", enabled: false } }),
    );
    const { exitCode, listed } = await list("--cwd", cwd);
    expect(listed).toMatchObject([
      {
        name: "mine",
        transport: "stdio",
        scope: "user",
        enabled: true,
        approved: true,
        definedIn: { file: own, line: 3 },
      },
      { name: "off", scope: "user", enabled: false, approved: true },
      { name: "theirs", scope: "project", enabled: true, approved: false, blockedBy: { by: "approval" } },
    ]);
    expect(exitCode).toBe(0);
    expect(() => readFileSync(ran)).toThrow("ENOENT");
  });

  it("shows which entry shadows which, by name or endpoint, across hosts", async () => {
    const cwd = project();
    write(".cursor/mcp.json", servers({ a: { command: "cursor" }, hub: { url: "https://hub.example/mcp" } }));
    write(
      ".claude.json",
      servers({ a: { command: "claude" }, other: { type: "http", url: "https://hub.example/mcp" } }),
    );
    const { listed } = await list("--cwd", cwd, "--hosts", "cursor,claude-code");
    const facts = listed.map(({ name, definedIn, shadowedBy }) => [
      name,
      (definedIn as { host: string }).host,
      shadowedBy,
    ]);
    expect(facts).toEqual([
      ["a", "cursor", undefined],
      ["hub", "cursor", undefined],
      ["a", "claude-code", { name: "a", reason: "name" }],
      ["other", "claude-code", { name: "hub", reason: "endpoint" }],
    ]);
  });

  it("shows that a project's entry shadows the user's only once it is approved", async () => {
    const cwd = project({ ".mcp.json": servers({ s: { command: "project" } }) });
    write("own/mcp.json", servers({ s: { command: "user" } }));
    const before = await list("--cwd", cwd);
    expect(before.listed).toMatchObject([
      { scope: "user", approved: true },
      { scope: "project", approved: false, blockedBy: { by: "approval" } },
    ]);
    expect((await commandLine("approve", "s", "--yes", "--cwd", cwd)).exitCode).toBe(0);
    const after = await list("--cwd", cwd);
    expect(after.listed).toMatchObject([
      { scope: "project", approved: true },
      { scope: "user", shadowedBy: { name: "s", reason: "name" } },
    ]);
  });

  it("lists the servers of a project that its host does not trust, which concern no other command", async () => {
    const cwd = project({ ".codex/config.toml": '[mcp_servers.docs]\nurl = "https://docs.example/mcp"\n' });
    const places = ["--cwd", cwd, "--hosts", "codex"];
    const { listed } = await list(...places);
    expect(listed).toMatchObject([{ name: "docs", approved: false, blockedBy: { by: "host" } }]);
    expect((await commandLine("config", "list", ...places)).stdout).toContain("blocked (host)");
    const status = await commandLine("status", "--json", ...places);
    expect([JSON.parse(status.stdout).servers, status.exitCode]).toEqual([[], 0]);
    const logout = await commandLine("logout", "docs", ...places);
    expect(logout.stderr).toContain("Codex does not trust its project; trust the project there first");
    expect(logout.exitCode).toBe(1);
  });

  it("lists all hosts with --hosts all, and only named entries with --no-discover", async () => {
    const cwd = project();
    cpSync(join(FIXTURES, "windsurf/mcp_config.json"), write(".codeium/windsurf/mcp_config.json", ""));
    const file = write("named.json", servers({ named: { command: "x" } }));
    const given = ["--config", file, "--mcp-server", 'given={"command":"x"}', "--cwd", cwd];
    const namesOf = async (...argv: string[]) =>
      (await list(...given, ...argv)).listed.map(({ name }) => name);
    expect(await namesOf("--hosts", "all")).toEqual(["given", "named", "figma", "git"]);
    expect(await namesOf("--hosts", "all", "--no-discover")).toEqual(["given", "named"]);
  });

  it("reports broken files on standard error, and lists the others", async () => {
    const cwd = project();
    write(".cursor/mcp.json", "{");
    write(".claude.json", servers({ good: { command: "x" } }));
    const { listed, stderr, exitCode } = await list("--cwd", cwd, "--hosts", "cursor,claude-code,emacs");
    expect(listed).toMatchObject([{ name: "good" }]);
    expect(stderr).toContain(".cursor/mcp.json");
    expect(stderr).toContain('"emacs" is not a known host');
    expect(exitCode).toBe(1);
  });

  it("reports a broken file once, though several hosts read it", async () => {
    const cwd = project({ ".mcp.json": "{" });
    const { stderr } = await list("--cwd", cwd, "--hosts", "all");
    const lines = stderr.trimEnd().split("\n");
    expect(lines[0]).toContain(".mcp.json:1:2");
    expect(lines).toEqual([...new Set(lines)]);
  });

  it("prints a table without values", async () => {
    const cwd = project({ ".mcp.json": servers({ s: { command: "x", args: ["--token", "planted"] } }) });
    const { stdout } = await commandLine("config", "list", "--cwd", cwd);
    expect(stdout).toMatch(
      /^SERVER +TRANSPORT +HOST +SCOPE +STATE +DEFINED IN\ns +stdio +jackfield +project +not approved +\//,
    );
    expect(stdout).not.toContain("planted");
    const empty = await commandLine("config", "list", "--no-discover");
    expect(empty.stdout).toBe("No server is configured.\n");
  });
});

/** Keys that begin with a dollar sign are notes, but for those by which a choice is described. */
function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !/^\$(?!options|requires)/.test(key));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNotes(member)]));
}
