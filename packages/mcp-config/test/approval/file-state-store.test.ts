import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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

describe("state in files", () => {
  test("what was set is there for the next store, and gone when it was deleted", async () => {
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

  test("the directory is the user's alone, and so is each file", async () => {
    await fileStateStore({ directory }).set("key", "value");
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600);
  });

  test("[threat T08] a link in the place of a file is neither read nor written through", async () => {
    const victim = join(home, "victim");
    await writeFile(victim, '{"key":"key","value":"forged"}');
    const store = fileStateStore({ directory, log });
    await store.set("key", "value");
    const file = await onlyFile();
    await rm(file);
    await symlink(victim, file);
    expect(await store.get("key")).toBeUndefined();
    expect(warnings).toEqual([`${file} is not used: it is a link`]);
    await store.set("key", "new");
    expect(await readFile(victim, "utf8")).toContain("forged");
    expect(await store.get("key")).toBe("new");
  });

  test("[threat T09] a file that others may write counts as missing and is reported once", async () => {
    const store = fileStateStore({ directory, log });
    await store.set("key", "value");
    await chmod(await onlyFile(), 0o666);
    expect(await store.get("key")).toBeUndefined();
    expect(await store.get("key")).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("others may write it");
  });

  test("[threat T09] a directory in which others may write is refused", async () => {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    await expect(fileStateStore({ directory }).set("key", "value")).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
    });
    expect(await readdir(directory)).toEqual([]);
  });

  test.each(["{", "null", '{"key":1,"value":"x"}', "", '{"key":"other","value":"x"}'])(
    "a file that holds %j counts as missing",
    async (content) => {
      const store = fileStateStore({ directory, log });
      await store.set("key", "value");
      await writeFile(await onlyFile(), content);
      expect(await store.get("key")).toBeUndefined();
    },
  );

  test("a hundred writes at once leave one whole value and no drafts", async () => {
    const stores = [fileStateStore({ directory }), fileStateStore({ directory })];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => stores[index % 2]?.set("key", `${index}`.repeat(1000))),
    );
    expect(await stores[0]?.get("key")).toMatch(/^(\d{1,2})\1{999}$/);
    await onlyFile();
  });
});
