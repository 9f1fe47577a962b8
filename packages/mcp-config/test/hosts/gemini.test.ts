import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const signal = new AbortController().signal;
const read = (entry: object) => parse({ mcpServers: { s: entry } }, { host: "gemini" });

describe("an unset variable in Gemini CLI", () => {
  const local = { command: "x", args: ["$NOPE"], env: { A: "a${NOPE}", B: "${NOPE:-b}", C: "$SET" } };
  const remote = { httpUrl: "https://host.example/$NOPE", headers: { "X-A": "a$NOPE" } };

  test("with missingVariable host is empty in env and headers and unchanged elsewhere", async () => {
    const { servers } = await parse({ mcpServers: { local, remote } }, { host: "gemini" });
    const resolve = createServerResolver({ env: { SET: "set" }, missingVariable: "host" });
    const resolved = await Promise.all(servers.map(({ definition }) => resolve(definition, { signal })));
    expect(resolved).toMatchObject([
      { args: ["$NOPE"], env: { A: "a", B: "b", C: "set" } },
      { url: "https://host.example/$NOPE", headers: { "X-A": "a" } },
    ]);
  });

  test.each([local, remote])("fails resolution by default: %j", async (entry) => {
    const { servers } = await read(entry);
    const resolve = createServerResolver({ env: { SET: "set" } });
    await expect(resolve(servers[0]?.definition as never, { signal })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });
});

test.each([
  [{ type: "sse" }, ["unused-field: s"]],
  [{ type: "stdio" }, ["unused-field: s"]],
  [{ type: "http" }, []],
  [{ url: "https://other.example/sse", type: "sse" }, ["unused-field: s", "unused-field: s"]],
])("Gemini CLI prefers httpUrl to %j", async (others, told) => {
  const { servers, told: all } = await read({ ...others, httpUrl: "https://host.example" });
  expect(servers.map(({ written }) => written)).toMatchObject([
    { transport: "http", url: "https://host.example" },
  ]);
  expect(all).toEqual(["deprecated-field: s", ...told]);
});

test("a type that Gemini CLI ignores beside httpUrl is kept", async () => {
  const { servers } = await read({ type: "sse", httpUrl: "https://host.example" });
  expect(servers[0]?.written.extra).toEqual({ type: "sse" });
});

describe("a name in Gemini CLI's lists", () => {
  const SERVERS = { GitHub: { command: "x" }, other: { command: "x" } };

  test.each<[object, object, string]>([
    [{ excluded: ["github "] }, {}, "mcp.excluded"],
    [{}, { github: { enabled: false } }, "mcp-server-enablement.json"],
  ])("keeps it out in whatever case it is written: %j %j", async (mcp, switches, disabledBy) => {
    const { discover } = await homeWith({
      ".gemini/settings.json": { mcpServers: SERVERS, mcp },
      ".gemini/mcp-server-enablement.json": switches,
    });
    const { servers } = await discover({ hosts: ["gemini"] });
    expect(servers.map(({ name, disabledBy: by }) => [name, by])).toEqual([
      ["GitHub", disabledBy],
      ["other", undefined],
    ]);
  });

  test("lets it in only as it is written", async () => {
    const { discover } = await homeWith({
      ".gemini/settings.json": { mcpServers: SERVERS, mcp: { allowed: ["github", "other"] } },
    });
    const { servers } = await discover({ hosts: ["gemini"] });
    expect(servers.map(({ name, disabledBy }) => [name, disabledBy])).toEqual([
      ["GitHub", "mcp.allowed"],
      ["other", undefined],
    ]);
  });
});

test("an address that only Gemini CLI can reach is refused without advice to use httpUrl", async () => {
  const { names, diagnostics } = await read({ tcp: "ws://host.example" });
  expect(names).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcpServers/s/tcp" }]);
  expect(diagnostics[0]?.message).toContain("its host can reach, but Jackfield cannot");
  expect(diagnostics[0]?.message).not.toContain("httpUrl");
});

test("the error for an empty Gemini CLI entry names command and url", async () => {
  const { diagnostics } = await read({});
  expect(diagnostics[0]?.message).toContain('neither "command" nor "url"');
});

describe("a Gemini CLI extension", () => {
  test("cannot mark its own servers as trusted", async () => {
    const entry = { command: "x", trust: true };
    const { discover } = await homeWith({
      ".gemini/extensions/e/gemini-extension.json": { mcpServers: { theirs: entry } },
      ".gemini/settings.json": { mcpServers: { mine: entry } },
    });
    const { written, diagnostics } = await discover({ hosts: ["gemini"], remarks: true });
    expect([written.get("mine")?.trust, written.get("theirs")?.trust]).toEqual([true, undefined]);
    expect(diagnostics).toMatchObject([
      { code: "self-approval", server: "theirs", pointer: "/mcpServers/theirs/trust" },
    ]);
  });
});
