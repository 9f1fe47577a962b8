import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { warningsOnStandardError } from "../src/warnings.ts";
import { scriptServer, temporaryFolder, useTemporaryHome } from "./fixture.ts";

useLeakCheck();
const home = useTemporaryHome();

let said: string[];
beforeEach(() => {
  said = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void said.push(line));
});
afterEach(() => vi.restoreAllMocks());

const ends = { ends: scriptServer("process.exit(3)") };
const alone = { cache: false, discover: false } as const;

describe("a runtime without a `log`", () => {
  it("says once which server cannot be started, with its next try", async () => {
    await using mcp = await openMcp({
      ...alone,
      servers: ends,
      retry: { delaysMs: [0, 0, 0, 0], maxRetries: 3, jitter: "none" },
    });
    await vi.waitFor(() => expect(mcp.servers()[0]?.status).toBe("failed"));
    expect(said.filter((line) => line.includes("follows"))).toHaveLength(1);
    expect(said[0]).toMatch(/^jackfield: Server "ends" .* Attempt 2 follows /);
  });

  it("says which file and which entry cannot be used, and not again while that stays so", async () => {
    using folder = temporaryFolder();
    const { writeFileSync } = await import("node:fs");
    const [broken, entries] = [folder.file("broken.json"), folder.file("entries.json")];
    writeFileSync(broken, '{ "mcpServers": ');
    writeFileSync(entries, '{ "mcpServers": { "empty": {} } }');
    await using mcp = await openMcp({ ...alone, configFiles: [broken, entries] });
    expect(said).toHaveLength(2);
    expect(said.join("\n")).toContain(broken);
    expect(said.join("\n")).toContain('Server "empty"');
    await mcp.reload();
    expect(said).toHaveLength(2);
    writeFileSync(entries, '{ "mcpServers": {} }');
    await mcp.reload();
    writeFileSync(entries, '{ "mcpServers": { "empty": {} } }');
    await mcp.reload();
    expect(said).toHaveLength(3);
  });

  it("says that a project's servers are not approved", async () => {
    using folder = temporaryFolder();
    const { mkdirSync, writeFileSync } = await import("node:fs");
    mkdirSync(folder.file(".git"));
    writeFileSync(folder.file(".mcp.json"), '{ "mcpServers": { "weather": { "command": "node" } } }');
    await using _ = await openMcp({ cache: false, cwd: folder.path, discover: { home: home.path } });
    expect(said).toEqual([expect.stringContaining('not approved, so they are not started: "weather"')]);
  });

  it("is silent with `log: false`", async () => {
    await using _ = await openMcp({ ...alone, servers: ends, retry: { maxRetries: 0 }, log: false });
    expect(said).toEqual([]);
  });
});

describe("warnings on standard error", () => {
  it("repeat a line about a server only when it was heard of in between", () => {
    const log = warningsOnStandardError();
    const lost = (attempt: number) =>
      log("warn", `Server "a" is gone. Attempt ${attempt} follows in ${attempt}.0 s.`, {
        server: "a",
        attempt,
      });
    lost(1);
    lost(2);
    log("info", 'Server "b" can be used again.', { server: "b" });
    lost(1);
    expect(said).toEqual(['jackfield: Server "a" is gone. Attempt 1 follows in 1.0 s.']);
    log("info", 'Server "a" can be used again.', { server: "a" });
    lost(1);
    expect(said).toHaveLength(2);
  });

  it("add the fields that the message does not have, and show what a terminal would obey as a code", () => {
    const log = warningsOnStandardError();
    log("warn", "A tool is not offered.", { server: "a", tool: "\u001b[31mread", code: "X" });
    log("warn", "No place.", { names: ["one", "two"], error: undefined });
    log("debug", "Not for people.");
    expect(said).toEqual([
      "jackfield: A tool is not offered. (server: a, tool: \\u{1B}[31mread)",
      'jackfield: No place. (names: ["one","two"])',
    ]);
  });
});
