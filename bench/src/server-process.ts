import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ServerUnderTest } from "./clients/client.ts";
import { scriptPath } from "./script-path.ts";
import type { CallTransport } from "./step.ts";

/** A server that a client can be pointed at, until it is disposed of. */
export interface ServedUnderTest extends AsyncDisposable {
  readonly server: ServerUnderTest;
}

/** A stdio server is started by its client. Its name among the arguments, which it ignores, makes it another one than the next. */
export function stdioServer(name: string): ServerUnderTest {
  return { name, transport: "stdio", command: process.execPath, args: [scriptPath("stdio-server"), name] };
}

/** Makes a server for calls. One over HTTP is started afresh, so that no client finds it warmer than another. */
export async function serve(transport: CallTransport): Promise<ServedUnderTest> {
  if (transport === "stdio") return { server: stdioServer("server"), [Symbol.asyncDispose]: async () => {} };
  const mode = transport === "http-sse" ? "sse" : "json";
  const child = spawn(process.execPath, [scriptPath("http-server"), mode], {
    stdio: ["pipe", "pipe", "inherit"],
  });
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

function failToStart(): never {
  throw new Error("The HTTP server under test did not start.");
}
