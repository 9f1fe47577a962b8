import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { loseHome } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ownHome } from "../src/find/surroundings.ts";
import { discoverServers, parseHostFile, projectFiles } from "../src/index.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const folder = useTemporaryFolder();
afterEach(() => vi.unstubAllEnvs());

describe("ownHome", () => {
  test.each(["", "relative", "./"])("is the system's home folder if HOME is %j", (named) => {
    vi.stubEnv("HOME", named);
    expect(ownHome()).toBe(userInfo().homedir);
  });

  test("is the root folder if the home folder is unknown", () => {
    loseHome();
    expect(ownHome()).toBe("/");
  });
});

describe("for a user whose home folder is unknown", () => {
  test("discovery in all hosts finds the servers of the project and of JACKFIELD_HOME", async () => {
    const cwd = await folder({ ".mcp.json": { mcpServers: { ours: { command: "a" } } } });
    const home = join(cwd, "jackfield");
    await mkdir(home);
    const mine = JSON.stringify({ mcpServers: { mine: { command: "b" } } });
    // A file that everybody can write is refused.
    await writeFile(join(home, "mcp.json"), mine, { mode: 0o600 });
    loseHome();
    const found = await discoverServers({ cwd, hosts: "all", env: { JACKFIELD_HOME: home } });
    expect(found.discoveryError).toBeUndefined();
    expect(found.problems).toEqual([]);
    expect(found.servers.map(({ name }) => name).sort()).toEqual(["mine", "ours"]);
  });

  test("parseHostFile and projectFiles work", async () => {
    const cwd = await folder({ ".mcp.json": { mcpServers: { ours: { command: "a" } } } });
    loseHome();
    const { servers } = await parseHostFile({ host: "claude-code", file: join(cwd, ".mcp.json") });
    expect(servers.map(({ name }) => name)).toEqual(["ours"]);
    expect((await projectFiles({ cwd })).map(({ file }) => file)).toContain(join(cwd, ".mcp.json"));
  });
});
