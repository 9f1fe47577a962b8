import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResolvedStdioServer } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connect, failToConnect } from "../connecting.ts";
import { expectGone } from "../processes.ts";
import { scriptedServer } from "../scripted-server.ts";
import { LEGACY_PRIOR } from "../shell-server.ts";

const RUN_IT = "Run its command in a terminal to see why.";

/** A server that runs a few lines of its own and never reads. */
function program(source: string, overrides: Partial<ResolvedStdioServer> = {}): ResolvedStdioServer {
  const args = ["-e", source];
  return {
    transport: "stdio",
    name: "files",
    command: process.execPath,
    args,
    env: {},
    secrets: [],
    ...overrides,
  };
}

describe.concurrent("[R08] a failed start has its own code, phase and advice for", () => {
  test("a command that does not exist", async () => {
    const error = await failToConnect(program("", { command: "no-such-command-anywhere" }));
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", phase: "spawn" });
    expect(error.message).toMatch(/was not found.*Install it, or give its full path/);
  });

  test("a process that exits at once", async () => {
    const error = await failToConnect(program('console.error("no API key"); process.exit(2)'));
    expect(error).toMatchObject({ code: "MCP_SERVER_EXITED", phase: "spawn", stderr: "no API key\n" });
    expect(error.message).toBe(
      `Server "files" ended with code 2 before it answered anything. Its last error output: "no API key". ${RUN_IT}`,
    );
  });

  test("a process that exits during the handshake", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "initialize") return undefined;
      process.stderr.write("licence expired\n");
      process.exit(3);
    });
    const error = await failToConnect(server);
    expect(error).toMatchObject({
      code: "MCP_HANDSHAKE_FAILED",
      phase: "handshake",
      stderr: "licence expired\n",
    });
    expect(error.message).toBe(
      `Server "scripted" ended with code 3 in the middle of the handshake. Its last error output: "licence expired". ` +
        "Check that its entry names an MCP server, and its arguments and variables; run its command in a terminal to see more.",
    );
    expectGone(server.starts());
  });

  test("a process that never answers", async () => {
    const limits = { connectTimeoutMs: 500 };
    const error = await failToConnect(program("setInterval(() => {}, 1000)", { limits }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", phase: "handshake" });
    expect(error.message).toContain("Raise connectTimeoutMs if it is merely slow, or run its command");
  });

  test("a process that closes its standard output", async () => {
    const source = 'console.error("daemon"); require("fs").closeSync(1); setInterval(() => {}, 1000)';
    const error = await failToConnect(program(source));
    expect(error).toMatchObject({ code: "MCP_HANDSHAKE_FAILED", phase: "handshake", stderr: "daemon\n" });
    expect(error.message).toContain(
      `closed its standard streams before it was ready. Its last error output: "daemon". ${RUN_IT}`,
    );
  });
});

/** A shell line as a server that leaves a mark for each start, and how often it was started. */
function shellLine(line: string) {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-start-"));
  atEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "starts");
  const args = ["-c", `echo >> ${file}; ${line}`];
  const server = program("", { command: "/bin/sh", args, env: { PATH: "/usr/bin:/bin" } });
  return { server, starts: () => readFileSync(file, "utf8").length };
}

describe.concurrent("[R08] the error tells whether a process that exited had answered, and how often it was started", () => {
  const exited = { code: "MCP_SERVER_EXITED", phase: "spawn" };
  const failed = { code: "MCP_HANDSHAKE_FAILED", phase: "handshake" };
  const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}';
  test.each([
    ["exit before anything was written", "exit 3", exited, 2],
    ["exit after closing its input", "exec <&-; sleep 0.05; exit 3", exited, 2],
    ["death by a signal with a message unread", "sleep 0.05; kill -9 $$", exited, 2],
    ["exit behind a wrapper", '(sleep 0.05; exit 3); exit "$?"', exited, 2],
    ["exit after reading a message", "read -r line; exit 3", exited, 2],
    ["exit after a greeting", "echo hello; exit 3", exited, 2],
    ["exit after an answer", `read -r line; echo '${refusal}'; exit 3`, failed, 1],
  ])("%s", async (_, line, expected, starts) => {
    const { server, starts: started } = shellLine(line);
    const error = await failToConnect(server);
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(/ended (?:with code 3|on signal SIGKILL) (?:before|in the middle)/);
    expect(started()).toBe(starts);
  });

  test("also while another process holds its pipes", async () => {
    const { server, starts } = shellLine("read -r line; sleep 600 & exit 3");
    const error = await failToConnect(server, { prior: LEGACY_PRIOR });
    expect(error).toMatchObject(exited);
    expect(error.message).toContain("ended with code 3 before it answered anything.");
    expect(starts()).toBe(1);
  });
});

describe.concurrent("the error quotes the reason from stderr, not what follows it", () => {
  test.each([
    ["an error thrown in Node.js", 'throw new Error("token [x] is invalid")', "Error: token [x] is invalid"],
    ["a missing module", 'require("no-such-module")', "Error: Cannot find module 'no-such-module'"],
    ["a log line before blank lines", 'console.error("bye\\n\\n"); process.exit(1)', "bye"],
    [
      "a reason before a hint",
      'console.error("fatal: no repository\\nsee --help"); process.exit(1)',
      "fatal: no repository",
    ],
  ])("%s", async (_, source, words) => {
    expect((await failToConnect(program(source))).message).toContain(`Its last error output: "${words}".`);
  });
});

describe.concurrent("a server is started", () => {
  test("[R19] once if its era is known and it exits", async () => {
    const server = scriptedServer((_, { process }) => process.exit(4));
    expect((await failToConnect(server, { prior: LEGACY_PRIOR })).code).toBe("MCP_SERVER_EXITED");
    expect(server.starts()).toHaveLength(1);
  });

  test("[R09] twice if server/discover kills it, the second time as a legacy server", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method === "server/discover") process.exit(1);
      return undefined;
    });
    expect((await connect(server)).handshake.era).toBe("legacy");
    expect(server.starts()).toHaveLength(2);
  });

  test("once even if it writes to its own input", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method === "started") process.getBuiltinModule("node:fs").writeSync(0, "> ");
      return undefined;
    });
    const session = await connect(server);
    expect(await session.request("ping", undefined)).toEqual({});
    expect(server.starts()).toHaveLength(1);
  });
});
