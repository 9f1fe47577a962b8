import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFileParts } from "../../src/find/file-parts.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();
const folderWith = useTemporaryFolder();

/** Megabytes take their time on a busy machine. */
const LARGE_FILE_TIMEOUT_MS = 60_000;

const MIB = 1024 * 1024;

describe("Claude Code's own file with the history of all chats", () => {
  const display = `say "\\\\" and {"mcpServers": {"no": {"command": "no"}}}\n${"é ".repeat(500)}`;
  const history = Array.from({ length: 20_000 }, (_, at) => ({ display: `${at} ${display}`, pasted: {} }));
  const mine = { mine: { command: "x", args: ["}", "\\"] } };
  const its = { its: { type: "http", url: "https://its.example" }, off: { command: "off" } };

  test(
    "gives its servers, however large it is",
    async () => {
      const { write, project, discover } = await homeWith();
      const other = { history, mcpServers: { other: { command: "no" } } };
      const record = { history, mcpServers: its, disabledMcpServers: ["off"] };
      const content = { history, mcpServers: mine, projects: { "/other": other, [project]: record } };
      const text = JSON.stringify(content, null, 2);
      expect(text.length).toBeGreaterThan(60 * MIB);
      await write(".claude.json", text);
      const { servers, problems } = await discover({ hosts: ["claude-code"] });
      expect(problems).toEqual([]);
      expect(servers.map(({ name, enabled, definedIn }) => [name, enabled, definedIn.scope])).toEqual([
        ["its", undefined, "local"],
        ["off", false, "local"],
        ["mine", undefined, "user"],
      ]);
    },
    LARGE_FILE_TIMEOUT_MS,
  );

  test("tells of a fault with its line", async () => {
    const { write, discover } = await homeWith();
    const text = `{"a": "${"x".repeat(17 * MIB)}",\n"b": [1,\n2],\n"mcpServers": {\n"s": {"command": 1}}}`;
    await write(".claude.json", text);
    const { problems } = await discover({ hosts: ["claude-code"] });
    expect(problems).toMatchObject([{ server: "s", error: { location: { line: 5 } } }]);
  });

  test("is refused if its servers alone are larger than the limit", async () => {
    const { write, discover } = await homeWith({ ".claude.json": { mcpServers: mine } });
    const limited = await discover({ hosts: ["claude-code"], maxFileBytes: 20 });
    expect(limited.problems).toMatchObject([{ kind: "ConfigTooLargeError" }]);
    expect(limited.problems[0]?.error.message).toContain(
      'larger than 20 bytes; split it, or raise option "maxFileBytes"',
    );
    await write(".cursor/mcp.json", { mcpServers: mine });
    expect(await discover({ hosts: ["cursor"], maxFileBytes: 20 })).toMatchObject({
      servers: [],
      problems: [{ kind: "ConfigTooLargeError" }],
    });
  });
});

describe("parts of a generated file", () => {
  const name = fc.constantFrom("mcpServers", "projects", "a", 'b\\"', "é", "");
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("}", '"', "\\", '\\"{', 1.5, true, null, "[\n"),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  const file = fc.dictionary(name, tree, { maxKeys: 5 });
  const parts = [["mcpServers"], ["projects", "*", "mcpServers"], ["projects", "a", 'b\\"']];

  /** The same, made from the whole value. */
  function expected(value: unknown, wanted: readonly (readonly string[])[]): unknown {
    if (wanted.some((path) => path.length === 0)) return value;
    if (wanted.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return 0;
    const members = Object.entries(value).map(([key, member]) => {
      const own = wanted.filter(([first]) => first === key);
      const inner = own.length > 0 ? own : wanted.filter(([first]) => first === "*");
      return [
        key,
        expected(
          member,
          inner.map((path) => path.slice(1)),
        ),
      ];
    });
    return Object.fromEntries(members);
  }

  test("are what JSON.parse finds at their paths, with the line ends of the file", async () => {
    const cwd = await folderWith({});
    const path = join(cwd, "file.json");
    await fc.assert(
      fc.asyncProperty(file, fc.constantFrom(0, 2), async (content, indent) => {
        const text = JSON.stringify(content, null, indent);
        await writeFile(path, text);
        const descriptor = openSync(path, "r");
        const kept = readFileParts(descriptor, parts, 1_000_000)?.toString() ?? "";
        closeSync(descriptor);
        expect(JSON.parse(kept)).toEqual(expected(content, parts));
        expect(kept.split("\n")).toHaveLength(text.split("\n").length);
      }),
      casesOf(200, 2_000),
    );
  });

  test("are the same wherever the file is cut into pieces", async () => {
    const strings = `"${'\\\\\\" \\\\'.repeat(200_000)}"`;
    const text = `\ufeff{"x": ${strings}, "mcpServers": {"s": {"command": "c", "args": [${strings}]}}, "y": ${strings}}`;
    const { discover } = await homeWith({ ".claude.json": text });
    const whole = await discover({ hosts: ["claude-code"] });
    const inParts = await discover({ hosts: ["claude-code"], maxFileBytes: text.length - 10 });
    expect(whole.servers).toHaveLength(1);
    expect(JSON.stringify(inParts.servers) === JSON.stringify(whole.servers)).toBe(true);
  });
});

test("the limit of a file is an option for every format, and for a project", async () => {
  const note = "x".repeat(3 * MIB);
  const { discover } = await homeWith({
    ".codex/config.toml": `# ${note}\n[mcp_servers.toml]\ncommand = "x"\n`,
    ".config/goose/config.yaml": `# ${note}\nextensions:\n  yaml:\n    type: stdio\n    cmd: x\n`,
    "work/.mcp.json": { mcpServers: { json: { command: "x" } }, $note: note },
  });
  const hosts = ["codex", "goose", "jackfield"];
  const usual = await discover({ hosts });
  expect([usual.servers, usual.problems.map(({ kind }) => kind)]).toEqual([
    [],
    Array.from(hosts, () => "ConfigTooLargeError"),
  ]);
  const raised = await discover({ hosts, maxFileBytes: 4 * MIB });
  expect([raised.servers.map(({ name }) => name), raised.problems]).toEqual([["json", "toml", "yaml"], []]);
});
