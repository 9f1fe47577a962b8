import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultScript, stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { type Mcp, openMcp } from "jackfield";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../src/chat-commands.ts";
import { openScreen } from "../src/screen.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTextSink } from "./fixtures/text-sink.ts";

useLeakCheck();

const LONG_MS = 60_000;
const RICH: FaultScript = {
  resources: [{ uri: "file:///notes.txt", name: "notes" }],
  prompts: [{ name: "review", description: "Reviews\u001b[2J a text" }],
};

let folder: string;
let file: string;
let runtime: Mcp;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-commands-"));
  file = join(folder, "servers.json");
  await configure({ plain: {}, rich: RICH });
  runtime = await openMcp({ configFiles: [file], discover: false, cache: false });
});

afterEach(async () => {
  await runtime.close();
  await rm(folder, { recursive: true });
});

async function configure(scripts: { readonly [name: string]: FaultScript }): Promise<void> {
  const servers = Object.entries(scripts).map(([name, script]) => [name, stdioFaultServer(script)]);
  await writeFile(file, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
}

/** What a command prints. */
async function say(line: string, signal = new AbortController().signal): Promise<string[]> {
  const sink = createTextSink();
  const screen = openScreen(sink);
  await runCommand(line, { runtime, screen, style: terminalStyle({}, {}), signal });
  return sink.text.trimEnd().split("\n");
}

describe("commands of the chat", { timeout: LONG_MS }, () => {
  it("show servers, tools, resources and prompts", async () => {
    expect(await say("/mcp")).toEqual([
      "server  status  since  tools   calls",
      expect.stringMatching(/^plain {3}ready {3}\d s {4}4 live {2}0$/),
      expect.stringMatching(/^rich {4}ready {3}\d s {4}4 live {2}0$/),
    ]);
    expect(await say("/tools")).toHaveLength(8);
    expect((await say("/tools plain"))[0]).toBe("mcp__plain__echo  live  Answers its arguments as text.");
    expect(await say("/tools plian")).toEqual(["No server is called plian; see /mcp."]);
    expect(await say("/resources")).toEqual(["rich  file:///notes.txt  notes"]);
    expect(await say("/prompts rich")).toEqual(["rich  review  Reviews[2J a text"]);
    expect(await say("/prompts plain")).toEqual(["There are none."]);
  });

  it("disable a server with its tools, and enable it again", async () => {
    expect(await say("/mcp disable plain")).toEqual(["plain is disabled"]);
    expect(await say("/tools plain")).toEqual(["There are none."]);
    await expect(runtime.callTool({ server: "plain", tool: "echo" })).rejects.toThrow();
    expect(await say("/mcp enable plain")).toEqual(["plain is connected and has 4 tools"]);
    expect(await say("/tools plain")).toHaveLength(4);
  });

  it("reconnect a server", async () => {
    const statuses: string[] = [];
    runtime.on("statusChanged", ({ snapshot }) => statuses.push(snapshot.status));
    expect(await say("/mcp reconnect rich")).toEqual(["rich is connected and has 4 tools"]);
    expect(statuses).toContain("connecting");
    expect(statuses.at(-1)).toBe("ready");
  });

  it("reload the configuration and print what has changed", async () => {
    await configure({ plain: {}, late: {} });
    expect(await say("/mcp reload")).toEqual(["servers: 1 added, 1 removed, 0 changed, 1 kept"]);
    expect(await say("/tools late")).toHaveLength(4);
  });

  it("change nothing if the configuration cannot be read", async () => {
    await writeFile(file, "{ half");
    const lines = await say("/mcp reload");
    expect(lines[0]).toContain("servers.json");
    expect(lines.at(-1)).toBe("Nothing was changed.");
    expect(await say("/tools")).toHaveLength(8);
  });

  it.each([
    ["/mcp reconnect", "Usage: /mcp reconnect NAME"],
    ["/mcp disable", "Usage: /mcp disable NAME"],
    ["/mcp dance", "Usage: /mcp, /mcp reconnect NAME, /mcp disable NAME, /mcp enable NAME, /mcp reload"],
    ["/tools a b", "No server is called a b; see /mcp."],
    ["/help me", "Usage: /help"],
    ["/mcpx", "There is no such command; see /help."],
  ])("%s prints the correct usage", async (line, answer) => {
    expect(await say(line)).toEqual([answer]);
  });

  it("reject with MCP_ABORTED when they are aborted", async () => {
    await expect(say("/mcp reconnect rich", AbortSignal.abort())).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
  });
});
