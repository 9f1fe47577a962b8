import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installedPlugins } from "../../src/hosts/claude-installed-plugins.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();

/** Where a plugin is installed, and for which project. Servers are looked up in the project `work`. */
interface Installed {
  readonly folder: string;
  readonly project?: string;
}

async function commandsOf(installed: readonly Installed[], cwd = "work") {
  const { home, write, discover } = await homeWith();
  const records = installed.map(({ folder, project }) => ({
    scope: project === undefined ? "user" : "project",
    installPath: join(home, folder),
    ...(project === undefined ? {} : { projectPath: join(home, project) }),
  }));
  await write(".claude/plugins/installed_plugins.json", { version: 2, plugins: { "tool@market": records } });
  for (const { folder } of installed) {
    await write(`${folder}/.mcp.json`, { mcpServers: { [folder]: { command: folder } } });
  }
  const { servers, problems } = await discover({ hosts: ["claude-code"], cwd: join(home, cwd) });
  expect(problems).toEqual([]);
  return servers.map(({ name }) => name);
}

describe("a plugin of Claude Code", () => {
  const mine = { folder: "mine" };
  const own = { folder: "own", project: "work" };
  const others = { folder: "others", project: "elsewhere" };

  test.each<[string, readonly Installed[], string[]]>([
    ["for all projects", [mine], ["mine"]],
    ["for this project", [own], ["own"]],
    ["for another project", [others], []],
    ["for another project and for all", [others, mine], ["mine"]],
    ["for this project and for all", [own, mine], ["own"]],
    ["for all, then for this project", [mine, own], ["own"]],
    ["for this project and for another", [others, own], ["own"]],
  ])("is read only where it is installed: %s", async (_what, installed, found) => {
    expect(await commandsOf(installed)).toEqual(found);
  });

  test("is read below its project folder, from the nearest installation", async () => {
    const inner = { folder: "inner", project: "work/packages/a" };
    expect(await commandsOf([inner, own], "work")).toEqual(["own"]);
    expect(await commandsOf([own], "work/packages/a")).toEqual(["own"]);
    expect(await commandsOf([own, inner], "work/packages/a")).toEqual(["inner"]);
    expect(await commandsOf([own, inner], "work/packages/b")).toEqual(["own"]);
  });

  test("is read in a project behind a link, by either path", async () => {
    const { home, write, discover } = await homeWith();
    await symlink(join(home, "work"), join(home, "link"), "junction");
    await write("own/.mcp.json", { mcpServers: { own: { command: "own" } } });
    for (const recorded of ["work", "link"]) {
      const record = { scope: "project", installPath: join(home, "own"), projectPath: join(home, recorded) };
      await write(".claude/plugins/installed_plugins.json", { plugins: { "tool@market": record } });
      for (const cwd of ["work", "link"]) {
        const { servers } = await discover({ hosts: ["claude-code"], cwd: join(home, cwd) });
        expect(servers.map(({ name }) => name)).toEqual(["own"]);
      }
    }
  });

  test("matches any spelling of its project folder on Windows", () => {
    const at = {
      platform: "win32",
      env: {},
      home: "C:\\u",
      cwd: "C:\\Work",
      projectTop: "C:\\Work",
    } as const;
    const record = (projectPath: unknown) => ({ plugins: { p: [{ projectPath, installPath: "C:\\p" }] } });
    expect(installedPlugins(record("c:/work"), at)).toMatchObject([{ installPath: "C:\\p" }]);
    expect(installedPlugins(record("c:/other"), at)).toEqual([]);
    expect(installedPlugins(record(5), at)).toEqual([]);
  });
});
