import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

/** One entry, as the host reads it. */
async function read(host: string, entry: object) {
  const key = { vscode: "servers", zed: "context_servers" }[host] ?? "mcpServers";
  const { servers, told, diagnostics } = await parse(
    { [key]: { s: entry } },
    { host, file: "/folder/own.json" },
  );
  return { written: servers[0]?.written, told, diagnostics };
}

const url = "https://host.example";

describe("Cline", () => {
  test("reads fields nested in transport without a diagnostic", async () => {
    const { written, told } = await read("cline", { transport: { type: "streamableHttp", url } });
    expect([written, told]).toMatchObject([{ transport: "http", url }, []]);
  });

  test("reports a string as transport", async () => {
    const { written, told, diagnostics } = await read("cline", { url, transport: "sse" });
    expect([written, told]).toMatchObject([{ transport: "sse", url }, ["invalid-field: s"]]);
    expect(diagnostics[0]).toMatchObject({ pointer: "/mcpServers/s/transport" });
  });

  test("reports transportType as a legacy field once, even beside type", async () => {
    for (const [entry, transport] of [
      [{ transportType: "http" }, "http"],
      [{ transportType: "streamableHttp" }, "http"],
      [{ transportType: "sse" }, "sse"],
      [{ transportType: "http", type: "streamableHttp" }, "http"],
    ] as const) {
      const { written, told } = await read("cline", { url, ...entry });
      expect([written?.transport, told]).toEqual([transport, ["legacy-field: s"]]);
    }
  });

  test("prefers nested transport fields, and reports and keeps different flat ones", async () => {
    const flat = { command: "flat", args: ["a"], type: "sse", autoApprove: ["t"] };
    const { written, told, diagnostics } = await read("cline", {
      ...flat,
      transport: { command: "nested", type: "stdio", args: ["a"] },
    });
    expect(written).toMatchObject({ transport: "stdio", command: "nested", args: ["a"] });
    expect(written?.extra).toEqual({ command: "flat", type: "sse" });
    expect(told).toEqual(["unused-field: s", "unused-field: s"]);
    expect(diagnostics.map(({ pointer }) => pointer)).toEqual([
      "/mcpServers/s/command",
      "/mcpServers/s/type",
    ]);
    expect(diagnostics[0]?.message).toContain('"command" is ignored; "command" in "transport" wins.');
  });

  test.each<[string, object, object, boolean]>([
    ["flat", { disabled: true }, { disabled: false }, false],
    ["in transport", { disabled: false }, { disabled: true }, false],
    ["flat, by another host's name", { enabled: false }, { enabled: true }, false],
    ["neither", { disabled: false }, { disabled: false }, true],
  ])("disables a server if its flat or nested switch does: %s", async (_what, entry, nested, isOn) => {
    const { written } = await read("cline", { ...entry, transport: { command: "x", ...nested } });
    expect(written?.enabled).toBe(isOn);
  });

  test("reports a transportType that contradicts type, which wins", async () => {
    const { written, told, diagnostics } = await read("cline", { url, transportType: "http", type: "sse" });
    expect([written?.transport, told]).toEqual(["sse", ["legacy-field: s", "unused-field: s"]]);
    expect(written?.extra).toEqual({ transportType: "http" });
    expect(diagnostics[1]).toMatchObject({ pointer: "/mcpServers/s/transportType" });
    expect(diagnostics[1]?.message).toContain('"transportType" is ignored; "type" wins.');
  });

  test("refuses http as a type; only transportType may say it", async () => {
    expect((await read("cline", { url, type: "http" })).told).toEqual(["ServerConfigError: s"]);
  });
});

describe("Copilot CLI", () => {
  test("keeps unknown fields of auth in extra", async () => {
    const { written, told } = await read("copilot-cli", { url, auth: { redirectPort: 1, foo: 2 } });
    expect([written, told]).toMatchObject([{ oauth: { callbackPort: 1 }, extra: { auth: { foo: 2 } } }, []]);
    const { written: plain } = await read("copilot-cli", { url, auth: { redirectPort: 1 } });
    expect(plain).not.toHaveProperty("extra");
  });

  test.each(["x", 1, null, []])("reports auth that is not an object: %j", async (auth) => {
    const { told, diagnostics } = await read("copilot-cli", { url, auth });
    expect(told).toEqual(["invalid-field: s"]);
    expect(diagnostics[0]).toMatchObject({ pointer: "/mcpServers/s/auth" });
  });
});

describe("Zed", () => {
  test("keeps unknown fields of a command object in extra", async () => {
    const command = { path: "x", args: ["a"], env: { A: "1" }, more: true };
    const { written, told } = await read("zed", { command });
    expect(told).toEqual(["legacy-shape: s"]);
    expect(written).toMatchObject({ command: "x", args: ["a"], extra: { command: { more: true } } });
  });

  test("accepts null for optional fields", async () => {
    const nothing = { env: null, timeout: null };
    for (const entry of [
      { command: "x", ...nothing },
      { url, headers: {}, oauth: null, ...nothing },
    ]) {
      const { written, told } = await read("zed", entry);
      expect([written?.enabled, told]).toEqual([true, []]);
    }
    const { written, told } = await read("zed", { command: { path: "x", args: [], env: null } });
    expect([written?.command, told]).toEqual(["x", ["legacy-shape: s"]]);
  });

  test("requires the command of a custom server, but not of an extension", async () => {
    expect((await read("zed", { source: "custom" })).told).toEqual(["ServerConfigError: s"]);
    expect((await read("zed", { source: "extension", settings: {} })).told).toEqual(["not-runnable: s"]);
    expect((await read("zed", { settings: {} })).told).toEqual(["not-runnable: s"]);
    for (const more of [
      { source: "else", settings: {}, enabled: false, remote: true },
      { settings: {}, timeout: 30 },
      { settings: { a: 1 }, env: {}, tool_permissions: {} },
    ]) {
      const { told } = await read("zed", more);
      expect(told.filter((line) => !line.startsWith("unused-field"))).toEqual(["not-runnable: s"]);
    }
  });

  test.each<[object, string[]]>([
    [{}, []],
    [{ serverUrl: url }, ["near-miss-field: s"]],
    [{ Command: "x" }, ["near-miss-field: s"]],
    [{ args: ["x"] }, []],
    [{ enabled: true, timeout: 5 }, []],
    [{ source: "custom", settings: {} }, []],
  ])("does not take an entry without a command or url for an extension: %j", async (entry, hints) => {
    const { told, diagnostics } = await read("zed", entry);
    expect(told).toEqual(["ServerConfigError: s", ...hints]);
    expect(diagnostics[0]?.message).toContain('neither "command" nor "url"');
  });
});

test.each(["cursor", "vscode"])("%s reads envFile for stdio servers only", async (host) => {
  const { written, told, diagnostics } = await read(host, { url, envFile: ".env" });
  expect(told).toEqual(["unused-field: s"]);
  expect(diagnostics[0]?.pointer).toMatch(/\/s\/envFile$/);
  expect(written).toMatchObject({ url, extra: { envFile: ".env" } });
  expect(written).not.toHaveProperty("envFile", ".env");
  const local = await read(host, { command: "x", envFile: ".env" });
  expect([local.written, local.told]).toMatchObject([{ envFile: ".env" }, []]);
});
