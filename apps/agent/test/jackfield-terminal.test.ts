import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { readFaultRecord, stdioFaultServer } from "@jackfield/test-kit";
import stringWidth from "string-width";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRunning, JACKFIELD, noPseudoTerminal, startInTerminal } from "./fixtures/pseudo-terminal.ts";

const LONG_MS = 60_000;
const ESCAPE = "\u001b";
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);
const FAMILY = "👨\u200d👩\u200d👧\u200d👦";

let folder: string;
let record: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "jackfield-terminal-"));
  record = join(folder, "record");
});

afterEach(() => rm(folder, { recursive: true }));

type Environment = { readonly [name: string]: string };

const environment = (more: Environment = {}) => ({
  HOME: folder,
  JACKFIELD_HOME: join(folder, "home"),
  TMPDIR: folder,
  ...more,
});

function start(columns: number, argv: readonly string[], more?: Environment) {
  return startInTerminal({ program: JACKFIELD, columns, argv, cwd: folder, environment: environment(more) });
}

async function writeConfiguration(file: string, servers: object): Promise<readonly string[]> {
  await writeFile(join(folder, file), JSON.stringify({ mcpServers: servers }));
  return ["--no-discover", "--config", file];
}

/** Names of every width, one of which cannot be started. */
function wideServers(): object {
  const broken = { command: "no-such-program-with-a-name-that-is-much-longer-than-anybody-would-call-one" };
  const [files, family, long] = [0, 1, 2].map(() => stdioFaultServer());
  return { 文件服务器: files, [FAMILY]: family, "a-name-that-takes-rather-more-room": long, broken };
}

/** A server that accepts a connection and does not answer. */
const silentServer = () =>
  stdioFaultServer({ silentOn: ["server/discover", "initialize"], recordTo: record });

/** The processes of the server that keeps the record. */
function startedProcesses(): number[] {
  return readFaultRecord(record).flatMap((line) => (line.event === "started" ? [line.pid] : []));
}

const skipped = noPseudoTerminal === undefined ? "" : ` (not tried: ${noPseudoTerminal})`;

describe.skipIf(noPseudoTerminal !== undefined)(
  `jackfield in a pseudo-terminal${skipped}`,
  { timeout: LONG_MS },
  () => {
    it.each([
      [80, "status", "文件服务器"],
      [140, "status", "文件服务器"],
      [80, "tools", "Answers a picture."],
      [140, "tools", "Answers a picture."],
      [80, "config list", "文件服务器"],
      [80, "doctor", "error command-not-found"],
    ])("keeps its lines within %i columns for names of any width: %s", async (columns, command, shown) => {
      const config = await writeConfiguration("a-configuration-with-a-long-name.json", wideServers());
      const terminal = start(columns, [...command.split(" "), ...config], { NO_COLOR: "1" });
      await terminal.ended;
      const lines = terminal.lines();
      expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
      expect(terminal.screen.text).toContain(shown);
      expect(await terminal.isRestored()).toBe(true);
    });

    it.each([80, 140])("aligns its table on a terminal of %i columns", async (columns) => {
      const config = await writeConfiguration("a-configuration-with-a-long-name.json", wideServers());
      const terminal = start(columns, ["status", ...config], { NO_COLOR: "1" });
      expect(await terminal.ended).toBe(1);
      // Servers that took longer than a second have had progress lines before.
      const lines = terminal.lines();
      const head = lines.findIndex((line) => line.startsWith("SERVER"));
      const rows = lines.slice(head, head + 5);
      const starts = rows.map((row) => stringWidth(row.slice(0, row.search(/STATUS|ready|failed|backoff/))));
      expect(new Set(starts).size).toBe(1);
      expect(rows[1]).toMatch(/^文件服务器 +ready/);
      // Joined by characters that cannot be seen, which are shown as codes.
      expect(rows[2]).toMatch(/^👨\\u\{200D\}👩\\u\{200.* +ready/u);
    });

    it.each([
      ["colours", {}],
      ["no colours with NO_COLOR", { NO_COLOR: "1" }],
      ["no colours with FORCE_COLOR=0", { FORCE_COLOR: "0" }],
      ["plain text on a dumb terminal", { TERM: "dumb" }],
    ])("shows %s", async (what, more: Environment) => {
      const config = await writeConfiguration("servers.json", { files: stdioFaultServer() });
      const terminal = start(80, ["status", ...config], more);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen.text).toContain("ready");
      expect(terminal.screen.text.includes(`${ESCAPE}[32mready`)).toBe(what === "colours");
      if (what !== "colours") expect(terminal.screen.text).not.toMatch(COLOUR);
      if (more.TERM === "dumb") expect(terminal.screen.text).not.toContain(ESCAPE);
    });

    it("ends at Ctrl+C while connecting, leaves no process and restores the terminal", async () => {
      const config = await writeConfiguration("servers.json", { silent: silentServer() });
      const terminal = start(80, ["status", ...config]);
      await terminal.screen.waitFor("silent: connecting, ");
      terminal.pressCtrlC();
      expect(await terminal.ended).toBe(130);
      expect(await terminal.isRestored()).toBe(true);
      expect(startedProcesses()).not.toEqual([]);
      expect(startedProcesses().filter(isRunning)).toEqual([]);
      expect(terminal.screen.text).toContain("(MCP_ABORTED)");
      // The progress line has been erased.
      expect(terminal.screen.text.lastIndexOf(`${ESCAPE}[1A${ESCAPE}[J`)).toBeGreaterThan(
        terminal.screen.text.lastIndexOf("connecting"),
      );
    });

    it("ends at Ctrl+C during a tool call", async () => {
      const server = stdioFaultServer({ silentOn: ["tools/call"], recordTo: record });
      const config = await writeConfiguration("servers.json", { silent: server });
      const terminal = start(80, ["call", "structured", ...config]);
      await terminal.screen.waitFor("structured: calling, ");
      terminal.pressCtrlC();
      expect(await terminal.ended).toBe(130);
      expect(await terminal.isRestored()).toBe(true);
      expect(startedProcesses().filter(isRunning)).toEqual([]);
    });

    it("shows no progress on a dumb terminal", async () => {
      const config = await writeConfiguration("servers.json", {
        slow: stdioFaultServer({ answerLateMs: { initialize: 1_500 } }),
      });
      const terminal = start(80, ["status", ...config], { TERM: "dumb" });
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen.text).not.toContain("connecting");
      expect(terminal.screen.text).not.toContain(ESCAPE);
    });

    it("approves a server with a key, and ends at Ctrl+C", async () => {
      await mkdir(join(folder, ".git"));
      await writeConfiguration(".mcp.json", { first: stdioFaultServer(), second: silentServer() });
      const terminal = start(80, ["approve"]);
      await terminal.screen.waitFor('server   "first"');
      await terminal.screen.waitFor("Details: the entry as data");
      terminal.press("y");
      await terminal.screen.waitFor('server   "second"');
      await terminal.screen.waitFor("Details: the entry as data");
      terminal.pressCtrlC();
      expect(await terminal.ended).toBe(130);
      expect(await terminal.isRestored()).toBe(true);
      expect(startedProcesses()).toEqual([]);
      const left = start(140, ["approve"], { TERM: "dumb" });
      await left.screen.waitFor('server   "second"');
      await left.screen.waitFor("[y/N] ");
      left.enter("n");
      expect(await left.ended).toBe(1);
      expect(left.screen.text).not.toContain('server   "first"');
    });
  },
);

describe("jackfield in a pipe", { timeout: LONG_MS }, () => {
  it.each([
    ["truncates and colours nothing", {}, false],
    ["has colours with FORCE_COLOR", { FORCE_COLOR: "1" }, true],
  ])("%s", async (_what, more, isColoured) => {
    const config = await writeConfiguration("a-configuration-with-a-long-name.json", wideServers());
    const argv = [JACKFIELD, "config", "list", ...config];
    const env = { PATH: process.env.PATH, TERM: "xterm", ...environment(more) };
    const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(printed).toContain(join(folder, "a-configuration-with-a-long-name.json:1"));
    expect(printed).not.toContain("…");
    expect(printed.includes(ESCAPE)).toBe(isColoured);
  });
});
