import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerUnderTest } from "./clients/client.ts";
import { scriptPath } from "./script-path.ts";
import type { CallTransport } from "./settings.ts";

/** A server that a client can be pointed at, until it is disposed of. */
export interface ServedUnderTest extends AsyncDisposable {
  readonly server: ServerUnderTest;
}

/**
 * A stdio server is started by its client. Its name makes it another one than the next.
 *
 * @param notes - the directory in which it writes down its starts, and finds how to behave
 */
export function stdioServer(name: string, notes?: string): ServerUnderTest {
  const args = [scriptPath("stdio-server"), name, ...(notes === undefined ? [] : [notes])];
  return { name, transport: "stdio", command: process.execPath, args };
}

/** A real server, made with the official SDK. */
function everythingServer(): ServerUnderTest {
  const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
  return {
    name: "everything",
    transport: "stdio",
    command: process.execPath,
    args: [script, "stdio"],
    echo: { name: "echo", takes: "message" },
  };
}

/** Makes a server for calls. One over HTTP is started afresh, so that no client finds it warmer than another. */
export async function serve(transport: CallTransport): Promise<ServedUnderTest> {
  if (transport === "stdio") return startedByClient(stdioServer("server"));
  if (transport === "everything") return startedByClient(everythingServer());
  return serveHttp(transport === "http-sse" ? "sse" : "json");
}

/** Starts a server behind HTTP. `sessions`: it keeps sessions, and forgets them when it is told to. */
export async function serveHttp(mode: "json" | "sse", sessions?: "sessions"): Promise<ServedUnderTest> {
  const args = [scriptPath("http-server"), mode, ...(sessions === undefined ? [] : [sessions])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  child.stdin.on("error", () => {}); // it has ended already
  const [url] = await Promise.race([once(createInterface(child.stdout), "line"), closed.then(failToStart)]);
  return {
    server: { name: "server", transport: "http", url },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

function startedByClient(server: ServerUnderTest): ServedUnderTest {
  return { server, [Symbol.asyncDispose]: async () => {} };
}

function failToStart(): never {
  throw new Error("The HTTP server under test did not start.");
}
