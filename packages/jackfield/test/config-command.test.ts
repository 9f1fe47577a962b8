import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
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

describe("--max-file-bytes", () => {
  it("limits the files of every command, and is named where a file is larger", async () => {
    const cwd = project({ ".mcp.json": servers({ team: { command: "x" } }) });
    const own = write("own/mcp.json", servers({ mine: { command: "x" } }));
    const argv = ["config", "list", "--cwd", cwd, "--max-file-bytes"];
    const small = await commandLine(...argv, "20");
    expect([small.exitCode, small.stderr]).toEqual([1, expect.stringContaining('raise "--max-file-bytes"')]);
    expect(small.stderr).toContain(`${own}: the file is larger than 20 bytes`);
    expect((await commandLine(...argv, "2000")).exitCode).toBe(0);
    const parsed = await commandLine("config", "parse", "--host", "cursor", own, "--max-file-bytes", "20");
    expect(parsed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("larger than 20 bytes") });
    for (const wrong of ["0", "x", "1e3"]) expect((await commandLine(...argv, wrong)).exitCode).toBe(64);
  });
});

describe("jackfield config parse", () => {
  const samples = globSync("*/*.expected.json", { cwd: FIXTURES }).flatMap((path) => {
    const [host = "", name = ""] = path.split(sep);
    const stem = name.replace("expected.json", "");
    const files = readdirSync(join(FIXTURES, host)).filter((file) => file.startsWith(stem) && file !== name);
    // What Codex's layers give together has no file of its own.
    return files.map((file) => [host, file, join(FIXTURES, path)] as const);
  });

  it.each(samples)("parses the sample of %s as expected: %s", async (host, name, expected) => {
    const file = join(FIXTURES, host, name);
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", host, file, "--json");
    const { servers: found, diagnostics } = JSON.parse(stdout);
    expect(found).toEqual(withoutNotes(JSON.parse(readFileSync(expected, "utf8"))));
    expect(diagnostics.filter(({ severity }: { severity: string }) => severity === "error")).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it("has samples of nearly every host", () => {
    expect(new Set(samples.map(([host]) => host)).size).toBeGreaterThan(24);
  });

  it.each<[string, string, readonly string[], readonly string[]]>([
    ["claude-code", "01-duplicate-keys.json", ["db"], ["duplicate-key", "duplicate-key"]],
    ["jackfield", "01-duplicate-keys.json", [], ["ServerConfigError", "duplicate-key", "duplicate-key"]],
    ["claude-code", "02-trailing-commas.json", ["fetch"], ["non-strict-json"]],
    ["jackfield", "02-trailing-commas.json", [], ["ConfigSyntaxError"]],
    ["claude-code", "03-utf8-bom.json", ["time"], []],
    ["claude-code", "04-utf16le-bom.json", ["time"], ["encoding"]],
    ["claude-code", "12-truncated.json", [], ["ConfigSyntaxError"]],
    ["claude-code", "14-array-root.json", [], ["ConfigShapeError"]],
    ["claude-code", "14-empty.json", [], ["empty-file"]],
    ["claude-code", "14-null-root.json", [], ["ConfigShapeError"]],
    ["claude-code", "14-whitespace.json", [], ["empty-file"]],
    ["codex", "16-dup-table.toml", [], ["ConfigSyntaxError"]],
    ["jackfield", "17-wrong-root-key.json", [], ["wrong-root-key"]],
  ])("says what is wrong with a hard input: %s, %s", async (host, name, names, codes) => {
    const file = join(FIXTURES, "nasty", name);
    const { exitCode, stdout } = await commandLine("config", "parse", "--host", host, file, "--json");
    const { servers: found, diagnostics } = JSON.parse(stdout);
    expect([Object.keys(found), diagnostics.map(({ code }: { code: string }) => code)]).toEqual([
      names,
      codes,
    ]);
    const isLost = diagnostics.some(({ severity }: { severity: string }) => severity === "error");
    expect(exitCode).toBe(isLost ? 1 : 0);
    for (const diagnostic of diagnostics)
      expect(diagnostic).toMatchObject({ file, line: expect.any(Number), column: expect.any(Number) });
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
      expect.stringContaining(
        `warning invalid-field: Server "s" (${file}:6:4): "timeout" must be a finite number`,
      ),
      `warning near-miss-field: ${file}:5:4: Server "s": "cmd" is not read; did you mean "command"?`,
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
    expect(exitCode).toBe(64);
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
    return { ...rest, listed: JSON.parse(stdout).definitions as { [field: string]: unknown }[] };
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

  it("shows which entry shadows which, across hosts", async () => {
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
      ["other", "claude-code", undefined],
      ["a", "claude-code", expect.objectContaining({ host: "cursor", line: 3, column: expect.any(Number) })],
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
      { scope: "user", shadowedBy: { scope: "project", line: 3 } },
    ]);
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
    const { listed, stderr, exitCode } = await list("--cwd", cwd, "--hosts", "cursor,claude-code");
    expect(listed).toMatchObject([{ name: "good" }]);
    expect(stderr).toContain(".cursor/mcp.json");
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
