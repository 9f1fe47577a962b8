import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseHostFile } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";
import { outcomeOf, parse } from "./parsing.ts";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "..", "fixtures", "nasty");
const folderWith = useTemporaryFolder();

async function parseFixture(name: string, host = "claude-code") {
  const parsed = await parseHostFile({ host, file: join(FIXTURES, name) });
  return { ...parsed, ...outcomeOf(parsed) };
}

describe("malformed text", () => {
  test("the last of duplicate keys wins, and both places are reported", async () => {
    const { servers, diagnostics } = await parseFixture("01-duplicate-keys.json");
    expect(servers.map(({ written }) => written)).toMatchObject([{ command: "third" }]);
    expect(servers[0]?.written.args ?? []).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: "duplicate-key", severity: "warning", line: 4, column: 5, server: "db" },
      { code: "duplicate-key", severity: "warning", line: 4, column: 34, server: "db" },
    ]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('"db" is written more than once, first on line 3'),
      expect.stringContaining('"command" is written more than once, first on line 4, column 13'),
    ]);
  });

  test("comments and trailing commas are reported only for a host that reads strict JSON", async () => {
    const strict = await parseFixture("02-trailing-commas.json");
    expect([strict.names, strict.told]).toEqual([["fetch"], ["non-strict-json"]]);
    expect(strict.diagnostics[0]).toMatchObject({ line: 2, column: 3 });
    expect(strict.diagnostics[0]?.message).toContain("Claude Code");
    const jsonc = await parse('{"servers": {"fetch": {"command": "uvx", "args": ["x",], },}, /* c */}', {
      host: "vscode",
    });
    expect([jsonc.names, jsonc.told]).toEqual([["fetch"], []]);
  });

  test.each([
    ["03-utf8-bom.json", []],
    ["04-utf16le-bom.json", ["encoding"]],
  ])("%s loads", async (name, codes) => {
    const { names, told } = await parseFixture(name);
    expect([names, told]).toEqual([["time"], codes]);
  });

  test.each([
    ["12-truncated.json", "claude-code", "ConfigSyntaxError", 1],
    ["14-null-root.json", "claude-code", "ConfigShapeError", 1],
    ["14-array-root.json", "claude-code", "ConfigShapeError", 1],
    ["16-dup-table.toml", "codex", "ConfigSyntaxError", 4],
  ])("%s of %s is a %s", async (name, host, code, line) => {
    const { names, diagnostics } = await parseFixture(name, host);
    expect(names).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: "error", line, file: join(FIXTURES, name) }]);
  });

  test.each(["14-empty.json", "14-whitespace.json"])(
    "%s is reported as an empty file, for information only",
    async (name) => {
      const { names, diagnostics } = await parseFixture(name);
      expect(names).toEqual([]);
      expect(diagnostics).toMatchObject([{ code: "empty-file", severity: "info" }]);
    },
  );

  test("bytes that are not valid text are refused", async () => {
    const folder = await folderWith({ "mcp.json": Buffer.from([0x7b, 0xff, 0x7d]) });
    const parsed = await parseHostFile({ host: "cursor", file: join(folder, "mcp.json") });
    expect(outcomeOf(parsed)).toEqual({ names: [], told: ["ConfigEncodingError"] });
  });

  test.each([
    ["cursor", "mcp.json", '{ "mcpServers": {} }'],
    ["codex", "config.toml", "[mcp_servers.a]\ncommand = 'x'\n"],
    ["goose", "config.yaml", "extensions:\n  a: { type: stdio, cmd: x }\n"],
  ])("UTF-16 without a byte order mark is refused: %s", async (host, name, text) => {
    for (const bytes of [Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()]) {
      const folder = await folderWith({ [name]: bytes });
      const parsed = await parseHostFile({ host, file: join(folder, name) });
      expect(outcomeOf(parsed)).toEqual({ names: [], told: ["ConfigEncodingError"] });
    }
  });

  test.each([
    ["json", "claude-code", `{"mcpServers": ${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`],
    ["toml", "codex", `mcp_servers = ${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["toml", "codex", `[${Array(200).fill("a").join(".")}]`],
    ["yaml", "cursor", `mcpServers: ${"[".repeat(10_000)}`],
    ["yaml", "cursor", Array.from({ length: 100 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("%s that is nested too deeply is refused for %s", async (ending, host, text) => {
    const { names, told } = await parse(text, { host, file: `/folder/config.${ending}` });
    expect([names, told]).toEqual([[], ["ConfigSyntaxError"]]);
  });

  test("YAML aliases that expand to billions of values are refused", async () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 10; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(", ")}]`,
      );
    }
    const { told } = await parse(lines.join("\n"), { file: "/folder/bomb.yaml", host: "cursor" });
    expect(told).toEqual(["ConfigSyntaxError"]);
  });
});

describe("unexpected keys", () => {
  test("[threat T11] __proto__ is dropped at every level and pollutes no object", async () => {
    const text = `{"__proto__": {"polluted": 1}, "mcpServers": {
      "__proto__": {"ghost": {"command": "x"}, "disabled": true, "url": "https://h"},
      "constructor": {"command": "a"}, "toString": {"command": "b"},
      "good": {"command": "c", "__proto__": {"disabled": true, "url": "https://h"}, "env": {"__proto__": "1", "A": "2"}}}}`;
    const { names, servers, told, diagnostics } = await parse(text);
    expect(names).toEqual(["constructor", "toString", "good"]);
    expect(servers[2]?.written).toMatchObject({ enabled: true, transport: "stdio" });
    expect(servers[2]?.written.url).toBeUndefined();
    expect(Object.entries(servers[2]?.written.env ?? {})).toEqual([["A", "2"]]);
    expect(told).toEqual(Array(4).fill("forbidden-key"));
    expect(diagnostics.map(({ line }) => line)).toEqual([1, 2, 4, 4]);
    expect("polluted" in {} || "ghost" in {} || "disabled" in {}).toBe(false);
  });

  test("of many __proto__ keys, 100 are reported one by one and the others counted", async () => {
    const { diagnostics } = await parse(`{${'"__proto__": 1, '.repeat(101)}"mcpServers": {}}`);
    expect(diagnostics.filter(({ code }) => code === "forbidden-key")).toHaveLength(101);
    expect(diagnostics[100]?.message).toContain('the key "__proto__" is left out in 1 more place.');
  });

  test.each([
    ["toml", "codex", '[mcp_servers.good]\ncommand = "x"\n[mcp_servers.good.__proto__]\nurl = "y"\n'],
    ["yaml", "cursor", "mcpServers:\n  good:\n    command: x\n    __proto__:\n      url: y\n"],
  ])("[threat T11] __proto__ is dropped in %s", async (ending, host, text) => {
    const { names, told, servers } = await parse(text, { host, file: `/folder/config.${ending}` });
    expect([names, told]).toEqual([["good"], ["forbidden-key"]]);
    expect(servers[0]?.written.url).toBeUndefined();
  });

  test("unknown fields are kept, and near misses get a suggestion", async () => {
    const { servers, diagnostics } = await parseFixture("10-unknown-fields.json");
    expect(servers).toMatchObject([
      { name: "x", written: { command: "npx", args: ["-y", "x"], enabled: true } },
    ]);
    expect(Object.keys(servers[0]?.written.extra ?? {})).toEqual([
      ...["gallery", "version", "icon", "description", "disable", "Enabled", "envs", "arg"],
    ]);
    const near = diagnostics.filter(({ code }) => code === "near-miss-field");
    expect(near.map(({ pointer, suggestion }) => [pointer, suggestion])).toEqual([
      ["/mcpServer", "mcpServers"],
      ["/mcpServers/x/disable", "disabled"],
      ["/mcpServers/x/Enabled", "enabled"],
      ["/mcpServers/x/envs", "env"],
      ["/mcpServers/x/arg", "args"],
    ]);
    expect(near[0]).toMatchObject({ line: 26, column: 2, severity: "warning" });
  });

  test.each([
    ["17-wrong-root-key.json", "claude-code", "mcpServers", { servers: { a: { command: "npx" } } }],
    ["VS Code", "vscode", "servers", { mcpServers: { a: { command: "npx" } } }],
    ["18-camel.toml", "codex", "mcp_servers", '[mcpServers.a]\ncommand = "npx"\n'],
  ])(
    "%s: servers under another host's root key are reported, not read",
    async (_name, host, wanted, content) => {
      const file = typeof content === "string" ? "/folder/config.toml" : "/folder/mcp.json";
      const { names, diagnostics } = await parse(content, { host, file });
      expect(names).toEqual([]);
      expect(diagnostics).toMatchObject([
        { code: "wrong-root-key", severity: "warning", suggestion: wanted },
      ]);
    },
  );

  test("another host's root key with a different meaning is not reported", async () => {
    const { told } = await parse({ mcp: { allowed: [] }, servers: { name: 1 } }, { host: "gemini" });
    expect(told).toEqual(["no-servers"]);
  });
});

describe("unusual files", () => {
  test.each<[string, (folder: string) => unknown, string]>([
    ["a directory", (folder) => mkdir(join(folder, "mcp.json")), "not a regular file"],
    ["a pipe", (folder) => execFileSync("mkfifo", [join(folder, "mcp.json")]), "not a regular file"],
    ["an endless device", (folder) => symlink("/dev/zero", join(folder, "mcp.json")), "not a regular file"],
    ["a link to itself", (folder) => symlink("mcp.json", join(folder, "mcp.json")), "ELOOP"],
    ["a missing file", () => {}, "it does not exist"],
  ])("[threat T10] %s is a ConfigReadError", async (_what, make, reason) => {
    const folder = await folderWith();
    await make(folder);
    const { servers, diagnostics } = await parseHostFile({ host: "cursor", file: join(folder, "mcp.json") });
    expect(servers).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: "ConfigReadError", severity: "error" }]);
    expect(diagnostics[0]?.message).toContain(reason);
  });

  test("a dangling link is reported as a missing file", async () => {
    const folder = await folderWith();
    await symlink("nowhere", join(folder, "mcp.json"));
    const parsed = await parseHostFile({ host: "cursor", file: join(folder, "mcp.json") });
    expect(outcomeOf(parsed)).toEqual({ names: [], told: ["missing-file"] });
  });

  test("a link is followed, and relative paths start at its target", async () => {
    const folder = await folderWith();
    const real = join(folder, "target", "real.mcp.json");
    await mkdir(dirname(real));
    await writeFile(real, '{ "mcpServers": { "linked": { "command": "./bin/server", "args": [] } } }');
    await symlink(real, join(folder, "link.json"));
    const { servers } = await parseHostFile({ host: "claude-code", file: join(folder, "link.json") });
    expect(servers).toMatchObject([
      {
        written: { command: "./bin/server" },
        definition: {
          command: join(folder, "target", "bin", "server"),
          definedIn: { file: join(folder, "link.json"), realFile: real },
        },
      },
    ]);
  });

  test("a file of 10 MB with 60,000 servers is loaded, unless maxFileBytes is lower", async () => {
    const mcpServers = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, index) => [`s${index}`, { command: "x", args: ["y".repeat(120)] }]),
    );
    const folder = await folderWith({ "mcp.json": JSON.stringify({ mcpServers }) });
    const file = join(folder, "mcp.json");
    const { servers, diagnostics } = await parseHostFile({ host: "claude-code", file });
    expect([servers.length, diagnostics]).toEqual([60_000, []]);
    const refused = await parseHostFile({ host: "claude-code", file, maxFileBytes: 4 * 1024 * 1024 });
    expect(outcomeOf(refused)).toEqual({ names: [], told: ["ConfigTooLargeError"] });
  });

  test.each(["codex", "goose"])(
    "a file of %s with more than 1,048,576 characters is refused",
    async (host) => {
      const text = "# comment\n".repeat(104_858);
      expect(outcomeOf(await parseHostFile({ host, file: "/config", text }))).toEqual({
        names: [],
        told: ["ConfigTooLargeError"],
      });
      const shorter = await parseHostFile({ host, file: "/config", text: text.slice(10) });
      expect(outcomeOf(shorter)).toEqual({ names: [], told: ["empty-file"] });
    },
  );

  test("a file with 100,001 servers is refused", async () => {
    const mcpServers = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [index, 0]));
    const { told } = await parse(JSON.stringify({ mcpServers }));
    expect(told).toEqual(["ConfigShapeError"]);
  });
});
