import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ResolvedStdioServer, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
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

const onLinux = test.runIf(process.platform === "linux");

describe.concurrent("[R08] a failed start has its own code, phase and advice for", () => {
  test("a command that does not exist", async () => {
    const error = await failToConnect(program("", { command: "no-such-command-anywhere" }));
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", phase: "spawn" });
    expect(error.message).toMatch(/was not found.*Install it, or give its full path/);
  });

  onLinux("a process that exits at once", async () => {
    const error = await failToConnect(program('console.error("no API key"); process.exit(2)'));
    expect(error).toMatchObject({ code: "MCP_SERVER_EXITED", phase: "spawn", stderr: "no API key\n" });
    expect(error.message).toBe(
      `Server "files" ended with code 2 before it read the first message. Its last error output: "no API key". ${RUN_IT}`,
    );
  });

  onLinux("a process that exits during the handshake", async () => {
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

describe.concurrent("[R08] the error tells whether a process that exited had read a message", () => {
  const exited = { code: "MCP_SERVER_EXITED", phase: "spawn" };
  const failed = { code: "MCP_HANDSHAKE_FAILED", phase: "handshake" };
  onLinux.each([
    ["exit before anything was written", "exit 3", exited, 1],
    ["exit with a message unread", "sleep 0.05; exit 3", exited, 1],
    ["exit after closing its input", "exec <&-; sleep 0.05; exit 3", exited, 1],
    ["death by a signal with a message unread", "sleep 0.05; kill -9 $$", exited, 1],
    ["exit behind a wrapper", '(sleep 0.05; exit 3); exit "$?"', exited, 1],
    ["exit after reading a message", "read -r line; exit 3", failed, 2],
    ["exit after reading a message, behind a wrapper", '(read -r line; exit 3); exit "$?"', failed, 2],
  ])("%s", async (_, line, expected, starts) => {
    // All at once, because the system reports on several processes in no fixed order.
    const connect = createConnector();
    const options = { signal: new AbortController().signal, log: silentLogger };
    const runs = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { server, starts } = shellLine(line);
        return { error: await failureOf(connect(server, options)), started: starts() };
      }),
    );
    for (const { error, started } of runs) {
      expect(error).toMatchObject(expected);
      expect(error.message).toMatch(/ended (?:with code 3|on signal SIGKILL) (?:before|in the middle)/);
      expect(started).toBe(starts);
    }
  });

  onLinux("except while another process holds its pipes", async () => {
    const { server } = shellLine("read -r line; sleep 600 & exit 3");
    const error = await failToConnect(server, { prior: LEGACY_PRIOR });
    expect(error).toMatchObject({ code: "MCP_SERVER_EXITED", phase: "handshake" });
    expect(error.message).toContain("ended with code 3 before it was connected.");
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
  onLinux("[R19] once if it exits before reading a message, whatever its exit code", async () => {
    for (const code of [0, 1]) {
      const server = scriptedServer((_, { process }) => process.exit(Number(process.env.CODE)), {
        env: { CODE: String(code) },
      });
      expect((await failToConnect(server)).message).toContain(
        `ended with code ${code} before it read the first message`,
      );
      expect(server.starts()).toHaveLength(1);
    }
  });

  onLinux("[R19] once behind a wrapper too", async () => {
    const server = scriptedServer((_, { process }) => process.exit(4));
    const [node, ...args] = [server.command, ...server.args];
    const wrapped = { ...server, command: "/bin/sh", args: ["-c", '"$@"; exit $?', "sh", node, ...args] };
    expect((await failToConnect(wrapped)).code).toBe("MCP_SERVER_EXITED");
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
