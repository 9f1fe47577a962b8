import { writeFileSync } from "node:fs";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything, scriptServer, temporaryFolder } from "./fixture.ts";

useLeakCheck();

describe("openMcp", () => {
  it("connects a real server, lists its tools and calls one", async () => {
    const mcp = await openMcp({ servers: { everything }, cache: false });
    try {
      expect(mcp.report).toMatchObject({
        ready: [{ name: "everything", toolsFrom: "live" }],
        failed: [],
        problems: [],
      });
      const result = await mcp.callTool("mcp__everything__echo", { message: "hello" });
      expect(result.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    } finally {
      await mcp.close();
    }
  });

  it("has its tools from the catalog the second time, before the server is ready", async () => {
    using folder = temporaryFolder();
    const options = { servers: { everything }, cache: { path: folder.path } };
    const first = await openMcp(options);
    // The server announces a change of its tools as soon as it is up; what was listed before that is not relied on.
    await first.refreshTools("everything");
    const live = first.tools();
    await first.close();
    const second = await openMcp(options);
    try {
      expect(second.report.cached).toMatchObject([
        { name: "everything", status: "connecting", toolsFrom: "cache" },
      ]);
      expect(second.tools().map(({ name, definition }) => [name, definition])).toEqual(
        live.map(({ name, definition }) => [name, definition]),
      );
      const result = await second.callTool({ server: "everything", tool: "echo" }, { message: "again" });
      expect(result.content).toEqual([{ type: "text", text: "Echo: again" }]);
    } finally {
      await second.close();
    }
  });

  it("[C17] works with the good servers despite broken ones, and reports each failure", async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file("broken.json"), '{ "mcpServers": {\n  "a": { "command": "x", }\n} }');
    const mcp = await openMcp({
      cache: false,
      configFiles: [folder.file("broken.json"), folder.file("nowhere.json")],
      retry: { maxRetries: 0 },
      servers: {
        everything,
        neither: {} as never,
        unset: { command: process.execPath, args: ["${JACKFIELD_TEST_NOT_SET}"] },
        "no-command": { command: "jackfield-test-no-such-command" },
        exits: scriptServer("console.error('no database'); process.exit(3)"),
        junk: scriptServer("setInterval(() => console.log('hello'), 20)", { connectTimeoutMs: 1_000 }),
        mute: scriptServer("setInterval(() => {}, 1000)", { connectTimeoutMs: 1_000 }),
        refused: { url: "http://127.0.0.1:1/mcp" },
      },
    });
    try {
      expect(mcp.report.ready.map(({ name }) => name)).toEqual(["everything"]);
      const failed = Object.fromEntries(mcp.report.failed.map(({ name, error }) => [name, error]));
      expect(failed).toMatchObject({
        neither: { code: "MCP_CONFIG_INVALID", server: "neither" },
        unset: {
          code: "MCP_CONFIG_VARIABLE_MISSING",
          message: expect.stringContaining("JACKFIELD_TEST_NOT_SET"),
        },
        "no-command": { code: "MCP_COMMAND_NOT_FOUND", message: expect.stringContaining("Install it") },
        exits: {
          code: "MCP_SERVER_EXITED",
          message: expect.stringContaining("code 3"),
          stderr: "no database\n",
        },
        junk: { message: expect.stringContaining("hello") },
        mute: { code: "MCP_CONNECT_TIMEOUT", message: expect.stringContaining("1000 ms") },
        refused: { code: "MCP_CONNECT_FAILED" },
      });
      for (const [name, error] of Object.entries(failed)) expect(error.message).toContain(`"${name}"`);
      expect(mcp.report.problems.map(({ error }) => error)).toMatchObject([
        { code: "MCP_CONFIG_INVALID", location: { file: folder.file("broken.json"), line: 2, column: 26 } },
        { code: "MCP_CONFIG_NOT_FOUND", message: expect.stringContaining("nowhere.json") },
      ]);
      expect(mcp.servers()).toHaveLength(8);
      await expect(mcp.callTool("mcp__everything__echo", { message: "fine" })).resolves.toBeDefined();
    } finally {
      await mcp.close();
    }
  });

  it("rejects with MCP_ABORTED when aborted, after its child process has ended", async () => {
    using folder = temporaryFolder();
    const file = folder.file("pid");
    const started = `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const controller = new AbortController();
    const { watch, readFileSync } = await import("node:fs");
    const watcher = watch(folder.path, () => {
      try {
        if (readFileSync(file, "utf8") !== "") controller.abort();
      } catch {
        // Not written yet.
      }
    });
    const opening = openMcp({
      servers: { mute: scriptServer(started) },
      cache: false,
      signal: controller.signal,
    });
    await expect(opening).rejects.toMatchObject({ code: "MCP_ABORTED" });
    watcher.close();
    const pid = Number(readFileSync(file, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("refuses invalid options", async () => {
    const opening = openMcp({ cache: false, limits: { callTimeoutMs: Number.NaN }, servers: { everything } });
    await expect(opening).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });

  it("opens without any server, and has no tools", async () => {
    const mcp = await openMcp({ cache: false });
    expect(mcp.tools()).toEqual([]);
    await mcp.close();
  });
});
