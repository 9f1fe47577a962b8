import { expect, test } from "vitest";
import { loadSqlite } from "../src/sqlite-module.ts";

test("loading SQLite leaves warnings as they were", () => {
  const before = process.emitWarning;
  expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
  expect(process.emitWarning).toBe(before);
});
