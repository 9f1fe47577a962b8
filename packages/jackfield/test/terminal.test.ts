import { approvalRequest } from "@jackfield/mcp-config";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cellsOf, fitCells } from "../src/command-line/cells.ts";
import { printableLine } from "../src/command-line/lines.ts";
import { alignColumns } from "../src/command-line/table.ts";
import {
  messageLines,
  printable,
  printableJson,
  printableMessage,
  wrapWords,
} from "../src/command-line/terminal.ts";

const FAMILY = "👨\u200d👩\u200d👧\u200d👦";
/** Two letters of two characters each. */
const ACCENTED = "e\u0301e\u0301";

describe("text on a terminal", () => {
  it.each([
    ["escape sequences", "\u001b[31mred", "�[31mred"],
    ["a carriage return", "safe\rrm -rf", "safe�rm -rf"],
    ["a change of text direction", "a\u202eb", "a�b"],
    ["tag characters", "a\u{e0041}b", "a�b"],
    ["an Arabic letter mark", "a\u061cb", "a�b"],
    ["variation selectors that carry bytes", "a\u{e0100}\u{e01ef}b", "a��b"],
    ["zero-width characters", "a\u200bb", "a�b"],
    ["fillers and other characters that render as nothing", "\u00ad\u034f\u115f\u17b4\u180e", "�����"],
    ["blanks that are no spaces", "\u2800\u3164\ufff9", "���"],
    ["variation selectors after letters", "a\ufe0fb\ufe00", "a�b�"],
    ["a second selector after an emoji", "❤\ufe0f\ufe0f", "❤\ufe0f�"],
  ])("has %s replaced by visible characters", (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(["1\ufe0f\u20e3 #\ufe0f\u20e3", "☎\ufe0e ©\ufe0e", "☝🏽\ufe0f", FAMILY])(
    "leaves %s as it is",
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  it("in a message is shown as an approval shows it", () => {
    const ranges = [0, 0x3100, 0xd800, 0xd900, 0xf900, 0x1_0000, 0x1_f000, 0x1_fc00, 0xe_0000, 0xe_0200];
    const codes = ranges.flatMap((start, index) =>
      index % 2 === 0
        ? Array.from({ length: (ranges[index + 1] ?? start) - start }, (_, at) => start + at)
        : [],
    );
    const characters = codes
      .map((code) => String.fromCodePoint(code))
      .filter((character) => !/[\n\t\\"\p{Zs}\u2026]/u.test(character));
    const definedIn = { scope: "project", file: "/mcp.json" } as const;
    for (let from = 0; from < characters.length; from += 100) {
      const name = characters.slice(from, from + 100).join("x ");
      const { text } = approvalRequest({ name, definedIn, transport: "stdio", command: "y" });
      expect(text.replace(/\n {7}\u2502 /g, "")).toContain(`"${printableMessage(name)}"\nfile`);
    }
  });

  it("in a message cannot begin a row of the terminal", () => {
    const name = `a${" ".repeat(90)}b\nerror: all is well${"c".repeat(200)}`;
    const lines = messageLines(`error: Server "${name}" failed.`, 60, cellsOf).split("\n");
    expect(lines[0]).toMatch(/^error: Server "a\\\{90 spaces\}b$/);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("in a message keeps paths and our ellipsis as they are", () => {
    expect(printableMessage("C:\\a\\b … \u00e9")).toBe("C:\\a\\b … \u00e9");
  });

  it("in JSON is escaped, and parses to the same value", () => {
    const value = { "a\u202e": `b\u009b\u{e0100}\u061c ${FAMILY} é` };
    const json = printableJson(JSON.stringify(value, undefined, 2));
    expect(json).toBe(`{\n  "a\\u202e": "b\\u009b\\udb40\\udd00\\u061c ${FAMILY} é"\n}`);
    expect(JSON.parse(json)).toEqual(value);
  });

  it("has one line per cell if the terminal is too narrow for columns", () => {
    const rows = [
      ["SERVER", "STATUS", "TRANSPORT", "DEFINED IN"],
      ["everything-there-is-today", "ready", "stdio", "/home/ana/mcp.json:12"],
      ["b", "failed", "http", ""],
    ];
    const text = alignColumns(rows, { columns: 20, keepsEnd: [3], hasHeading: true });
    expect(text).toBe(
      `everything-there-is…
  STATUS ready
  TRANSPORT stdio
  DEFINED IN …son:12
b
  STATUS failed
  TRANSPORT http
`,
    );
    for (const columns of [1, 5, 8, 12, 20, 30, 60]) {
      const widths = alignColumns(rows, { columns: Math.max(columns, 4) })
        .split("\n")
        .map(cellsOf);
      expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 4));
    }
  });

  it("keeps line breaks and tabs", () => {
    expect(printable("a\n\tb")).toBe("a\n\tb");
  });

  it("keeps joined emoji whole, and replaces a joiner that joins nothing", () => {
    const couple = "👩🏽\u200d❤\ufe0f\u200d👨";
    expect(printable(`${FAMILY} ${couple}`)).toBe(`${FAMILY} ${couple}`);
    expect(printable("pay\u200dpal 👩\u200d")).toBe("pay�pal 👩�");
  });

  it("is joined into one line and truncated", () => {
    expect(printableLine(" one\n two   three ", 8)).toBe("one two…");
  });

  it("is aligned in columns without trailing spaces", () => {
    expect(
      alignColumns([
        ["a", "bb", ""],
        ["aaa", "b", "c"],
      ]),
    ).toBe("a    bb\naaa  b   c\n");
  });
});

describe("the width of a text", () => {
  it.each([
    ["ASCII", "files", 5],
    ["Chinese", "文件", 4],
    ["Korean", "파일", 4],
    ["half-width kana", "ﾌｧｲﾙ", 4],
    ["combining accents", ACCENTED, 2],
    ["a joined emoji", FAMILY, 2],
    ["a flag", "🇯🇵", 2],
    ["empty text", "", 0],
  ])("is counted in terminal cells: %s", (_what, text, cells) => {
    expect(cellsOf(text)).toBe(cells);
  });

  it.each([
    ["文件服务器", 7, "文件服…", "…服务器"],
    // A character of two cells does not fit into the one that is left.
    ["文件服务器", 6, "文件…", "…务器"],
    [`${FAMILY}${FAMILY}`, 3, `${FAMILY}…`, `…${FAMILY}`],
    [`${ACCENTED}${ACCENTED}`, 3, `${ACCENTED}…`, `…${ACCENTED}`],
    ["文件", 4, "文件", "文件"],
    ["a file", 4, "a f…", "…ile"],
    ["文件", 1, "…", "…"],
  ])("limits %s to %i cells without cutting a character in two", (text, cells, start, end) => {
    expect(fitCells(text, cells)).toBe(start);
    expect(fitCells(text, cells, true)).toBe(end);
  });

  it("keeps the columns of a table aligned and within the terminal", () => {
    const rows = [
      ["NAME", "STATUS", "WHERE"],
      ["文件服务器", "ready", "/home/ana/配置/日本語のとても長い名前のファイル.json:12"],
      [`${FAMILY} ${ACCENTED}`, "failed", "/tmp/mcp.json:1"],
      ["파일", "ready", "🇯🇵"],
    ];
    const lines = alignColumns(rows, { columns: 40, keepsEnd: [2] })
      .trimEnd()
      .split("\n");
    const starts = lines.map((line, row) => stringWidth(line.slice(0, line.indexOf(rows[row]?.[1] ?? ""))));
    expect(starts).toEqual([12, 12, 12, 12]);
    // One cell is left over, where half a character would have stood.
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBe(39);
    expect(lines[1]?.endsWith("…のファイル.json:12")).toBe(true);
  });

  it("decides where words are wrapped", () => {
    expect(wrapWords("文件 服务 器 a", 9, cellsOf)).toEqual(["文件 服务", "器 a"]);
  });
});
