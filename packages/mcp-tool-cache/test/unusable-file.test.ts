import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InspectedFile, PrivateFolder } from "@jackfield/mcp-core/node";
import { expect, test } from "vitest";
import { removeUnusable } from "../src/catalog-file.ts";
import { temporaryDirectory } from "./catalog-samples.ts";

/** A folder with a bad file, and what was found there. */
function badFile(): { folder: PrivateFolder; found: InspectedFile; file: string } {
  const folder = new PrivateFolder(temporaryDirectory());
  const file = join(folder.path, "catalog.sqlite");
  writeFileSync(file, "bad", { mode: 0o600 });
  const found = folder.inspect("catalog.sqlite");
  if (found === undefined) throw new Error("The file was not found.");
  return { folder, found, file };
}

test("a file is removed with its companions, and nothing else is", () => {
  const { folder, found, file } = badFile();
  writeFileSync(`${file}-wal`, "log");
  writeFileSync(join(folder.path, "notes"), "mine");
  expect(removeUnusable(folder, "catalog.sqlite", found, { companions: ["-wal", "-shm"] })).toBe(true);
  expect(readdirSync(folder.path).sort()).toEqual(["notes", "repair.lock"]);
});

test("a file that another process has removed or replaced meanwhile stays as it is", () => {
  const { folder, found, file } = badFile();
  rmSync(file);
  expect(removeUnusable(folder, "catalog.sqlite", found)).toBe(false);
  expect(existsSync(file)).toBe(false);
  folder.add("catalog.sqlite", "good");
  const mark = { ...found.mark, dev: 0n, ino: 0n };
  expect(removeUnusable(folder, "catalog.sqlite", { ...found, mark })).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("good");
});

test("a file that has the inode of the one that it replaced stays as it is", () => {
  const { folder, file } = badFile();
  utimesSync(file, 1, 1);
  const found = folder.inspect("catalog.sqlite");
  writeFileSync(file, "good");
  expect(folder.inspect("catalog.sqlite")?.mark.ino).toBe(found?.mark.ino);
  expect(removeUnusable(folder, "catalog.sqlite", found as InspectedFile)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("good");
});
