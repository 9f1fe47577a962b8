import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { loadServers } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";

const folderWith = useTemporaryFolder();

/** Megabytes take their time on a busy machine. */
const LARGE_FILE_TIMEOUT_MS = 60_000;

const names = (servers: readonly ServerDefinition[]) => servers.map(({ name }) => name);

describe("repeated keys in a strict file", () => {
  test("an entry with a duplicate name or field is refused, with both lines in the error", async () => {
    const text =
      '{"mcpServers": {\n"db": {"command": "one"},\n"db": {"command": "two", "command": "three"},\n"x": {"env": {"A": "1",\n "A": "2"}, "command": "x"},\n"ok": {"command": "x"}}}';
    const cwd = await folderWith({ "mcp.json": text });
    const { servers, problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(names(servers)).toEqual(["ok"]);
    expect(problems.map(({ server, error }) => [server, error.code, error.location?.line])).toEqual([
      ["db", "MCP_CONFIG_INVALID", 3],
      ["x", "MCP_CONFIG_INVALID", 5],
    ]);
    expect(problems[0]?.error.message).toContain('"db" is written more than once, first on line 2');
    expect(problems[1]?.error.message).toContain('"env.A" is written more than once, first on line 4');
    expect(diagnostics).toMatchObject([
      { code: "duplicate-key", severity: "error", line: 3, server: "db" },
      { code: "duplicate-key", severity: "error", line: 3, server: "db" },
      { code: "duplicate-key", severity: "error", line: 5, server: "x" },
    ]);
  });

  test("a value that was written into a repeated name is not shown", async () => {
    const env = '"TOKEN=planted-value": "1", "TOKEN=planted-value": "2"';
    const cwd = await folderWith({ "mcp.json": `{"mcpServers": {"s": {"command": "x", "env": {${env}}}}}` });
    const { problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(problems[0]?.error.message).toContain('"env.TOKEN…" is written more than once');
    expect(diagnostics[0]).toMatchObject({ code: "duplicate-key", pointer: "/mcpServers/s/env" });
    expect(JSON.stringify(diagnostics)).not.toContain("planted");
  });

  test("each entry with a duplicate is refused, also those after the hundredth", async () => {
    const entries = Array.from(
      { length: 102 },
      (_, index) => `"s${index}": {"command": "x", "command": "y"}`,
    );
    const cwd = await folderWith({ "mcp.json": `{"mcpServers": {"ok": {"command": "x"}, ${entries}}}` });
    const { servers, problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect(names(servers)).toEqual(["ok"]);
    expect(problems.map(({ server }) => server)).toEqual(entries.map((_, index) => `s${index}`));
    expect(diagnostics.slice(0, 100).map(({ server }) => server)).toEqual(
      entries.slice(0, 100).map((_, index) => `s${index}`),
    );
    expect(diagnostics.slice(100)).toMatchObject([
      {
        code: "duplicate-key",
        severity: "error",
        message: expect.stringContaining("keys are written again in 2 more places."),
      },
    ]);
  });

  test("below a key that is too long to show, the key is cut", async () => {
    const long = "x".repeat(4097);
    const cwd = await folderWith({ "mcp.json": `{"mcpServers": {"${long}": {"a": 1, "a": 2, "a": 3}}}` });
    const { diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    const server = `${long.slice(1)}…`;
    expect(diagnostics.map((found) => [found.server, found.pointer])).toEqual([
      [server, `/mcpServers/${server}/a`],
      [server, `/mcpServers/${server}/a`],
    ]);
  });

  test("a duplicate key outside the servers is only a warning", async () => {
    const cwd = await folderWith({
      "mcp.json": '{"$x": 1,\n"$x": 2, "mcpServers": {"s": {"command": "x"}}}',
    });
    const { servers, problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
    expect([names(servers), problems]).toEqual([["s"], []]);
    expect(diagnostics).toMatchObject([{ code: "duplicate-key", severity: "warning", line: 2, column: 1 }]);
  });

  test(
    "of 300,000 duplicates of a key, 100 are reported one by one and the others counted",
    async () => {
      const cwd = await folderWith({ "mcp.json": `{"a":0${',"a":0'.repeat(300_000)}, "mcpServers": {}}` });
      const { problems, diagnostics } = await loadServers({ files: ["mcp.json"], cwd });
      expect([problems, diagnostics.length]).toEqual([[], 101]);
      const message = `${join(cwd, "mcp.json")}: keys are written again in 299900 more places.`;
      expect(diagnostics.at(-1)).toMatchObject({ code: "duplicate-key", severity: "warning", message });
    },
    LARGE_FILE_TIMEOUT_MS,
  );
});
