import { existsSync, lstatSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withRepairLock } from "../src/repair-lock.ts";
import { setAside } from "../src/set-aside.ts";
import { temporaryDirectory } from "./catalog-samples.ts";

function badFile(): string {
  const file = join(temporaryDirectory(), "catalog.sqlite");
  writeFileSync(file, "bad");
  return file;
}

function markOf(file: string) {
  return lstatSync(file, { bigint: true });
}

describe("setting a file aside", () => {
  test("moves its companions too, under the first free number", () => {
    const file = badFile();
    writeFileSync(`${file}-wal`, "log");
    writeFileSync(`${file}.corrupt-1`, "earlier");
    expect(setAside(file, markOf(file), { companions: ["-wal", "-shm"] })).toBe(`${file}.corrupt-2`);
    expect(readFileSync(`${file}.corrupt-2`, "utf8")).toBe("bad");
    expect(readFileSync(`${file}.corrupt-2-wal`, "utf8")).toBe("log");
    expect(readFileSync(`${file}.corrupt-1`, "utf8")).toBe("earlier");
    expect(existsSync(file)).toBe(false);
  });

  test("does nothing if another process has moved or replaced the file", () => {
    const file = badFile();
    const mark = markOf(file);
    renameSync(file, `${file}.corrupt-1`);
    expect(setAside(file, mark)).toBeUndefined();
    writeFileSync(file, "good");
    expect(setAside(file, mark)).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe("good");
  });
});

describe("the repair lock", () => {
  test("keeps a second repair out until the first ends, even by an error", () => {
    const file = badFile();
    const second = () => withRepairLock(file, () => "done", 0);
    withRepairLock(file, () => expect(second).toThrow("locked"), 0);
    const failing = () =>
      withRepairLock(
        file,
        () => {
          throw new Error("no");
        },
        0,
      );
    expect(failing).toThrow("no");
    expect(second()).toBe("done");
  });

  test("works with any content in its file, but follows no symlink", () => {
    const file = badFile();
    const lockFile = join(file, "..", "repair.lock");
    writeFileSync(lockFile, "This is no database. ".repeat(100));
    expect(withRepairLock(file, () => "done", 0)).toBe("done");

    const other = badFile();
    symlinkSync(file, join(other, "..", "repair.lock"));
    if (process.platform !== "win32") expect(() => withRepairLock(other, () => "done", 0)).toThrow("ELOOP");
    expect(readFileSync(file, "utf8")).toBe("bad");
  });
});
