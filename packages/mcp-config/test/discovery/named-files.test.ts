import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { loadServers } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";

const folderWith = useTemporaryFolder();

/** Megabytes take their time on a busy machine. */
const LARGE_FILE_TIMEOUT_MS = 60_000;

const names = (servers: readonly ServerDefinition[]) => servers.map(({ name }) => name);
const codes = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code }) => code);

describe("named files", () => {
  test("no options yield no servers and no problems", async () => {
    expect(await loadServers()).toEqual({ servers: [], problems: [], diagnostics: [] });
  });

  test("a server records its file and pointer", async () => {
    const cwd = await folderWith({
      "mcp.json": '{\n  "mcpServers": {\n    "git hub": { "command": "npx" }\n  }\n}',
    });
    const { servers, problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect([problems, diagnostics]).toEqual([[], []]);
    expect(servers).toEqual([
      {
        name: "git hub",
        transport: "stdio",
        command: "npx",
        definedIn: {
          scope: "explicit",
          file: join(cwd, "mcp.json"),
          pointer: "/mcpServers/git hub",
        },
      },
    ]);
  });

  test("relative paths in a file are relative to its directory", async () => {
    const folder = await folderWith({ "mcp.json": { mcpServers: { s: { command: "./s.js", cwd: ".." } } } });
    const { servers } = await loadServers({ files: [join(folder, "mcp.json")], cwd: "/" });
    expect(servers).toMatchObject([{ command: join(folder, "s.js"), cwd: dirname(folder) }]);
  });

  test("a byte order mark is skipped", async () => {
    const cwd = await folderWith({ "mcp.json": '\ufeff{"mcpServers": {"s": {"command": "x"}}}' });
    const { servers, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(servers).toMatchObject([{ name: "s", definedIn: { pointer: "/mcpServers/s" } }]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ["little", (bytes: Buffer) => bytes],
    ["big", (bytes: Buffer) => bytes.swap16()],
  ])("UTF-16 in %s-endian order with a byte order mark is read with a warning", async (_order, ordered) => {
    const text = '\ufeff{"mcpServers": {"zeit-é": {"command": "x"}}}';
    const cwd = await folderWith({ "mcp.json": ordered(Buffer.from(text, "utf16le")) });
    const { servers, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(names(servers)).toEqual(["zeit-é"]);
    expect(codes(diagnostics)).toEqual(["encoding"]);
  });

  test.each([
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["UTF-16 without a byte order mark", Buffer.from('{"mcpServers": {}}', "utf16le")],
  ])("the content is refused: %s", async (_what, bytes) => {
    const cwd = await folderWith({ "mcp.json": bytes });
    const { problems } = await loadServers({ files: ["mcp.json"], cwd });
    expect(problems).toMatchObject([{ error: { code: "MCP_CONFIG_INVALID" } }]);
  });

  test("a symbolic link is followed, and definedIn keeps the named path", async () => {
    const cwd = await folderWith({ "real.json": { mcpServers: { s: { command: "x" } } } });
    await symlink("real.json", join(cwd, "link.json"));
    const { servers } = await loadServers({ files: ["link.json"], cwd });
    expect(servers).toMatchObject([{ definedIn: { file: join(cwd, "link.json") } }]);
  });

  test("a file named twice is read once", async () => {
    const cwd = await folderWith({ "mcp.json": { mcpServers: { s: { command: "x" } } } });
    const { servers, diagnostics } = await loadServers({ files: ["mcp.json", "./mcp.json"], cwd });
    expect([names(servers), diagnostics]).toEqual([["s"], []]);
  });

  test("a file and a link to it are loaded once, under the path named first", async () => {
    const cwd = await folderWith({ "real.json": { mcpServers: { s: { command: "x", cmd: "y" } } } });
    await symlink("real.json", join(cwd, "link.json"));
    for (const files of [
      ["real.json", "link.json"],
      ["link.json", "real.json"],
    ]) {
      const { servers, diagnostics } = await loadServers({ files, cwd, remarks: true });
      expect(servers).toMatchObject([{ name: "s", definedIn: { file: join(cwd, files[0] ?? "") } }]);
      expect(servers[0]).not.toHaveProperty("shadows");
      expect(codes(diagnostics)).toEqual(["near-miss-field"]);
    }
  });
});

describe("file and entry errors", () => {
  test.each<[string, (folder: string) => Promise<unknown> | unknown, string]>([
    ["a missing file", () => {}, "it does not exist. Correct the path, or create the file."],
    [
      "a directory",
      (folder) => mkdir(join(folder, "bad.json")),
      "not a regular file. Correct the path, or make the file readable.",
    ],
    ["a pipe", (folder) => execFileSync("mkfifo", [join(folder, "bad.json")]), "not a regular file"],
    ["an endless device", (folder) => symlink("/dev/zero", join(folder, "bad.json")), "not a regular file"],
    ["a dangling link", (folder) => symlink("nowhere", join(folder, "bad.json")), "or create the file."],
    ["a link to itself", (folder) => symlink("bad.json", join(folder, "bad.json")), "ELOOP"],
  ])("%s is reported, and the other file is loaded", async (_what, make, reason) => {
    const cwd = await folderWith({ "good.json": { mcpServers: { good: { command: "x" } } } });
    await make(cwd);
    const { servers, problems } = await loadServers({ files: ["bad.json", "good.json"], cwd });
    const file = join(cwd, "bad.json");
    expect(names(servers)).toEqual(["good"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      definedIn: { scope: "explicit", file },
      error: { code: "MCP_CONFIG_NOT_FOUND", phase: "config", location: { file } },
    });
    expect(problems[0]).not.toHaveProperty("server");
    expect(problems[0]?.error.message).toContain(file);
    expect(problems[0]?.error.message).toContain(reason);
    expect(problems[0]?.error.message).toContain("Correct the path");
  });

  test("a file of more than 16 MiB is refused", async () => {
    const cwd = await folderWith({ "big.json": " ".repeat(16 * 1024 * 1024 + 1) });
    const { problems } = await loadServers({ files: ["big.json"], cwd });
    expect(problems[0]?.error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(problems[0]?.error.message).toContain("larger than");
  });

  test(
    "a file of 10 MB with 60,000 servers is loaded without problems",
    async () => {
      const mcpServers = Object.fromEntries(
        Array.from({ length: 60_000 }, (_, index) => [
          `s${index}`,
          { command: "x", args: ["y".repeat(120)] },
        ]),
      );
      const cwd = await folderWith({ "big.json": JSON.stringify({ mcpServers }) });
      const { servers, problems } = await loadServers({ files: ["big.json"], cwd });
      expect([servers.length, problems]).toEqual([60_000, []]);
    },
    LARGE_FILE_TIMEOUT_MS,
  );

  test.each([
    ["broken JSON", '{\n"mcpServers": {\n"s": {"command": "x",}\n}}', 3, 22],
    ["a truncated file", '{"mcpServers": {"s": {"command": "x"', 1, 37],
    ["a null root", "null", 1, 1],
    ["an array root", '\n["x"]', 2, 1],
    ["a string root", '"x"', 1, 1],
    ["servers in an array", '{\n "mcpServers": [] }', 2, 2],
    ["mcpServers written twice", '{"mcpServers": {},\n "mcpServers": {}}', 2, 2],
  ])("%s is reported with file, line and column", async (_what, text, line, column) => {
    const cwd = await folderWith({
      "bad.json": text,
      "good.json": { mcpServers: { good: { command: "x" } } },
    });
    const { servers, problems } = await loadServers({ files: ["bad.json", "good.json"], cwd });
    const file = join(cwd, "bad.json");
    expect(names(servers)).toEqual(["good"]);
    expect(problems).toMatchObject([
      { error: { code: "MCP_CONFIG_INVALID", location: { file, line, column } } },
    ]);
    expect(problems[0]?.error.message).toContain(`${file}:${line}:${column}: `);
  });

  test("each bad entry has its own error, and the good ones are loaded", async () => {
    const text = `{
  "mcpServers": {
    "first": { "command": "x" },
    "empty": {},
    "wrong": { "command": "x",
      "args": [ "a",
        7 ] },
    "": { "command": "x" },
    "nothing": null,
    "last": { "url": "https://host" }
  }
}`;
    const cwd = await folderWith({ "mcp.json": text });
    const { servers, problems } = await loadServers({ files: ["mcp.json"], cwd });
    expect(names(servers)).toEqual(["first", "last"]);
    expect(
      problems.map(({ server, definedIn, error }) => [
        server,
        definedIn.pointer,
        error.server,
        error.location?.line,
      ]),
    ).toEqual([
      ["empty", "/mcpServers/empty", "empty", 4],
      ["wrong", "/mcpServers/wrong", "wrong", 7],
      ["", "/mcpServers/", "", 8],
      ["nothing", "/mcpServers/nothing", "nothing", 9],
    ]);
    expect(problems[1]?.error.location).toEqual({
      file: join(cwd, "mcp.json"),
      line: 7,
      column: 9,
      pointer: "/mcpServers/wrong/args/1",
    });
    expect(problems[1]?.error.message).toContain(`Server "wrong" (${join(cwd, "mcp.json")}:7:9): `);
  });
});

describe("keys", () => {
  test.each([
    ["servers", "wrong-root-key"],
    ["mcp_servers", "wrong-root-key"],
    ["context_servers", "wrong-root-key"],
    ["mcpservers", "near-miss-field"],
    ["MCPServers", "near-miss-field"],
    ["mcpServer", "near-miss-field"],
    ["mcp-servers", "near-miss-field"],
  ])("the root key %s is not read, and the error names mcpServers", async (key, code) => {
    const cwd = await folderWith({ "mcp.json": { [key]: { s: { command: "x" } } } });
    const { servers, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(servers).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: "error", line: 2, column: 3 }]);
    expect(diagnostics[0]?.message).toContain(
      `"${key}" is not read, so "s" is lost; servers belong under "mcpServers"`,
    );
  });

  test("a wrong root key beside mcpServers is only a warning", async () => {
    const cwd = await folderWith({ "mcp.json": { mcpServers: {}, servers: { s: { command: "x" } } } });
    const { diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(diagnostics).toMatchObject([{ code: "wrong-root-key", severity: "warning" }]);
  });

  test.each<[string, unknown]>([
    ["servers", {}],
    ["servers", []],
    ["servers", null],
    ["mcpServer", {}],
  ])("a wrong root key with nothing under it is only a warning: %s, %j", async (key, value) => {
    const cwd = await folderWith({ "mcp.json": { [key]: value } });
    const { diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    const [code, severity] = ["near-miss-field", "warning"];
    expect(diagnostics).toMatchObject([{ code, severity, suggestion: "mcpServers", line: 2 }]);
  });

  test("enableAllProjectMcpServers in a file is reported as self-approval", async () => {
    const cwd = await folderWith({ "mcp.json": { enableAllProjectMcpServers: true, mcpServers: {} } });
    const { diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(diagnostics).toMatchObject([{ code: "self-approval", severity: "warning", line: 2 }]);
    expect(diagnostics[0]?.message).toContain("enableAllProjectMcpServers");
  });

  test.each([
    ["", "empty-file"],
    [" \n\t", "empty-file"],
    ["{}", "no-servers"],
    ['{"inputs": []}', "no-servers"],
  ])("a file with the content %j is reported as %s", async (text, code) => {
    const cwd = await folderWith({ "mcp.json": text });
    const { servers, problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect([servers, problems, codes(diagnostics)]).toEqual([[], [], [code]]);
  });
});
