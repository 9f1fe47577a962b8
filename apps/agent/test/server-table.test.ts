import type { ServerSnapshot } from "@jackfield/mcp-core";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { fillLine, fitLine, wrapLines } from "../src/screen.ts";
import { describeDuration, describeServers } from "../src/server-table.ts";
import { terminalStyle } from "../src/terminal-style.ts";

const NOW = 1_000_000_000;

function snapshot(more: Partial<ServerSnapshot>): ServerSnapshot {
  return {
    name: "files",
    status: "ready",
    transport: "stdio",
    since: NOW - 185_000,
    tools: 3,
    toolsFrom: "live",
    calls: 0,
    failures: 0,
    definedIn: { scope: "explicit" },
    ...more,
  };
}

const lost = snapshot({
  name: "web\u001b[2J",
  status: "backoff",
  since: NOW - 1_000,
  toolsFrom: "stale",
  calls: 12,
  failures: 1,
  retryAt: NOW + 4_000,
  error: {
    code: "MCP_SERVER_EXITED",
    message: 'The process of server "web" ended with exit code 1, and here is a long story about it.',
    at: NOW,
  },
});
const failed = snapshot({
  name: "a name much longer than anybody needs",
  status: "failed",
  toolsFrom: "none",
});
const plain = terminalStyle({ isTTY: false }, {});
const table = (columns: number, servers: readonly ServerSnapshot[] = [snapshot({}), lost]) =>
  describeServers(servers, { now: NOW, columns, style: plain });

describe("the table of servers", () => {
  it("shows status, time, tools and calls in columns, and the last error with the next try", () => {
    expect(table(140)).toEqual([
      "server  status   since  tools    calls",
      "files   ready    3 min  3 live   0",
      "web[2J  backoff  1 s    3 stale  12, 1 failed",
      '  MCP_SERVER_EXITED: The process of server "web" ended with exit code 1, and here is a long story about it. Next try in 4 s.',
    ]);
  });

  it.each([60, 80, 140])("fits into %i columns", (columns) => {
    const lines = table(columns, [snapshot({}), lost, failed]);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.join(" ").replace(/\s+/g, " ")).toContain("a long story about it. Next try in 4 s.");
  });

  it("cuts a name only if the line is too short for it", () => {
    expect(table(60, [failed])[1]).toContain("a name much longer than anybod…");
    expect(table(80, [failed])[1]).toContain(failed.name);
  });

  it("says that there are no servers", () => {
    expect(table(80, [])).toEqual(["There are no servers."]);
  });

  it("has the same columns with and without colours", () => {
    const style = terminalStyle({ isTTY: true }, { TERM: "xterm" });
    const coloured = describeServers([snapshot({}), lost], { now: NOW, columns: 80, style });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is taken out.
    expect(coloured.map((line) => line.replace(/\u001b\[\d+m/g, ""))).toEqual(table(80));
    expect(coloured.join("")).toContain("\u001b[32mready");
  });
});

describe("a duration", () => {
  it.each([
    [-5, "0 s"],
    [59_000, "59 s"],
    [60_000, "1 min"],
    [3_600_000, "1 h"],
    [200_000_000, "2 d"],
  ])("of %i ms is %s", (milliseconds, said) => expect(describeDuration(milliseconds)).toBe(said));
});

describe("colours", () => {
  it.each([
    ["a terminal", { isTTY: true }, {}, true],
    ["a terminal with an empty NO_COLOR", { isTTY: true }, { NO_COLOR: "" }, true],
    ["a terminal with NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, false],
    ["a terminal with FORCE_COLOR=0", { isTTY: true }, { FORCE_COLOR: "0" }, false],
    ["a dumb terminal", { isTTY: true }, { TERM: "dumb" }, false],
    ["a file", {}, {}, false],
    ["a file with FORCE_COLOR", {}, { FORCE_COLOR: "1" }, true],
  ])("are decided for %s", (_title, stream, environment, coloured) => {
    const style = terminalStyle(stream, { TERM: "xterm", ...environment });
    expect(style.good("x") !== "x").toBe(coloured);
  });
});

describe("lines", () => {
  it("are joined to one, also if they hold long runs of spaces", () => {
    expect(fitLine("one \r\n\t two\nthree  four", 30)).toBe("one two three  four");
    expect(fitLine(`one${" ".repeat(400_000)}two`, 5)).toBe("one …");
  });

  it("are measured in terminal cells, without cutting a character in two", () => {
    const family = "👨\u200d👩\u200d👧\u200d👦";
    expect(fitLine("文件服务器", 6)).toBe("文件…");
    expect(fitLine(family.repeat(3), 5)).toBe(`${family}${family}…`);
    expect(fitLine("e\u0301e\u0301e\u0301", 2)).toBe("\u00e9…");
    expect(fillLine("文件", 6)).toBe("文件  ");
    expect(wrapLines("文件服务器 ready", 20, "  ")).toEqual(["  文件服务器 ready"]);
    expect(wrapLines("文".repeat(12), 22, "  ")).toEqual([`  ${"文".repeat(10)}`, "  文文"]);
  });

  it("keep the columns of the table aligned for wide names", () => {
    const rows = table(60, [snapshot({ name: "文件服务器" }), snapshot({ name: "파일" }), snapshot({})]);
    const starts = rows.map((row) => stringWidth(row.slice(0, row.search(/status|ready/))));
    expect(starts).toEqual([12, 12, 12, 12]);
  });
});
