import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { blockOf, serverFilters } from "../../src/filters/server-filters.ts";
import type { ServerPattern } from "../../src/filters/server-pattern.ts";
import { http, resolveStdio, stdio } from "../resolution.ts";
import { SPELLINGS } from "../url-spellings.ts";

function isDenied(pattern: ServerPattern, definition: ServerDefinition): boolean {
  return blockOf(serverFilters({ deny: [pattern] }), definition)?.by === "deny";
}

const of = (url: string, host?: string): ServerDefinition => {
  const definition = http({ url });
  return host === undefined ? definition : { ...definition, definedIn: { ...definition.definedIn, host } };
};

describe("a URL that is denied", () => {
  test.each(SPELLINGS)("is denied however it is spelled: %j", (url) => {
    expect(isDenied({ url: "https://evil.example/mcp" }, of(url))).toBe(true);
    expect(isDenied({ url: "https://evil.example/*" }, of(url))).toBe(true);
    expect(isDenied({ url: "https://EVIL.example:443/*" }, of(url))).toBe(true);
    expect(isDenied({ url: "https://ok.example/*" }, of(url))).toBe(false);
  });

  test("is denied without the slash behind its host", () => {
    expect(isDenied({ url: "https://evil.example/*" }, of("https://evil.example"))).toBe(true);
    expect(isDenied({ url: "https://evil.example" }, of("https://evil.example/"))).toBe(true);
  });

  test("is not allowed by another spelling", () => {
    const filters = serverFilters({ allow: [{ url: "https://evil.example/*" }] });
    expect(blockOf(filters, of("https://evil.example:443/mcp"))?.by).toBe("allow");
  });

  test.each([
    "${X:-https://evil.example/mcp}",
    "${X}",
    "https://${X}/mcp",
    "https://ok.example${X}/",
    "https://evil.example:${PORT}/mcp",
    "https://evil.example:443/${X}",
    "https://u@evil.example/m?x=${X}",
    "https://evil.example/m?${X}",
    "https://evil.example/m#${X}",
  ])("is denied where a reference may lead to it: %s", (url) => {
    expect(isDenied({ url: "https://evil.example/m*" }, of(url))).toBe(true);
    expect(isDenied({ url: "https://evil.example/m*" }, of(url, "claude-code"))).toBe(true);
  });

  test.each([
    "https://ok.example/${X}",
    "https://ok.example:443\\${X}",
    "https://ok.example/mcp?key=${X}",
    "http://${X}/mcp",
    "https://evil.example/other?x=${X}",
    "https://evil.example/other#${X}",
  ])("does not take others along whose reference cannot lead to it: %s", (url) => {
    expect(isDenied({ url: "https://evil.example/mcp*" }, of(url))).toBe(false);
  });

  test.each<[string, string, boolean]>([
    ["https://evil.example/mcp", "https://evil.example/mcp?${X}", true],
    ["https://evil.example/mcp?", "https://evil.example/mcp?${X}", true],
    ["https://evil.example/mcp?x*", "https://evil.example/mcp?${X}", true],
    ["https://evil.example/mcp-admin", "https://evil.example/mcp?${X}", false],
    ["https://evil.example/mcp-admin", "https://evil.example/mcp#${X}", false],
    ["https://evil.example/mcp?x=1", "https://evil.example/mcp#?${X}", false],
    ["https://evil.example/m?x=1", "https://u@evil.example/m?x=${X}", true],
    ["https://evil.example/m", "https://evil.example/mcp?x=${X}", false],
    ["https://evil.example/mcp?x=a", "https://evil.example/mcp?x=%${X}", true],
    ["https://evil.example/mcp?x=a", "https://evil.example/mcp?x=%6${X}", true],
    ["https://evil.example/mcp?x=a", "https://evil.example/mcp?y=%${X}", false],
  ])("%s means %s: %j", (url, written, isExpected) => {
    expect(isDenied({ url }, of(written))).toBe(isExpected);
    expect(isDenied({ url }, of(written, "claude-code"))).toBe(isExpected);
  });

  test.each<[string, string, boolean]>([
    ["https://u@evil.example/mcp", "https://u@evil.example:443/mcp", true],
    ["https://u@evil.example/mcp", "https://evil.example/mcp", false],
    ["https://evil.example/mcp", "https://evil.example/%6Dcp", true],
    ["https://evil.example/mcp1", "https://evil.example/mcp%31", true],
    ["https://evil.example/ab*ba", "https://evil.example/aba", false],
    ["https://evil.example/ab*ba", "https://evil.example/abba", true],
  ])("%s means the spelling %s: %j", (url, written, isExpected) => {
    expect(isDenied({ url }, of(written))).toBe(isExpected);
  });

  test("of any host of a domain does not take others along that have a reference behind their host", () => {
    const pattern = { url: "https://*.evil.example/*" };
    expect(isDenied(pattern, of("https://ok.example/mcp?key=${X}"))).toBe(false);
    expect(isDenied(pattern, of("https://a.evil.example/mcp?key=${X}"))).toBe(true);
    expect(isDenied({ url: "*evil*" }, of("https://ok.example/mcp?key=${X}"))).toBe(true);
  });

  test.each([
    ["gemini", "$X"],
    ["opencode", "{env:X}"],
    ["continue", "${{ secrets.X }}"],
    ["gemini", "%X%"],
    ["crush", "$(cmd)"],
  ])("knows the references of %s", (host, reference) => {
    const deny = { url: "https://evil.example/*" };
    expect(isDenied(deny, of(`https://${reference}/mcp`, host))).toBe(true);
    expect(isDenied(deny, of(`https://ok.example/${reference}`, host))).toBe(false);
  });

  test("is told from what only looks like a reference to another host", () => {
    expect(isDenied({ url: "https://a.example/admin/*" }, of("https://a.example/$metadata"))).toBe(false);
  });
});

describe("a command line that is denied", () => {
  const deny = { argv: ["npx", "bad"] };
  test.each<[string[], boolean]>([
    [["npx", "${PKG:-bad}"], true],
    [["npx", "b${X}"], true],
    [["${ALL}"], false],
    [["npx", "bad", "${MORE:-}"], false],
    [["npx", "good${X}"], false],
    [["npx", "${X}/server.js"], false],
    [["npx", "bad", "more"], false],
  ])("is denied where a reference may lead to it: %j", ([command = "", ...args], isExpected) => {
    expect(isDenied(deny, stdio({ command, args }))).toBe(isExpected);
  });

  test.each<[string, string[], boolean]>([
    ["vscode", ["npx", "${input:all}"], true],
    ["vscode", ["npx", "bad", "${input:none}"], true],
    ["vscode", ["npx", "${input:a}", "bad", "${input:b}"], true],
    ["vscode", ["npx", "bad", "${input:a}", "bad"], false],
    ["vscode", ["npx", "bad", "${env:MORE}"], false],
    ["vscode", ["npx", "bad", "x${input:a}"], false],
    ["vscode", ["${input:all}"], false],
    ["claude-plugin", ["npx", "bad", "${user_config.more}"], true],
    ["mcpb", ["npx", "${user_config.more:-${MORE}}"], true],
    ["mcpb", ["npx", "bad", "${user_config.more:-{${A:-${B}}}"], true],
    ["mcpb", ["npx", "bad", "${user_config.more:-${A}}${B}"], false],
    ["mcpb", ["npx", "bad", "${user_config.more:-${A}"], false],
    ["claude-plugin", ["npx", "bad", "${MORE:-}"], false],
    ["continue", ["npx", "bad", "${{ inputs.more }}"], true],
    ["continue", ["npx", "bad", "${{ secrets.MORE }}"], false],
    ["registry", ["npx", "bad", "{more}"], true],
    ["sep-2633", ["npx", "bad", "${ op://vault | value:x }"], true],
    ["gemini", ["npx", "bad", "$MORE"], false],
    ["opencode", ["npx", "bad", "{env:MORE}"], false],
  ])(
    "is denied where the answers to a question of %s may lead to it: %j",
    (host, [command = "", ...args], isExpected) => {
      const definition = stdio({ command, args });
      const asked = { ...definition, definedIn: { ...definition.definedIn, host } };
      expect(isDenied(deny, asked)).toBe(isExpected);
    },
  );

  test("is resolved to as many arguments as there are answers, and to one for anything else", async () => {
    const { args } = await resolveStdio({ args: ["${NONE}", "x"] }, { env: { NONE: "" } });
    expect(args).toEqual(["", "x"]);
    const definedIn = { scope: "explicit", file: "/f/mcp.json", host: "vscode" } as const;
    const inputs = { none: [], all: ["a", "b"] };
    const asked = { definedIn, args: ["${input:none}", "${input:all}", "${env:NONE}"] };
    const answered = await resolveStdio(asked, { env: { NONE: "" }, inputs });
    expect(answered.args).toEqual(["a", "b", ""]);
  });
});
