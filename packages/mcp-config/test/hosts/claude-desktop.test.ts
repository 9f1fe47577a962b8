import { expect, test } from "vitest";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { pathRules } from "../../src/hosts/host-paths.ts";
import { parse } from "../discovery/parsing.ts";

const HOST = { host: "claude-desktop" };
const servers = (entries: object) => ({ mcpServers: entries });

test.each([
  ["url", { url: "https://h" }],
  ["url", { type: "http", url: "https://h" }],
  ["url", { command: "x", url: "https://h" }],
  ["type", { type: "http", command: "x" }],
])("Claude Desktop refuses a remote server because of its %s", async (field, entry) => {
  const { names, diagnostics } = await parse(
    servers({ s: entry, ok: { type: "stdio", command: "x" } }),
    HOST,
  );
  expect(names).toEqual(["ok"]);
  expect(diagnostics).toMatchObject([
    { code: "ServerConfigError", server: "s", pointer: `/mcpServers/s/${field}` },
  ]);
});

test("Claude Desktop reads only command, args and env of an entry", async () => {
  const others = { cwd: "/a", headers: { A: "b" } };
  const entry = { command: "x", args: ["y"], env: { A: "b" }, ...others };
  const { servers: found, told } = await parse(servers({ s: entry }), HOST);
  expect(found[0]?.written).toMatchObject({ command: "x", enabled: true, extra: others });
  expect(found[0]?.definition).toMatchObject({ args: ["y"], env: { A: "b" }, cwd: undefined });
  expect(told).toEqual(["unknown-field: s", "unknown-field: s"]);
});

test("Claude Desktop from the Windows store is found by a folder pattern", async () => {
  const at = {
    platform: "win32",
    env: { LOCALAPPDATA: "C:\\Local" },
    home: "C:\\Users\\u",
    cwd: "C:\\p",
    projectTop: "C:\\p",
  } as const;
  const [path] =
    dialectOf("claude-desktop")
      ?.files.find(({ kind }) => kind === "store")
      ?.paths(at) ?? [];
  expect(path?.isPattern).toBe(true);
  expect(path && pathRules(at).relative("C:\\Local\\Packages", path.file)).toBe(
    "Claude_*\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
  );
});
