import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/vault/sqlite-module.ts";
import { temporaryDirectory } from "./vault-process.ts";

test("a Node without SQLite is a failure of storage, and the message names the option", () => {
  const { getBuiltinModule } = process;
  onTestFinished(() => void Object.assign(process, { getBuiltinModule }));
  process.getBuiltinModule = (() => undefined) as typeof getBuiltinModule;
  expect(() => openDatabase(join(temporaryDirectory(), "lock"))).toThrow(
    expect.objectContaining({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining("without --no-experimental-sqlite"),
    }),
  );
});
