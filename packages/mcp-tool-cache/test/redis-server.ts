import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";

/** Whether Redis is installed on this machine. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

/** A Redis server that keeps nothing on disk. Ends when it is disposed of. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", tmpdir()];
  const child = spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    if (line.includes("Ready to accept connections")) break;
  }
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}
