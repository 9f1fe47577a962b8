import { expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../src/sqlite-module.ts";

/** Catches what is warned of, and lets SQLite be loaded as Node 22 loads it: with these warnings. */
function warnWhileLoading(...warnings: readonly [text: string, type?: string][]): string[] {
  const { emitWarning, getBuiltinModule } = process;
  const messages: string[] = [];
  process.emitWarning = (warning: string | Error) => void messages.push(String(warning));
  process.getBuiltinModule = ((name: string) => {
    for (const [text, type] of warnings) process.emitWarning(text, type);
    return getBuiltinModule(name);
  }) as typeof getBuiltinModule;
  onTestFinished(() => void Object.assign(process, { emitWarning, getBuiltinModule }));
  return messages;
}

test("loading SQLite leaves warnings as they were", () => {
  const before = process.emitWarning;
  expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
  expect(process.emitWarning).toBe(before);
});

test("the notice of Node 22 that SQLite is experimental is not shown, any other warning is", () => {
  const messages = warnWhileLoading(
    ["SQLite is an experimental feature and might change at any time", "ExperimentalWarning"],
    ["Something else is an experimental feature", "ExperimentalWarning"],
    ["SQLite is an experimental feature, says somebody else", "UserWarning"],
  );
  loadSqlite();
  process.emitWarning("afterwards");
  expect(messages).toEqual([
    "Something else is an experimental feature",
    "SQLite is an experimental feature, says somebody else",
    "afterwards",
  ]);
});
