import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fileStateStore } from "../../src/approval/file-state-store.ts";

let home = "";
let directory = "";
let warnings: string[] = [];
const log = (_level: string, message: string) => void warnings.push(message);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "jackfield-state-"));
  directory = join(home, "state", "approvals");
  warnings = [];
});
afterEach(() => rm(home, { recursive: true }));

async function onlyFile(): Promise<string> {
  const [name = "", ...others] = await readdir(directory);
  expect(others).toEqual([]);
  return join(directory, name);
}

describe("the file state store", () => {
  test("keeps values for the next store until they are deleted", async () => {
    const store = fileStateStore({ directory, log });
    expect(await store.get("a:1")).toBeUndefined();
    expect(await store.keys("")).toEqual([]);
    await store.set("a:1", "one");
    await store.set("a:2", "two");
    await store.set("b:../../\u0000", "three");
    await store.set("a:1", "ONE");
    const next = fileStateStore({ directory, log });
    expect(await next.get("a:1")).toBe("ONE");
    expect(await next.get("b:../../\u0000")).toBe("three");
    expect(await next.keys("a:")).toEqual(["a:1", "a:2"]);
    await next.delete("a:1");
    await next.delete("a:1");
    expect(await next.keys("a:")).toEqual(["a:2"]);
    expect(warnings).toEqual([]);
  });

  test("creates its directory and files with access for the user alone", async () => {
    await fileStateStore({ directory }).set("key", "value");
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600);
  });

  test("[threat T08] neither reads nor writes through a link in place of a file", async () => {
    const victim = join(home, "victim");
    await writeFile(victim, '{"key":"key","value":"forged"}');
    const store = fileStateStore({ directory, log });
    await store.set("key", "value");
    const file = await onlyFile();
    await rm(file);
    await symlink(victim, file);
    expect(await store.get("key")).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(`${file} is not used: it is a link,`)]);
    await store.set("key", "new");
    expect(await readFile(victim, "utf8")).toContain("forged");
    expect(await store.get("key")).toBe("new");
  });

  test("[threat T09] treats a file that others can write as missing and warns once", async () => {
    const store = fileStateStore({ directory, log });
    await store.set("key", "value");
    await chmod(await onlyFile(), 0o666);
    expect(await store.get("key")).toBeUndefined();
    expect(await store.get("key")).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /other users can write to it, .* approvals made with it do not count; .*\(chmod 600\)/,
    );
  });

  test("[threat T09] refuses a directory that others can write to", async () => {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    await expect(fileStateStore({ directory }).set("key", "value")).rejects.toMatchObject({
      code: "MCP_STORAGE_FAILED",
    });
    expect(await readdir(directory)).toEqual([]);
  });

  test("explains with the system's reason that it cannot store", async () => {
    await writeFile(join(home, "state"), "");
    const store = fileStateStore({ directory });
    const refused = {
      code: "MCP_STORAGE_FAILED",
      message: `${directory} cannot be used (ENOTDIR); check that it is a folder that you can read and write to, and that its disk is not full.`,
    };
    await expect(store.set("key", "value")).rejects.toMatchObject(refused);
    await expect(store.setIfMissing("key", "value")).rejects.toMatchObject(refused);
    await expect(store.delete("key")).rejects.toMatchObject(refused);
  });

  test.each(["{", "null", '{"key":1,"value":"x"}', "", '{"key":"other","value":"x"}'])(
    "treats a file with the content %j as missing",
    async (content) => {
      const store = fileStateStore({ directory, log });
      await store.set("key", "value");
      await writeFile(await onlyFile(), content);
      expect(await store.get("key")).toBeUndefined();
    },
  );

  test("warns that the user needs access to a file that cannot be opened", async () => {
    const fileSystem = process.getBuiltinModule("node:fs");
    using _ = vi.spyOn(fileSystem, "openSync").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "EACCES" });
    });
    expect(await fileStateStore({ directory, log }).get("key")).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining("is not used: it cannot be read (EACCES),")]);
    expect(warnings[0]).toMatch(
      new RegExp(`give the user who runs this access to ${directory} and its files\\.$`),
    );
    expect(warnings[0]).not.toContain("chmod");
  });

  test("leaves one whole value and no drafts after a hundred concurrent writes", async () => {
    const stores = [fileStateStore({ directory }), fileStateStore({ directory })];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => stores[index % 2]?.set("key", `${index}`.repeat(1000))),
    );
    expect(await stores[0]?.get("key")).toMatch(/^(\d{1,2})\1{999}$/);
    await onlyFile();
  });
});

describe("setIfMissing", () => {
  test("sets the value once for concurrent callers", async () => {
    const stores = [fileStateStore({ directory }), fileStateStore({ directory })];
    const areSet = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores[index % 2]?.setIfMissing("key", `${index}`)),
    );
    expect(areSet.filter(Boolean)).toHaveLength(1);
    expect(await stores[0]?.get("key")).toBe(`${areSet.indexOf(true)}`);
    await onlyFile();
    await stores[0]?.delete("key");
    expect(await stores[1]?.setIfMissing("key", "again")).toBe(true);
  });

  test("sets the value once on a file system without hard links", async () => {
    const fileSystem = process.getBuiltinModule("node:fs");
    using _ = vi.spyOn(fileSystem, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "EPERM" });
    });
    const store = fileStateStore({ directory });
    expect(await store.setIfMissing("key", "first")).toBe(true);
    expect(await store.setIfMissing("key", "second")).toBe(false);
    expect(await store.get("key")).toBe("first");
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600);
  });

  test("[threat T08] refuses a link in place of the file and does not write through it", async () => {
    const store = fileStateStore({ directory });
    await store.set("key", "value");
    const file = await onlyFile();
    await rm(file);
    const victim = join(home, "victim");
    await symlink(victim, file);
    await expect(store.setIfMissing("key", "new")).rejects.toThrow(`${file} is not used: it is a link,`);
    await expect(stat(victim)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
