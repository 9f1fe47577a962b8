import { describe, expect, test } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { expectGone, killAtEnd } from "../processes.ts";
import { received, type Script, scriptedServer } from "../scripted-server.ts";

const CALL = { name: "echo", arguments: { text: "a" } };
const NO_DEADLINE = { timeoutMs: 0, maxTotalMs: 0 };

/** Stops itself, as a debugger or a terminal would stop it, when it receives the method. */
const stoppingAt = (method: string): Script => {
  const source = `(message, { process }) => {
    if (message.method === ${JSON.stringify(method)} && !process.env.STOPPED) {
      process.env.STOPPED = "once";
      process.kill(process.pid, "SIGSTOP");
    }
    return false;
  }`;
  return Object.assign(() => false, { toString: () => source }) as Script;
};

// Ending a stopped process takes seconds.
describe.runIf(process.platform !== "win32").concurrent("a server stopped by SIGSTOP", () => {
  test("times out its call, and answers the next one after SIGCONT", async () => {
    const server = scriptedServer(stoppingAt("tools/call"));
    const session = await connect(server);
    const error = await failureOf(session.request("tools/call", CALL, { timeoutMs: 150, maxTotalMs: 0 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown", tool: "echo" });
    const [pid] = server.starts() as [number];
    const waiting = session.request("tools/call", { name: "echo", arguments: { text: "b" } }, NO_DEADLINE);
    process.kill(pid, "SIGCONT");
    expect(await waiting).toEqual({ content: [{ type: "text", text: '{"text":"b"}' }] });
  });

  test("is ended by close(), and its pending call fails with an unknown outcome", async () => {
    const server = scriptedServer(stoppingAt("tools/call"));
    const session = await connect(server);
    const failing = failureOf(session.request("tools/call", CALL, NO_DEADLINE));
    const [pid] = server.starts() as [number];
    killAtEnd(pid);
    await received(server, "tools/call");
    await session.close();
    expect(await failing).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown" });
    expectGone([pid]);
  });

  test("during the handshake is ended when the connect is aborted", async () => {
    const server = scriptedServer(stoppingAt("initialize"), { limits: { connectTimeoutMs: 0 } });
    const controller = new AbortController();
    const failing = failToConnect(server, { signal: controller.signal });
    await received(server, "initialize");
    controller.abort();
    expect((await failing).code).toBe("MCP_ABORTED");
    expectGone(server.starts());
  });
});
