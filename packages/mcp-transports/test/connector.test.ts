import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResolvedServer, ResolvedStdioServer } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { atEnd } from "./cleanup.ts";
import { connect, failToConnect } from "./connecting.ts";
import { expectGone } from "./processes.ts";
import { scriptedServer } from "./scripted-server.ts";

const SHORT = { connectTimeoutMs: 400 };

function command(name: string, overrides: Partial<ResolvedStdioServer> = {}): ResolvedStdioServer {
  return { transport: "stdio", name: "files", command: name, args: [], env: {}, secrets: [], ...overrides };
}

describe.concurrent("a server that cannot be started", () => {
  test("[H1] a command that does not exist rejects the connection", async () => {
    const error = await failToConnect(command("no-such-command-anywhere"));
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", server: "files", phase: "spawn" });
    expect(error.message).toMatch(/"files".*"no-such-command-anywhere" was not found\. Install it/);
  });

  test("a file that may not be executed is told apart from one that does not exist", async () => {
    const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
    atEnd(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "server.sh");
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o644);
    const error = await failToConnect(command(file));
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(error.message).toMatch(/permission to run ".*" was denied/);
  });

  test("a working directory that does not exist is told apart from a missing command", async () => {
    const error = await failToConnect(command(process.execPath, { cwd: "/no/such/folder" }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "spawn" });
    expect(error.message).toMatch(/working directory \/no\/such\/folder does not exist/);
  });

  test("an argument that no process can be given rejects the connection", async () => {
    const error = await failToConnect(command(process.execPath, { args: ["a\0b"] }));
    expect(error.code).toBe("MCP_CONNECT_FAILED");
  });

  test("a transport this connector does not open is refused, naming those it does", async () => {
    const server = { transport: "websocket", name: "odd", secrets: [] } as unknown as ResolvedServer;
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_TRANSPORT_UNSUPPORTED", server: "odd" });
    expect(error.message).toContain("stdio, http, sse and in-process");
  });
});

describe.concurrent("a server that starts and does not become ready", () => {
  test("[H4] one that exits at once fails fast, with its exit code and its last words", async () => {
    const server = scriptedServer(
      (_, { process }) => {
        process.stderr.write("starting\nFATAL: token s3cr3t-token is invalid\n");
        process.exit(7);
      },
      { secrets: ["s3cr3t-token"], limits: { connectTimeoutMs: 0 } },
    );
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_SERVER_EXITED", server: "scripted" });
    expect(error.message).toMatch(/ended with code 7 .*FATAL: token \[redacted\] is invalid/);
    expect(error.stderr).toBe("starting\nFATAL: token [redacted] is invalid\n");
    expectGone(server.starts());
  });

  test("one that is killed is reported with the signal", async () => {
    const server = scriptedServer((_, { process }) => process.kill(process.pid, "SIGKILL"));
    expect((await failToConnect(server)).message).toContain("ended on signal SIGKILL");
  });

  test("[C6] one that never answers is given up after its connect deadline, and its process ended", async () => {
    const server = scriptedServer(() => true, { limits: SHORT });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: "scripted" });
    expect(error.message).toBe(
      'Server "scripted" was not ready within 400 ms. Raise connectTimeoutMs if it is merely slow, or run its command in a terminal to see why.',
    );
    expectGone(server.starts());
  });

  test("[X20] one that ignores the end of its input and SIGTERM is ended too", async () => {
    const server = scriptedServer(
      (message, { process }) => {
        if (message.method === "started") {
          process.on("SIGTERM", () => {});
          setInterval(() => {}, 1000);
        }
        return true;
      },
      { limits: SHORT },
    );
    expect((await failToConnect(server)).code).toBe("MCP_CONNECT_TIMEOUT");
    expectGone(server.starts());
  });

  test("one that prints something else is given up with what it printed", async () => {
    const server = scriptedServer(
      (message, { process }) => {
        if (message.method === "started") process.stdout.write("Listening with key-123456\n> ready\n");
        return true;
      },
      // Long enough for the process to have started and printed, on a busy machine too.
      { limits: { connectTimeoutMs: 2_500 }, secrets: ["key-123456"] },
    );
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
    expect(error.message).toMatch(
      /printed 2 lines that are not JSON-RPC.*first: "Listening with \[redacted\]"\. .*standard error\.$/,
    );
    expectGone(server.starts());
  });

  test("[X15] a stray line on standard output does not stop a server that answers", async () => {
    const server = scriptedServer((message, { process }) => {
      process.stdout.write(`log: ${message.method}\n`);
      return undefined;
    });
    expect((await connect(server)).handshake.era).toBe("legacy");
  });

  test("one whose message is larger than allowed is disconnected", async () => {
    const server = scriptedServer(
      (message, { answer }) => {
        if (message.method !== "initialize") return undefined;
        answer({ instructions: "x".repeat(20_000) });
        return true;
      },
      { limits: { maxMessageBytes: 10_000 } },
    );
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_LIMIT_EXCEEDED");
    expect(error.message).toContain("more than 10000 bytes");
    expectGone(server.starts());
  });

  test("one that closes its standard output is disconnected", async () => {
    const server = scriptedServer((_, { process }) => {
      process.stdout.end();
      setInterval(() => {}, 1000);
      return true;
    });
    expect((await failToConnect(server)).code).toBe("MCP_HANDSHAKE_FAILED");
    expectGone(server.starts());
  });

  test("[C7] one that refuses to initialize is reported with its reason", async () => {
    const server = scriptedServer((message, { refuse }) => {
      if (message.method !== "initialize") return undefined;
      refuse(-32603, "licence expired");
      return true;
    });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", rpcCode: -32603 });
    expect(error.message).toContain("licence expired");
    expectGone(server.starts());
  });

  test("[H16] one of an unknown protocol version is not taken for a working one", async () => {
    const server = scriptedServer(undefined, { protocolVersion: "1999-01-01" });
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_PROTOCOL_UNSUPPORTED");
    expect(error.message).toContain("1999-01-01");
    expectGone(server.starts());
  });

  test("one whose handshake makes no sense has violated the protocol", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "initialize") return undefined;
      answer({ capabilities: "all of them" });
      return true;
    });
    expect((await failToConnect(server)).code).toBe("MCP_PROTOCOL_VIOLATED");
  });

  test("[X1] one that dies between its answer and our confirmation is not connected", async () => {
    const server = scriptedServer((message, { answer, process }) => {
      if (message.method !== "initialize") return undefined;
      answer({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } });
      process.exit(3);
    });
    const session = await connect(server).catch((error) => error);
    // The confirmation may still fit into the pipe: then the session is lost at once, and says why.
    const cause = "handshake" in session ? await new Promise((resolve) => session.onClose(resolve)) : session;
    expect(cause).toMatchObject({
      code: cause === session ? "MCP_HANDSHAKE_FAILED" : "MCP_SERVER_EXITED",
      message: expect.stringContaining("code 3"),
    });
    expectGone(server.starts());
  });
});

describe.concurrent("giving an opening up", () => {
  test("a signal that fired already starts nothing", async () => {
    const server = scriptedServer();
    const error = await failToConnect(server, { signal: AbortSignal.abort() });
    expect(error.code).toBe("MCP_ABORTED");
    expect(server.starts()).toEqual([]);
  });

  test("a signal that fires meanwhile rejects once everything is gone", async () => {
    const controller = new AbortController();
    const port = await listenForCall(() => controller.abort());
    const server = scriptedServer(
      (message) => {
        if (message.method === "server/discover")
          process.getBuiltinModule("node:net").connect(Number(process.env.CALL_PORT), "127.0.0.1");
        return true;
      },
      { env: { CALL_PORT: String(port) } },
    );
    const error = await failToConnect(server, { signal: controller.signal });
    expect(error).toMatchObject({ code: "MCP_ABORTED", server: "scripted" });
    expectGone(server.starts());
  });
});

test("a child gets exactly the environment it is given", async () => {
  const server = scriptedServer(undefined, { env: { ONLY: "this" } });
  await connect(server);
  expect(server.environment()).toEqual(["ONLY"]);
});

/** A socket that a server can ring, so that a test acts at a known moment of the server's life. */
async function listenForCall(onCall: () => void): Promise<number> {
  const bell = createServer((socket) => {
    socket.on("error", () => {});
    onCall();
  }).listen(0, "127.0.0.1");
  atEnd(() => void bell.close());
  await once(bell, "listening");
  return (bell.address() as { port: number }).port;
}
