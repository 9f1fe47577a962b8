import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { keyvToolCache, sqliteToolCache } from "../src/index.ts";

useLeakCheck();

const INVALID = { code: "MCP_CONFIG_INVALID" };

test.each([
  [{ busyTimeout: 5 }, '"busyTimeoutMs"'],
  [{ maxBytes: "64 MiB" }, "a finite number"],
  [{ path: "" }, "a string that is not empty"],
])("sqliteToolCache refuses %j", (options, hint) => {
  const make = () => sqliteToolCache(options as never);
  expect(make).toThrow(expect.objectContaining({ ...INVALID, message: expect.stringContaining(hint) }));
});

test.each([
  [{ nameSpace: "app" }, '"namespace"'],
  [{ key: "a text" }, "bytes"],
])("keyvToolCache refuses %j, and repeats no value", (options, hint) => {
  const make = () => keyvToolCache(new Map() as never, options as never);
  expect(make).toThrow(expect.objectContaining({ ...INVALID, message: expect.stringContaining(hint) }));
  expect(make).not.toThrow(/a text/);
});
