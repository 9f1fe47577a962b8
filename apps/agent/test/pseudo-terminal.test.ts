import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFaultRecord, stdioFaultServer } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  isRunning,
  noPseudoTerminal,
  type PseudoTerminal,
  startInTerminal,
} from "./fixtures/pseudo-terminal.ts";

const LONG_MS = 60_000;
/** As it is drawn, so that no output of a server is mistaken for it. */
const PROMPT = "\u001b[0J> ";
const READY = "Ctrl+C stops an answer, or quits.";

let folder: string;
let record: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-terminal-"));
  record = join(folder, "record");
});

afterEach(() => rm(folder, { recursive: true }));

function start(
  columns: number,
  argv: readonly string[] = [],
  more: { readonly [name: string]: string } = {},
) {
  const environment = { TMPDIR: folder, JACKFIELD_HOME: join(folder, "home"), HOME: folder, ...more };
  return startInTerminal({ columns, argv, cwd: folder, environment });
}

/** A configuration with one server that keeps a record of what happens to it. */
async function writeConfiguration(file: string, script: Parameters<typeof stdioFaultServer>[0] = {}) {
  const flaky = stdioFaultServer({ ...script, recordTo: record });
  await writeFile(join(folder, file), JSON.stringify({ mcpServers: { flaky } }));
}

function startedProcesses(): number[] {
  return readFaultRecord(record).flatMap((line) => (line.event === "started" ? [line.pid] : []));
}

function killServer(): void {
  const pid = startedProcesses().at(-1);
  if (pid === undefined) throw new Error("The server was not started.");
  process.kill(pid, "SIGKILL");
}

async function leave(terminal: PseudoTerminal): Promise<void> {
  terminal.enter("/quit");
  expect(await terminal.ended).toBe(0);
}

/** Part of the title, so that the results show what was skipped and why. */
const skipped = noPseudoTerminal === undefined ? "" : ` (not tried: ${noPseudoTerminal})`;

describe.skipIf(noPseudoTerminal !== undefined)(
  `the agent in a pseudo-terminal${skipped}`,
  { timeout: LONG_MS },
  () => {
    it.each([80, 140])("keeps its lines within %i columns", async (columns) => {
      const terminal = start(columns, [], { NO_COLOR: "1" });
      await terminal.screen.waitFor(READY);
      for (const command of ["/mcp", "/tools", "/resources everything", "/prompts", "/help"]) {
        terminal.enter(command);
        await terminal.screen.waitFor(PROMPT);
      }
      terminal.enter('Echo the message "hi"');
      await terminal.screen.waitFor("Echo: hi");
      await leave(terminal);
      const lines = terminal.lines();
      const own = lines.filter((line) => !line.startsWith("(This is offline-stand-in"));
      expect(own.filter((line) => line.length > columns)).toEqual([]);
      expect(terminal.screen.text).not.toContain("\u001b[2m");
      expect(terminal.screen.text).not.toContain("\u001b[32m");
      expect(lines).toContainEqual(
        expect.stringMatching(/^everything-http {2}ready {2,}\d+ s {2,}12 live {2,}0$/),
      );
      expect(lines).toContainEqual('  → mcp__everything__echo {"message":"hi"}');
      expect(lines).toContainEqual(expect.stringMatching(/^ {2}✓ mcp__everything__echo \d+ ms$/));
      const [tool = ""] = lines.filter((line) => line.startsWith("mcp__filesystem__edit_file"));
      expect(tool).toHaveLength(columns);
    });

    // Without them where they are turned off: `server-table.test.ts`, and above.
    it("shows colours, and restores the terminal", async () => {
      const terminal = start(80);
      await terminal.screen.waitFor(READY);
      await leave(terminal);
      expect(terminal.screen.text).toContain("\u001b[32mready");
      expect(await terminal.isRestored()).toBe(true);
    });

    it("ends at Ctrl+C while starting, leaves no process and restores the terminal", async () => {
      await writeConfiguration("more.json", { silentOn: ["server/discover", "initialize"] });
      const terminal = start(80, ["--config", "more.json"]);
      await vi.waitFor(() => expect(startedProcesses()).not.toEqual([]), { timeout: LONG_MS });
      terminal.pressCtrlC();
      expect(await terminal.ended).toBe(130);
      expect(await terminal.isRestored()).toBe(true);
      expect(startedProcesses().filter(isRunning)).toEqual([]);
    });

    it("cancels the call in flight at Ctrl+C, and continues", async () => {
      await writeConfiguration("more.json", { silentOn: ["tools/call"] });
      const terminal = start(80, ["--config", "more.json"]);
      await terminal.screen.waitFor(READY);
      terminal.enter("Use the structured tool of flaky");
      await terminal.screen.waitFor("[a]lways: ");
      terminal.enter("y");
      await terminal.screen.waitFor("→ mcp__flaky__structured {}");
      terminal.pressCtrlC();
      await terminal.screen.waitFor("(stopped)");
      const methods = () =>
        readFaultRecord(record).flatMap((line) => (line.event === "received" ? [line.method] : []));
      terminal.enter('Echo the message "still here" with everything');
      await terminal.screen.waitFor("Echo: still here");
      await vi.waitFor(() => expect(methods()).toContain("notifications/cancelled"), { timeout: LONG_MS });
      terminal.pressCtrlC();
      expect(await terminal.ended).toBe(0);
    });

    it("reports a killed server and its return during the conversation", async () => {
      await writeConfiguration("more.json");
      const terminal = start(80, ["--config", "more.json"]);
      await terminal.screen.waitFor(READY);
      killServer();
      await terminal.screen.waitFor("flaky is disconnected (MCP_SERVER_EXITED");
      terminal.enter("/mcp");
      await terminal.screen.waitFor("flaky is back");
      terminal.enter("Use the structured tool of flaky");
      await terminal.screen.waitFor("[a]lways: ");
      terminal.enter("y");
      await terminal.screen.waitFor("✓ mcp__flaky__structured");
      await leave(terminal);
    });

    it("asks with --discover about the project's server, and then uses it", async () => {
      await writeConfiguration(".mcp.json");
      const terminal = start(140, ["--discover"]);
      await terminal.screen.waitFor('server   "flaky"');
      await terminal.screen.waitFor('May "flaky" run this command? [y/N] ');
      terminal.enter("y");
      await terminal.screen.waitFor("tools of flaky: 4 new");
      terminal.enter("Use the structured tool of flaky");
      await terminal.screen.waitFor("[a]lways: ");
      terminal.enter("y");
      await terminal.screen.waitFor("✓ mcp__flaky__structured");
      await leave(terminal);
      expect(terminal.screen.text).not.toContain("everything");
    });

    it("does not start a server that was refused with --discover", async () => {
      await writeConfiguration(".mcp.json");
      const terminal = start(80, ["--discover"]);
      await terminal.screen.waitFor('May "flaky" run this command? [y/N] ');
      terminal.enter("n");
      await terminal.screen.waitFor(PROMPT);
      terminal.enter("/mcp");
      await terminal.screen.waitFor("MCP_APPROVAL_REQUIRED");
      await leave(terminal);
      expect(readFaultRecord(record)).toEqual([]);
    });
  },
);
