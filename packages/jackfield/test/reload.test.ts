import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import {
  createFakeConnector,
  createFakeSession,
  type FakeSession,
  recordStatuses,
  useLeakCheck,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything, type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

/** A runtime that reads one file, with servers that open at once and offer `echo`. */
async function openFile(folder: TemporaryFolder) {
  const sessions = new Map<string, FakeSession>();
  const { connect } = createFakeConnector({
    onAttempt: (attempt) => {
      const session = createFakeSession({ tools: [{ name: "echo", inputSchema: { type: "object" } }] });
      sessions.set(attempt.server.name, attempt.open(session));
    },
  });
  const mcp = await openMcp({ configFiles: [folder.file("mcp.json")], cache: false, connect });
  return { mcp, sessions };
}

describe("reload", () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  const text = (mcpServers: object) => JSON.stringify({ mcpServers }, undefined, 2);
  const write = (mcpServers: object) => writeFileSync(folder.file("mcp.json"), text(mcpServers));

  it("reads the file again and restarts only changed servers", async () => {
    write({ a: { command: "a" }, b: { command: "b" }, c: { command: "c" } });
    const { mcp, sessions } = await openFile(folder);
    try {
      const before = new Map(sessions);
      // `c` is on another line now.
      write({ a: { command: "a", args: ["new"] }, d: { command: "d" }, c: { command: "c" } });
      expect(await mcp.reload()).toMatchObject({
        applied: true,
        added: ["d"],
        removed: ["b"],
        changed: expect.arrayContaining(["a"]),
        problems: [],
      });
      const closed = [...before].map(([name, session]) => [name, session.closed]);
      expect(closed).toEqual([
        ["a", true],
        ["b", true],
        ["c", false],
      ]);
      expect(mcp.tools().map(({ server }) => server)).toEqual(["a", "c", "d"]);
    } finally {
      await mcp.close();
    }
  });

  it("reports an entry that became invalid as failed, and starts it again when it is corrected", async () => {
    write({ a: { command: "a" }, b: { command: "b" } });
    const { mcp } = await openFile(folder);
    try {
      write({ a: { command: "a" }, b: { command: 7 } });
      const report = await mcp.reload();
      expect(report).toMatchObject({ applied: true, removed: ["b"], problems: [], failed: [{ name: "b" }] });
      const failed = { name: "b", status: "failed", error: { code: "MCP_CONFIG_INVALID" } };
      expect(mcp.servers()).toMatchObject([{ name: "a", status: "ready" }, failed]);
      write({ a: { command: "a" }, b: { command: "b" } });
      await mcp.reload();
      expect(mcp.servers()).toMatchObject([{ status: "ready" }, { name: "b", status: "ready" }]);
    } finally {
      await mcp.close();
    }
  });

  it("reports the same findings as openMcp, frozen", async () => {
    write({ a: { command: "a" }, b: { command: 7 } });
    writeFileSync(folder.file(".mcp.json"), text({ project: { command: "p" } }));
    const configFiles = [folder.file("mcp.json"), folder.file("missing.json")];
    const { connect } = createFakeConnector({ onAttempt: (attempt) => attempt.open(createFakeSession({})) });
    const mcp = await openMcp({ cwd: folder.path, configFiles, cache: false, connect });
    try {
      const { blocked, problems, failed, diagnostics } = mcp.report;
      expect(await mcp.reload()).toMatchObject({ blocked, problems, failed, diagnostics });
      expect([blocked, problems, failed, diagnostics].map(({ length }) => length)).toEqual([1, 1, 1, 1]);
      expect([mcp.report, blocked, problems, failed, diagnostics].every(Object.isFrozen)).toBe(true);
    } finally {
      await mcp.close();
    }
  });

  it("[R59] changes nothing if the file is truncated at any byte or missing, and reports why", async () => {
    const complete = text({ a: { command: "a" }, b: { url: "http://127.0.0.1:9" } });
    writeFileSync(folder.file("mcp.json"), complete);
    const { mcp } = await openFile(folder);
    try {
      const statuses = recordStatuses(mcp);
      for (let length = 0; length < complete.length; length += 1) {
        writeFileSync(folder.file("mcp.json"), complete.slice(0, length));
        const report = await mcp.reload();
        expect(report).toMatchObject({ applied: false, removed: [], kept: ["a", "b"] });
        expect([...report.problems, ...report.diagnostics]).toHaveLength(1);
      }
      rmSync(folder.file("mcp.json"));
      expect(await mcp.reload()).toMatchObject({
        applied: false,
        problems: [{ error: { code: "MCP_CONFIG_NOT_FOUND" } }],
      });
      expect([...statuses.of("a"), ...statuses.of("b")]).toEqual([]);
      writeFileSync(folder.file("mcp.json"), complete);
      expect(await mcp.reload()).toMatchObject({ applied: true, kept: ["a", "b"], problems: [] });
    } finally {
      await mcp.close();
    }
  });

  it.each([
    ["servers", "wrong-root-key"],
    ["mcpServer", "near-miss-field"],
  ])(
    "changes nothing if all servers of a file are under a wrong key, %s, and reports it",
    async (key, code) => {
      write({ a: { command: "a" } });
      const { mcp } = await openFile(folder);
      try {
        writeFileSync(folder.file("mcp.json"), JSON.stringify({ [key]: { a: { command: "a" } } }));
        expect(await mcp.reload()).toMatchObject({
          applied: false,
          removed: [],
          kept: ["a"],
          diagnostics: [{ code, severity: "error" }],
        });
        expect(mcp.servers()).toMatchObject([{ name: "a", status: "ready" }]);
        const beside = { mcpServers: { b: { command: "b" } }, [key]: { a: { command: "a" } } };
        writeFileSync(folder.file("mcp.json"), JSON.stringify(beside));
        expect(await mcp.reload()).toMatchObject({ applied: true, added: ["b"], removed: ["a"] });
      } finally {
        await mcp.close();
      }
    },
  );

  it("applies changes of a file that one of its two readers never found servers in", async () => {
    mkdirSync(folder.file(".vscode"));
    const file = folder.file(".vscode/mcp.json");
    writeFileSync(file, JSON.stringify({ servers: { a: { command: "a" } } }));
    const { connect } = createFakeConnector({ onAttempt: (attempt) => attempt.open(createFakeSession({})) });
    const discover = { hosts: ["vscode"] };
    const found = { cwd: folder.path, configFiles: [file], discover, approval: { folders: () => true } };
    const mcp = await openMcp({ ...found, cache: false, connect });
    try {
      expect(mcp.report.diagnostics).toMatchObject([{ code: "wrong-root-key", severity: "error", file }]);
      expect(await mcp.reload()).toMatchObject({ applied: true, kept: ["a"] });
      writeFileSync(file, JSON.stringify({ servers: { b: { command: "b" } } }));
      expect(await mcp.reload()).toMatchObject({ applied: true, added: ["b"], removed: ["a"] });
      writeFileSync(file, "");
      expect(await mcp.reload()).toMatchObject({ applied: false, kept: ["b"] });
    } finally {
      await mcp.close();
    }
  });

  it("finds a file that was created after openMcp", async () => {
    const { mcp } = await openFile(folder);
    try {
      expect(mcp.report.problems).toHaveLength(1);
      expect(await mcp.reload()).toMatchObject({ applied: true, kept: [], problems: [{}] });
      write({ a: { command: "a" } });
      expect(await mcp.reload()).toMatchObject({ applied: true, added: ["a"], problems: [] });
    } finally {
      await mcp.close();
    }
  });

  it("applies the last of several concurrent reloads, and rejects after close()", async () => {
    write({ a: { command: "a" } });
    const { mcp } = await openFile(folder);
    const first = mcp.reload();
    write({ b: { command: "b" } });
    const second = mcp.reload();
    await Promise.all([first, second]);
    expect(mcp.servers().map(({ name }) => name)).toEqual(["b"]);
    await mcp.close();
    await expect(mcp.reload()).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("replaces a real server, and ends the process of the old one", async () => {
    write({ everything: { ...everything, env: { GENERATION: "1" } } });
    const mcp = await openMcp({ configFiles: [folder.file("mcp.json")], cache: false });
    try {
      write({ everything: { ...everything, env: { GENERATION: "2" } } });
      expect(await mcp.reload()).toMatchObject({ changed: ["everything"] });
      const { content } = await mcp.callTool({ server: "everything", tool: "get-env" });
      expect(JSON.stringify(content)).toContain('\\"GENERATION\\": \\"2\\"');
    } finally {
      await mcp.close();
    }
  });
});
