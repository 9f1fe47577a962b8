import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const servers = (entries: object) => ({ mcpServers: entries });
/** A name that no project's file has, so that it is taken for the user's own. */
const own = { host: "omp", file: "/folder/own-servers.json" };

describe("values that an oh-my-pi entry declares literal", () => {
  const entries = {
    all: { command: "x", envPolicy: "literal", env: { A: "!printf run", B: "NAME", C: "${NAME}" } },
    some: { command: "x", envLiteralKeys: ["A", "B"], env: { A: "!printf run", B: "NAME", D: "NAME" } },
    headers: { type: "http", url: "https://h", headerPolicy: "origin-locked", headers: { B: "NAME" } },
  };

  test("are neither run as commands nor read as variable names", async () => {
    const { servers: found, told } = await parse(servers(entries), own);
    expect(told).toEqual([]);
    const resolve = createServerResolver({ env: { NAME: "value" }, runCommands: true });
    const signal = AbortSignal.timeout(60_000);
    const resolved = await Promise.all(found.map(({ definition }) => resolve(definition, { signal })));
    expect(resolved).toMatchObject([
      { env: { A: "!printf run", B: "NAME", C: "value" } },
      { env: { A: "!printf run", B: "NAME", D: "value" } },
      { headers: { B: "NAME" } },
    ]);
  });
});

test.each([
  [30, 30_000],
  [0.5, 500],
  [999, 999_000],
])("an oh-my-pi timeout below 1000 is read as seconds and reported: %d", async (timeout, timeoutMs) => {
  const { servers: found, diagnostics } = await parse(servers({ s: { command: "x", timeout } }), own);
  expect(found.map(({ written }) => written.timeoutMs)).toEqual([timeoutMs]);
  expect(diagnostics).toMatchObject([{ code: "legacy-shape", pointer: "/mcpServers/s/timeout" }]);
  expect(diagnostics[0]?.message).toContain(`write ${timeoutMs}`);
});

test.each([0, 1000])("an oh-my-pi timeout of %d is read as milliseconds", async (timeout) => {
  const { servers: found, told } = await parse(servers({ s: { command: "x", timeout } }), own);
  expect(found.map(({ written }) => written.timeoutMs)).toEqual([timeout]);
  expect(told).toEqual([]);
});

test("an oh-my-pi entry can be lazy", async () => {
  const { servers: found, told } = await parse(servers({ s: { command: "x", lazy: true } }), own);
  expect(found).toMatchObject([{ written: { lazy: true }, definition: { lazy: true } }]);
  expect(told).toEqual([]);
});

test("oh-my-pi OAuth scopes are split from one string", async () => {
  const entry = { type: "http", url: "https://h", oauth: { clientId: "c", scope: "read write" } };
  const { servers: found } = await parse(servers({ s: entry }), own);
  expect(found[0]?.definition).toMatchObject({ oauth: { clientId: "c", scopes: ["read", "write"] } });
});

test("the project's files beat the user's, oh-my-pi's own before the shared ones", async () => {
  const { discover } = await homeWith({
    "work/.omp/mcp.json": servers({ a: { command: "native" } }),
    ".omp/agent/mcp.json": servers({ a: { command: "user" }, b: { command: "user" } }),
    "work/mcp.json": servers({ b: { command: "root" }, c: { command: "root" } }),
    "work/.mcp.json": servers({ c: { command: "dotted" } }),
  });
  const { servers: found, shadowed } = await discover({ hosts: ["omp"] });
  const commands = found.map((server) => [server.name, "command" in server ? server.command : undefined]);
  expect(Object.fromEntries(commands)).toEqual({ a: "native", b: "root", c: "root" });
  expect(shadowed.map(({ definition: { name, definedIn } }) => [name, definedIn.scope])).toEqual([
    ["a", "user"],
    ["b", "user"],
    ["c", "project"],
  ]);
});

test.each([
  ["true", undefined],
  ["1", undefined],
  ["TRUE", undefined],
  ["false", false],
  ["0", false],
])("an oh-my-pi switch may be the string %j in its own files only", async (enabled, expected) => {
  const entry = { command: "x", enabled };
  const { discover } = await homeWith({
    "work/.omp/mcp.json": servers({ native: entry }),
    ".omp/agent/mcp.json": servers({ user: entry }),
    "work/mcp.json": servers({ root: entry }),
  });
  const { servers: found, diagnostics } = await discover({ hosts: ["omp"] });
  const switches = found.map((server) => [server.name, server.enabled]).sort();
  expect(switches).toEqual([
    ["native", expected],
    ["root", false],
    ["user", expected],
  ]);
  expect(diagnostics).toMatchObject([{ code: "invalid-field", server: "root" }]);
});

test("an unreadable oh-my-pi switch disables its server", async () => {
  const { servers: found, told } = await parse(servers({ s: { command: "x", enabled: "maybe" } }), own);
  expect([found[0]?.written.enabled, told]).toEqual([false, ["invalid-field: s"]]);
});

describe("an oh-my-pi server list of the wrong type", () => {
  const entries = { a: { command: "x" }, b: { command: "x", enabled: false } };
  const read = async (lists: object) => {
    const { servers: found, diagnostics } = await parse({ ...servers(entries), ...lists }, own);
    const on = found.filter(({ written }) => written.enabled).map(({ name }) => name);
    return { on, diagnostics: diagnostics.filter(({ code }) => code !== "disabled-by-host") };
  };

  test("is reported, and a single name still disables its server", async () => {
    const { on, diagnostics } = await read({ disabledServers: "a" });
    expect(on).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: "invalid-field", pointer: "/disabledServers", line: expect.any(Number) },
    ]);
    expect(diagnostics[0]?.message).toContain('"disabledServers" must be a list of names, not a string');
  });

  test.each<[object, string]>([
    [{ disabledServers: { a: true } }, "/disabledServers"],
    [{ disabledServers: true }, "/disabledServers"],
    [{ disabledServers: null }, "/disabledServers"],
    [{ enabledServers: "b" }, "/enabledServers"],
    [{ disabledServers: [["a"], "z"] }, "/disabledServers/0"],
  ])("is reported and switches nothing: %j", async (lists, pointer) => {
    const { on, diagnostics } = await read(lists);
    expect(on).toEqual(["a"]);
    expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer }]);
  });

  test("in a project switches its own server and the user's off by name", async () => {
    const { discover } = await homeWith({
      "work/.omp/mcp.json": { ...servers({ b: { command: "x" } }), disabledServers: "b" },
      "work/.omp/.mcp.json": { ...servers({ c: { command: "x" } }), disabledServers: "a" },
      ".omp/agent/mcp.json": servers({ a: { command: "x" } }),
    });
    const { servers: found } = await discover({ hosts: ["omp"] });
    const by = Object.fromEntries(found.map(({ name, disabledBy }) => [name, disabledBy]));
    expect(by).toMatchObject({ b: "disabledServers", c: undefined });
    expect(by.a).toMatch(/^disabledServers in .*\.mcp\.json:1:\d+$/);
  });

  test("is reported once per file", async () => {
    const { discover } = await homeWith({
      "work/.omp/mcp.json": { ...servers({ b: { command: "x" } }), disabledServers: 1, enabledServers: 1 },
      ".omp/agent/mcp.json": { ...servers(entries), disabledServers: "a" },
    });
    const { servers: found, diagnostics } = await discover({ hosts: ["omp"] });
    expect(found.filter(({ enabled }) => enabled !== false).map(({ name }) => name)).toEqual(["b"]);
    const told = diagnostics.filter(({ code }) => code === "invalid-field");
    expect(told.map(({ file, pointer }) => [file?.includes("agent"), pointer])).toEqual([
      [false, "/disabledServers"],
      [false, "/enabledServers"],
      [true, "/disabledServers"],
    ]);
  });
});
