import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { HOST_IDS } from "../../src/index.ts";
import { useHomeFolder } from "./home-folder.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "..", "fixtures", "list-loaded-modules.mjs");
const homeWith = useHomeFolder();

async function listLoadedModules(home: string, ...hosts: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, home, ...hosts]);
  return JSON.parse(stdout) as {
    servers: number;
    problems: number;
    packages: string[];
    builtin: string[];
  };
}

const servers = (count: number) => ({
  mcpServers: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`s${index}`, { command: `c${index}` }]),
  ),
});

test("no parser is loaded until a TOML file is found, and then only the one for TOML", async () => {
  const { home, write } = await homeWith({ ".cursor/mcp.json": servers(10) });
  expect(await listLoadedModules(home, "cursor", "codex")).toMatchObject({
    servers: 10,
    problems: 0,
    packages: [],
  });
  await write(".codex/config.toml", '[mcp_servers.one]\ncommand = "x"\n');
  const withToml = await listLoadedModules(home, "cursor", "codex");
  expect(withToml).toMatchObject({ servers: 11, packages: expect.arrayContaining(["smol-toml"]) });
  expect(withToml.packages).not.toContain("yaml");
});

test("no slow Node.js module is loaded, even for all hosts", async () => {
  const { home, write } = await homeWith({ ".cursor/mcp.json": servers(10) });
  await write(".claude.json", servers(3));
  const { servers: found, packages, builtin } = await listLoadedModules(home, ...HOST_IDS);
  expect([found, packages]).toEqual([10, []]);
  const slow =
    /^NativeModule (?:crypto|child_process|http|https|net|stream|internal\/(?:fs\/promises|webstreams|crypto)\b)/;
  expect(builtin.filter((module) => slow.test(module))).toEqual([]);
});
