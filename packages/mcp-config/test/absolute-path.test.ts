import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absolutePath } from "../src/find/surroundings.ts";
import { discoverServers, parseHostFile, projectFiles } from "../src/index.ts";

const REMOVED = { code: "MCP_CONFIG_INVALID", message: expect.stringMatching(/working directory.*removed/) };

test("what is no path is named by its type", () => {
  expect(() => absolutePath(5 as never)).toThrow("A path is a text, and this is of type number");
});

describe.skipIf(process.platform === "win32")("in a working directory that was removed", () => {
  const before = process.cwd();
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "jackfield-"));
    process.chdir(folder);
    rmdirSync(folder);
  });
  afterAll(() => process.chdir(before));

  test("an absolute path is as it was", () => {
    expect(absolutePath("/a/../b")).toBe("/b");
  });

  test("a relative path is refused with the next step", async () => {
    await expect(projectFiles()).rejects.toMatchObject(REMOVED);
    await expect(parseHostFile({ host: "cursor", file: "mcp.json" })).rejects.toMatchObject(REMOVED);
  });

  test("a file named by an absolute path is parsed, with its unset variables", async () => {
    const text = '{"mcpServers":{"s":{"command":"${env:A}"}}}';
    const { diagnostics } = await parseHostFile({ host: "cursor", file: "/folder/mcp.json", text, env: {} });
    expect(diagnostics.map(({ code }) => code)).toEqual(["unresolved-variable"]);
  });

  test("searching finds the servers in code, and reports what it could not search", async () => {
    const found = await discoverServers({ servers: { one: { command: "x" } } });
    expect(found.servers.map(({ name }) => name)).toEqual(["one"]);
    expect(found.discoveryError).toMatchObject(REMOVED);
  });
});
