import type { McpError, ResolvedStdioServer, ServerLimits } from "@jackfield/mcp-core";
import type { FaultRecord, FaultScript } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { expectGone, isRunning } from "../processes.ts";
import { prepareFaultServer } from "./fault-server.ts";

const never = { signal: new AbortController().signal };
const HANDSHAKE = ["server/discover", "initialize"];
const CALL = { name: "echo", arguments: { text: "héllo 😀\u2028" } };
const ANSWER = [{ type: "text", text: JSON.stringify(CALL.arguments) }];

interface Prepared {
  readonly server: ResolvedStdioServer;
  /** The ids of every process that was started for it, grandchildren included. */
  pids(): readonly number[];
}

function prepare(script: FaultScript, limits: ServerLimits = {}): Prepared {
  const { server, records, dispose } = prepareFaultServer(script);
  atEnd(dispose);
  return { server: { ...server, limits }, pids: () => records().flatMap(pidsOf) };
}

function pidsOf(record: FaultRecord): readonly number[] {
  return record.event === "started" ? [record.pid, record.grandchild ?? record.pid] : [];
}

describe.concurrent("a stdio server is understood despite", () => {
  const untidy: Readonly<Record<string, FaultScript>> = {
    "CR LF line ends": { crlf: true },
    "characters that are split at every byte": { chunkBytes: 1 },
    "lines that are not JSON-RPC around each answer": {
      junk: {
        before: ["> starting", "", "{}", "[]", "null", '{"jsonrpc":"1.0"}'],
        after: ["{ half", "\u0000\ufeff"],
      },
    },
    "answers that are sent twice": { duplicateAnswers: true },
    "ids that are returned as strings": { stringIds: true },
    "answers to unknown requests": { strayAnswers: true },
    "lines of a megabyte": { answerBytes: { "tools/list": 1_000_000, "tools/call": 1_000_000 } },
    "megabytes on stderr before an answer": { floodStderrBytes: 8_000_000 },
    "all of it together": {
      crlf: true,
      chunkBytes: 7,
      junk: { before: ["Loading …"] },
      duplicateAnswers: true,
      stringIds: true,
      strayAnswers: true,
      stderr: ["warning"],
    },
  };

  test.each(Object.entries(untidy))("%s", async (_, script) => {
    const session = await connect(prepare(script).server);
    expect((await session.list("tools", never)).items).toHaveLength(4);
    const calls = [1, 2].map(() => session.request("tools/call", CALL));
    for (const { content } of await Promise.all(calls)) expect(content).toEqual(ANSWER);
  });
});

describe.concurrent("a faulty stdio server", () => {
  test.each(["legacy", "modern"] as const)(
    "that exits after the handshake is lost with its exit code: %s",
    async (era) => {
      const { server, pids } = prepare({ era, exitOn: "handshake", exitCode: 3 });
      const session = await connect(server).catch((error: McpError) => error);
      // If our `notifications/initialized` still fitted into the pipe, the session is lost at once, with the reason.
      const cause =
        "handshake" in session ? await new Promise((resolve) => session.onClose(resolve)) : session;
      expect(cause).toMatchObject({
        code: cause === session ? "MCP_HANDSHAKE_FAILED" : "MCP_SERVER_EXITED",
        message: expect.stringContaining("code 3"),
      });
      expectGone(pids());
    },
  );

  test("that closes its stdout loses the session, and its process is ended", async () => {
    const { server, pids } = prepare({ closeStdoutOn: "call", ignoreStdinEnd: true });
    const session = await connect(server);
    const ended = new Promise((resolve) => session.onClose(resolve));
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST" });
    await session.close();
    expectGone(pids());
  });

  test("that sends a line over the limit fails the call with MCP_LIMIT_EXCEEDED as the cause", async () => {
    const script = { answerBytes: { "tools/call": 100_000 } };
    const session = await connect(prepare(script, { maxMessageBytes: 50_000 }).server);
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ outcome: "unknown", cause: { code: "MCP_LIMIT_EXCEEDED" } });
  });
});

// Each of these takes seconds by its nature.
describe.concurrent("a stubborn stdio server", () => {
  test("that stops reading delays neither a call's deadline nor close()", async () => {
    const { server, pids } = prepare({ stopReadingOn: "list" });
    const session = await connect(server);
    const listing = failureOf(session.list("tools", never));
    const text = "x".repeat(1_000_000);
    const call = session.request("tools/call", { name: "echo", arguments: { text } }, { timeoutMs: 100 });
    expect(await failureOf(call)).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    await session.close();
    expect(await listing).toMatchObject({ code: "MCP_CLOSED" });
    expectGone(pids());
  });

  test("[X20] that ignores the end of stdin and catchable signals is killed", async () => {
    const { server, pids } = prepare({ ignoreStdinEnd: true, ignoreSignals: true });
    await (await connect(server)).close();
    expectGone(pids());
  });

  test("is ended with a grandchild that ignores signals and holds the pipes", async () => {
    const { server, pids } = prepare({ grandchild: { ignoreSignals: true, holdsPipes: true } });
    await (await connect(server)).close();
    expect(pids()).toHaveLength(2);
    expectGone(pids());
  });

  test("is ended with a grandchild in a session of its own", async () => {
    const { server, pids } = prepare({ grandchild: { ignoreSignals: true, ownGroup: true } });
    atEnd(() => {
      for (const pid of pids().filter(isRunning)) process.kill(pid, "SIGKILL");
    });
    await (await connect(server)).close();
    expect(pids()).toHaveLength(2);
    expectGone(pids());
  });

  test("that never becomes ready is ended with its grandchild", async () => {
    const script = { silentOn: HANDSHAKE, grandchild: { ignoreSignals: true } };
    const { server, pids } = prepare(script, { connectTimeoutMs: 1500 });
    expect((await failToConnect(server)).code).toBe("MCP_CONNECT_TIMEOUT");
    expectGone(pids());
  });
});
