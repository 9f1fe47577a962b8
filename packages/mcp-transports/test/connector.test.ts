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

/** Long enough for the process to have started on a busy machine too: what it leaves behind is looked for. */
const PATIENCE = { connectTimeoutMs: 3_000 };

function command(name: string, overrides: Partial<ResolvedStdioServer> = {}): ResolvedStdioServer {
  return { transport: "stdio", name: "files", command: name, args: [], env: {}, secrets: [], ...overrides };
}

describe.concurrent("connecting to a server that cannot be started", () => {
  test("[H1] fails with MCP_COMMAND_NOT_FOUND if the command does not exist", async () => {
    const error = await failToConnect(command("no-such-command-anywhere"));
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", server: "files", phase: "spawn" });
    expect(error.message).toMatch(/"files".*"no-such-command-anywhere" was not found\. Install it/);
  });

  test("reports a denied permission if the file is not executable", async () => {
    const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
    atEnd(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "server.sh");
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o644);
    const error = await failToConnect(command(file));
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(error.message).toMatch(/permission to run ".*" was denied/);
  });

  test("fails with MCP_CONFIG_INVALID if the working directory does not exist", async () => {
    const error = await failToConnect(command(process.execPath, { cwd: "/no/such/folder" }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "spawn" });
    expect(error.message).toMatch(/working directory \/no\/such\/folder does not exist/);
  });

  test("fails if an argument contains a null character", async () => {
    const error = await failToConnect(command(process.execPath, { args: ["a\0b"] }));
    expect(error.code).toBe("MCP_CONNECT_FAILED");
  });

  test("fails for an unknown transport and names the supported ones", async () => {
    const server = { transport: "websocket", name: "odd", secrets: [] } as unknown as ResolvedServer;
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_TRANSPORT_UNSUPPORTED", server: "odd" });
    expect(error.message).toContain("stdio, http, sse and in-process");
  });
});

describe.concurrent("connecting to a server that starts but does not become ready", () => {
  test("[H4] fails with exit code and stderr if it exits at once", async () => {
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

  test("fails with the signal if it is killed", async () => {
    const server = scriptedServer((_, { process }) => process.kill(process.pid, "SIGKILL"));
    expect((await failToConnect(server)).message).toContain("ended on signal SIGKILL");
  });

  test("[C6] fails at the connect deadline and ends its process if it never answers", async () => {
    const server = scriptedServer(() => true, { limits: PATIENCE });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: "scripted" });
    expect(error.message).toBe(
      'Server "scripted" was not ready within 3000 ms. Raise connectTimeoutMs if it is merely slow, or run its command in a terminal to see why.',
    );
    expectGone(server.starts());
  });

  test("names what a download may need and the process does not get, at the connect deadline", async () => {
    const withheld = ["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"];
    const server = scriptedServer(() => true, { limits: { connectTimeoutMs: 300 } });
    expect((await failToConnect({ ...server, withheld })).message).toContain(
      'does not get HTTPS_PROXY, NODE_EXTRA_CA_CERTS, which a download may need: list them in "inheritEnv" or in "env" of its entry. Raise',
    );
  });

  test("[X20] ends its process even if it ignores the end of its input and SIGTERM", async () => {
    const server = scriptedServer(
      (message, { process }) => {
        if (message.method === "started") {
          process.on("SIGTERM", () => {});
          setInterval(() => {}, 1000);
        }
        return true;
      },
      { limits: PATIENCE },
    );
    expect((await failToConnect(server)).code).toBe("MCP_CONNECT_TIMEOUT");
    expectGone(server.starts());
  });

  test("fails with the printed line if it prints something other than JSON-RPC", async () => {
    const server = scriptedServer(
      (message, { process }) => {
        if (message.method === "started") process.stdout.write("Listening with key-123456\n> ready\n");
        return true;
      },
      { limits: PATIENCE, secrets: ["key-123456"] },
    );
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
    expect(error.message).toMatch(
      /printed 2 lines that are not JSON-RPC.*first: "Listening with \[redacted\]"\. .*standard error\.$/,
    );
    expectGone(server.starts());
  });

  test("[X15] succeeds if it answers among stray lines on its standard output", async () => {
    const server = scriptedServer((message, { process }) => {
      process.stdout.write(`log: ${message.method}\n`);
      return undefined;
    });
    expect((await connect(server)).handshake.era).toBe("legacy");
  });

  test("fails with MCP_LIMIT_EXCEEDED if its message is too large", async () => {
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

  test("fails and ends its process if it closes its standard output", async () => {
    const server = scriptedServer((_, { process }) => {
      process.stdout.end();
      setInterval(() => {}, 1000);
      return true;
    });
    expect((await failToConnect(server)).code).toBe("MCP_HANDSHAKE_FAILED");
    expectGone(server.starts());
  });

  test("[C7] fails with the server's reason if it refuses initialize", async () => {
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

  test("[H16] fails with MCP_PROTOCOL_UNSUPPORTED if its protocol version is unknown", async () => {
    const server = scriptedServer(undefined, { protocolVersion: "1999-01-01" });
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_PROTOCOL_UNSUPPORTED");
    expect(error.message).toContain("1999-01-01");
    expectGone(server.starts());
  });

  test("fails with MCP_PROTOCOL_VIOLATED if its initialize result is invalid", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "initialize") return undefined;
      answer({ capabilities: "all of them" });
      return true;
    });
    expect((await failToConnect(server)).code).toBe("MCP_PROTOCOL_VIOLATED");
  });

  test("[X1] fails or loses the session if it dies before notifications/initialized", async () => {
    const server = scriptedServer((message, { answer, process }) => {
      if (message.method !== "initialize") return undefined;
      answer({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } });
      process.exit(3);
    });
    const session = await connect(server).catch((error) => error);
    // The notification may still fit into the pipe: then the session is lost at once, and says why.
    const cause = "handshake" in session ? await new Promise((resolve) => session.onClose(resolve)) : session;
    expect(cause).toMatchObject({
      code: cause === session ? "MCP_HANDSHAKE_FAILED" : "MCP_SERVER_EXITED",
      message: expect.stringContaining("code 3"),
    });
    expectGone(server.starts());
  });
});

describe.concurrent("aborting a connect", () => {
  test("before it begins starts no process", async () => {
    const server = scriptedServer();
    const error = await failToConnect(server, { signal: AbortSignal.abort() });
    expect(error.code).toBe("MCP_ABORTED");
    expect(server.starts()).toEqual([]);
  });

  test("during the handshake fails it once the process has ended", async () => {
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

test("a server process gets exactly the environment in its definition", async () => {
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
