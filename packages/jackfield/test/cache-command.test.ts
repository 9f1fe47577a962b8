import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandLine, type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

describe("jackfield cache", () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  async function fill(...servers: readonly string[]): Promise<void> {
    await using cache = sqliteToolCache({ path: folder.path });
    for (const server of servers) {
      const { id, credentials } = await cache.identify({
        name: server,
        transport: "stdio",
        command: server,
        args: ["--token", "sk-planted"],
        env: {},
        secrets: ["sk-planted"],
      });
      const tools = [{ name: "read", inputSchema: { type: "object" as const } }];
      await cache.set(id, { server, credentials, tools, listedAt: Date.now() });
    }
  }

  const run = (...argv: string[]) => commandLine("cache", ...argv, "--cache", folder.path);
  const nothingCalled = (name: string) =>
    `No catalog entry is named "${name}"; "jackfield cache list --cache ${folder.path}" shows the names.\n`;

  it("lists the cached servers sorted and without secrets, as JSON or as a table", async () => {
    await fill("mail", "files");
    const { exitCode, stdout, stderr } = await run("list", "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout).entries).toEqual([
      { id: expect.any(String), server: "files", tools: 1, listedAt: expect.any(Number), stale: false },
      { id: expect.any(String), server: "mail", tools: 1, listedAt: expect.any(Number), stale: false },
    ]);
    expect(stdout).not.toContain("sk-planted");
    const table = await run("list");
    expect(table.stdout).toMatch(/^SERVER +TOOLS +LISTED AT\nfiles +1 +20\d\d-.+Z\nmail /);
  });

  it("resolves --cache against --cwd, as the runtime does", async () => {
    const cwd = ["--cwd", folder.path];
    const path = join(folder.path, "kept");
    const { stdout } = await commandLine("cache", "path", "--cache", "kept", ...cwd);
    expect(stdout).toBe(`${path}\n`);
    expect(existsSync(path)).toBe(false);
    const server = `quick=${JSON.stringify(stdioFaultServer())}`;
    const options = ["--no-discover", "--mcp-server", server, "--cache", "kept", ...cwd];
    expect((await commandLine("status", ...options)).exitCode).toBe(0);
    expect((await commandLine("types", "--json", ...options)).exitCode).toBe(0);
    const listed = await commandLine("cache", "list", "--json", "--cache", "kept", ...cwd);
    expect(JSON.parse(listed.stdout).entries).toMatchObject([{ server: "quick" }]);
    expect(existsSync(path)).toBe(true);
  });

  it("clears one server, or all", async () => {
    await fill("mail", "files", "web");
    const one = await run("clear", "mail", "--json");
    expect(one.exitCode).toBe(0);
    expect(JSON.parse(one.stdout)).toEqual({ cleared: [{ id: expect.any(String), server: "mail" }] });
    expect(JSON.parse((await run("list", "--json")).stdout).entries).toMatchObject([
      { server: "files" },
      { server: "web" },
    ]);
    expect((await run("clear", "mail")).stdout).toBe(nothingCalled("mail"));
    expect((await run("clear")).stdout).toBe("Deleted:\nfiles\nweb\n");
    expect((await run("list")).stdout).toBe("The catalog is empty.\n");
  });

  const inFile = <T>(action: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(folder.file("catalog.sqlite"));
    try {
      return action(database);
    } finally {
      database.close();
    }
  };
  const rows = () => inFile((database) => database.prepare("SELECT count(*) AS n FROM keyv").get()?.n);

  it("fails and deletes nothing while another process locks the catalog, with or without a name", async () => {
    await fill("mail");
    const other = new DatabaseSync(folder.file("catalog.sqlite"));
    try {
      other.exec("BEGIN IMMEDIATE");
      const runs = await Promise.all([run("clear", "--json"), run("clear", "mail", "--json")]);
      for (const { exitCode, stdout, stderr } of runs) {
        expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
          exitCode: 1,
          error: { code: "MCP_STORAGE_FAILED" },
        });
        expect(stderr).toMatch(
          /Not everything could be deleted \(database is locked\).*\(MCP_STORAGE_FAILED\)/,
        );
      }
    } finally {
      other.close();
    }
    expect(JSON.parse((await run("list", "--json")).stdout).entries).toMatchObject([{ server: "mail" }]);
  });

  it.each([
    ["were sealed with a lost key", () => rmSync(folder.file("identity.key"))],
    [
      "another version wrote",
      () =>
        inFile((file) =>
          file.exec("UPDATE keyv SET value = replace(value, '\"version\":2', '\"version\":3')"),
        ),
    ],
  ])("clears entries that %s if no server is named", async (_what, spoil) => {
    await fill("mail", "files");
    spoil();
    expect(JSON.parse((await run("list", "--json")).stdout)).toEqual({ entries: [] });
    expect((await run("clear", "mail")).stdout).toBe(nothingCalled("mail"));
    expect(rows()).toBe(2);
    const { exitCode, stdout } = await run("clear");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "No servers were listed. The catalog is empty.\n",
    });
    expect(rows()).toBe(0);
  });

  it("clears a catalog whose table has another layout", async () => {
    await fill("mail");
    inFile((file) => file.exec("DROP TABLE keyv; CREATE TABLE keyv (id TEXT, body TEXT)"));
    const { exitCode, stderr } = await run("clear");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("was deleted");
    await fill("mail");
    expect(await run("clear")).toEqual({ exitCode: 0, stdout: "Deleted:\nmail\n", stderr: "" });
  });

  it("prints the catalog's path, from --cache or from JACKFIELD_HOME", async () => {
    expect(await run("path")).toMatchObject({ exitCode: 0, stdout: `${folder.path}\n` });
    vi.stubEnv("JACKFIELD_HOME", folder.path);
    try {
      const { stdout } = await commandLine("cache", "path", "--json");
      expect(JSON.parse(stdout)).toEqual({ path: folder.file("cache") });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("list and clear create no directory", async () => {
    const missing = folder.file("missing");
    for (const action of ["list", "clear"]) {
      const { exitCode, stdout } = await commandLine("cache", action, "--json", "--cache", missing);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toEqual(action === "list" ? { entries: [] } : { cleared: [] });
    }
    expect(existsSync(missing)).toBe(false);
  });

  it.runIf(process.platform !== "win32")(
    "exits 1 with the reason when other users can write to the catalog",
    async () => {
      await fill("mail");
      chmodSync(folder.path, 0o777);
      const { exitCode, stdout, stderr } = await run("list", "--json");
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
        exitCode: 1,
        error: { code: "MCP_STORAGE_FAILED" },
      });
      expect(stderr).toMatch(
        /chmod 700.*\n.*could not be listed; the warning says why.*\(MCP_STORAGE_FAILED\)/,
      );
      expect(await run("clear", "--json")).toMatchObject({ exitCode: 1 });
      expect(await run("clear", "mail", "--json")).toMatchObject({ exitCode: 1 });
    },
  );

  it.each([
    [["cache"], '"cache" needs list, clear or path'],
    [["cache", "frobnicate"], '"cache" needs list, clear or path'],
    [["cache", "list", "files"], '"cache list" does not take "files"'],
    [["cache", "clear", "a", "b"], '"cache" does not take "b"'],
  ])("refuses %j", async (argv, message) => {
    const { exitCode, stderr } = await commandLine(...argv);
    expect(exitCode).toBe(64);
    expect(stderr).toContain(message);
  });
});
