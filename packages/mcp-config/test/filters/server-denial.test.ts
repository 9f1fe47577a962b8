import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { blockOf, serverFilters } from "../../src/find/server-filters.ts";
import type { ServerPattern } from "../../src/find/server-pattern.ts";
import { http, resolveStdio, stdio } from "../resolution.ts";
import { SPELLINGS } from "../url-spellings.ts";

function isDenied(pattern: ServerPattern, definition: ServerDefinition): boolean {
  return blockOf(serverFilters({ deny: [pattern] }), definition)?.by === "deny";
}

const serverAt = (url: string, host?: string): ServerDefinition => {
  const definition = http({ url });
  return host === undefined ? definition : { ...definition, definedIn: { ...definition.definedIn, host } };
};

describe("a denied URL pattern", () => {
  test.each(SPELLINGS)("blocks every spelling of its URL: %j", (url) => {
    expect(isDenied({ url: "https://evil.example/mcp" }, serverAt(url))).toBe(true);
    expect(isDenied({ url: "https://evil.example/*" }, serverAt(url))).toBe(true);
    expect(isDenied({ url: "https://EVIL.example:443/*" }, serverAt(url))).toBe(true);
    expect(isDenied({ url: "https://ok.example/*" }, serverAt(url))).toBe(false);
  });

  test("ignores whether a slash follows the bare host", () => {
    expect(isDenied({ url: "https://evil.example/*" }, serverAt("https://evil.example"))).toBe(true);
    expect(isDenied({ url: "https://evil.example" }, serverAt("https://evil.example/"))).toBe(true);
  });

  test("in an allowlist does not cover another spelling", () => {
    const filters = serverFilters({ allow: [{ url: "https://evil.example/*" }] });
    expect(blockOf(filters, serverAt("https://evil.example:443/mcp"))?.by).toBe("allow");
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
  ])("blocks a URL whose references may lead to it: %s", (url) => {
    expect(isDenied({ url: "https://evil.example/m*" }, serverAt(url))).toBe(true);
    expect(isDenied({ url: "https://evil.example/m*" }, serverAt(url, "claude-code"))).toBe(true);
  });

  test.each([
    "https://ok.example/${X}",
    "https://ok.example:443\\${X}",
    "https://ok.example/mcp?key=${X}",
    "http://${X}/mcp",
    "https://evil.example/other?x=${X}",
    "https://evil.example/other#${X}",
  ])("does not block a URL whose references cannot lead to it: %s", (url) => {
    expect(isDenied({ url: "https://evil.example/mcp*" }, serverAt(url))).toBe(false);
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
  ])("%s against the references of %s: %j", (url, written, isExpected) => {
    expect(isDenied({ url }, serverAt(written))).toBe(isExpected);
    expect(isDenied({ url }, serverAt(written, "claude-code"))).toBe(isExpected);
  });

  test.each<[string, string, boolean]>([
    ["https://u@evil.example/mcp", "https://u@evil.example:443/mcp", true],
    ["https://u@evil.example/mcp", "https://evil.example/mcp", false],
    ["https://evil.example/mcp", "https://evil.example/%6Dcp", true],
    ["https://evil.example/mcp1", "https://evil.example/mcp%31", true],
    ["https://evil.example/ab*ba", "https://evil.example/aba", false],
    ["https://evil.example/ab*ba", "https://evil.example/abba", true],
  ])("%s against the spelling %s: %j", (url, written, isExpected) => {
    expect(isDenied({ url }, serverAt(written))).toBe(isExpected);
  });

  test("with a wildcard host does not block another host with a reference in its query", () => {
    const pattern = { url: "https://*.evil.example/*" };
    expect(isDenied(pattern, serverAt("https://ok.example/mcp?key=${X}"))).toBe(false);
    expect(isDenied(pattern, serverAt("https://a.evil.example/mcp?key=${X}"))).toBe(true);
    expect(isDenied({ url: "*evil*" }, serverAt("https://ok.example/mcp?key=${X}"))).toBe(true);
  });

  test.each([
    ["gemini", "$X"],
    ["opencode", "{env:X}"],
    ["continue", "${{ secrets.X }}"],
    ["gemini", "%X%"],
    ["crush", "$(cmd)"],
  ])("recognises the references of %s", (host, reference) => {
    const deny = { url: "https://evil.example/*" };
    expect(isDenied(deny, serverAt(`https://${reference}/mcp`, host))).toBe(true);
    expect(isDenied(deny, serverAt(`https://ok.example/${reference}`, host))).toBe(false);
  });

  test("does not take a plain dollar sign for a reference", () => {
    expect(isDenied({ url: "https://a.example/admin/*" }, serverAt("https://a.example/$metadata"))).toBe(
      false,
    );
  });
});

describe("a denied command line", () => {
  const deny = { argv: ["npx", "bad"] };
  test.each<[string[], boolean]>([
    [["npx", "${PKG:-bad}"], true],
    [["npx", "b${X}"], true],
    [["${ALL}"], false],
    [["npx", "bad", "${MORE:-}"], false],
    [["npx", "good${X}"], false],
    [["npx", "${X}/server.js"], false],
    [["npx", "bad", "more"], false],
  ])("is matched by references that may lead to it: %j", ([command = "", ...args], isExpected) => {
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
  ])("is matched by inputs of %s that may lead to it: %j", (host, [command = "", ...args], isExpected) => {
    const definition = stdio({ command, args });
    const asked = { ...definition, definedIn: { ...definition.definedIn, host } };
    expect(isDenied(deny, asked)).toBe(isExpected);
  });

  test("an input resolves to one argument per answer, any other reference to one", async () => {
    const { args } = await resolveStdio({ args: ["${NONE}", "x"] }, { env: { NONE: "" } });
    expect(args).toEqual(["", "x"]);
    const definedIn = { scope: "explicit", file: "/f/mcp.json", host: "vscode" } as const;
    const inputs = { none: [], all: ["a", "b"] };
    const asked = { definedIn, args: ["${input:none}", "${input:all}", "${env:NONE}"] };
    const answered = await resolveStdio(asked, { env: { NONE: "" }, inputs });
    expect(answered.args).toEqual(["a", "b", ""]);
  });
});
