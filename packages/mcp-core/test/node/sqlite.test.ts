import { expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../../src/node.ts";

/** Records warnings, and makes loading SQLite emit the given ones, as on Node 22. */
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

test("loading SQLite restores process.emitWarning", () => {
  const before = process.emitWarning;
  expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
  expect(process.emitWarning).toBe(before);
});

test("Node 22's experimental warning for SQLite is hidden, any other warning is shown", () => {
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

test("a Node without SQLite is a failure of storage, and the message names the option", () => {
  const { getBuiltinModule } = process;
  onTestFinished(() => void Object.assign(process, { getBuiltinModule }));
  process.getBuiltinModule = (() => undefined) as typeof getBuiltinModule;
  expect(() => loadSqlite()).toThrow(
    expect.objectContaining({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining("without --no-experimental-sqlite"),
    }),
  );
});
