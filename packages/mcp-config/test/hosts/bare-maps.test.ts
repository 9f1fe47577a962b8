import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const mine = { a: { command: "x" } };

describe.each(["warp", "copilot-cli", "claude-plugin"])("servers at the root of a %s file", (host) => {
  test("are read one by one, and each faulty one is reported at its place", async () => {
    const content = {
      ok: { command: "x" },
      bad1: "npx",
      bad2: { args: ["x"] },
      bad3: null,
      bad4: { serverUrl: "https://host.example" },
      bad5: ["x"],
      bad6: {},
    };
    const { names, diagnostics } = await parse(content, { host });
    expect(names).toEqual(["ok"]);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(
      [1, 2, 3, 4, 5, 6].map((bad) => `ServerConfigError /bad${bad}`),
    );
    for (const error of errors) expect(error.line).toBeGreaterThan(1);
    const hints = diagnostics.filter((diagnostic) => !errors.includes(diagnostic));
    expect(hints).toMatchObject([{ code: "near-miss-field", server: "bad4", suggestion: "url" }]);
  });

  test("may have other root keys beside them", async () => {
    const content = {
      $schema: "https://host.example/s.json",
      $defs: { type: "x" },
      _comment: "mine",
      ...mine,
    };
    const { names, told } = await parse(content, { host });
    expect([names, told]).toEqual([["a"], []]);
  });

  test.each<[string, object, string]>([
    ["under another host's key", { servers: mine }, "wrong-root-key /servers"],
    ["under a misspelled key", { McpServers: mine }, "near-miss-field /McpServers"],
    ["absent", {}, "no-servers "],
    ["absent beside other keys", { $schema: "s", other: { a: 1 } }, "no-servers "],
  ])("give a diagnostic that names mcpServers if they are %s", async (_what, content, expected) => {
    const { names, diagnostics } = await parse(content, { host });
    expect(names).toEqual([]);
    expect(diagnostics.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([expected]);
    expect(diagnostics[0]?.message).toContain('"mcpServers"');
  });

  test("may be named like another host's key", async () => {
    const { names, told } = await parse({ servers: { command: "x" }, mcp: { command: "y" } }, { host });
    expect([names, told]).toEqual([["servers", "mcp"], []]);
  });
});

test("a Claude plugin manifest may hold metadata beside servers at its root", async () => {
  const author = { name: "n", url: "https://host.example" };
  const content = { version: "1.0.0", description: "d", author, keywords: ["k"], ...mine };
  const { names, told } = await parse(content, { host: "claude-plugin" });
  expect([names, told]).toEqual([["a"], []]);
});

test("servers at the root of a Claude plugin file may be named like manifest fields", async () => {
  const content = {
    repository: { command: "x" },
    author: { type: "http", url: "https://host.example/mcp" },
    name: { command: 5 },
    version: "1.0.0",
  };
  const { names, told } = await parse(content, { host: "claude-plugin" });
  expect([names, told]).toEqual([["repository", "author"], ["ServerConfigError: name"]]);
  const alone = await parse({ repository: { command: "x" } }, { host: "claude-plugin" });
  expect([alone.names, alone.told]).toEqual([["repository"], []]);
  const about = {
    author: { name: "n", url: "https://host.example" },
    repository: { type: "git", url: "https://host.example/p.git" },
  };
  const manifest = await parse({ ...about, version: "1.0.0" }, { host: "claude-plugin" });
  expect([manifest.names, manifest.told]).toEqual([[], ["no-servers"]]);
  const beside = await parse({ ...about, ...mine }, { host: "claude-plugin" });
  expect([beside.names, beside.told]).toEqual([["a"], []]);
});
