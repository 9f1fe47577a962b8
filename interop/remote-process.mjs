// Starts a server that listens on a port, and ends it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 50;
const GRACE_MS = 3000;

/** Below the ports that systems hand out themselves, so that no other program gets it before the server listens. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** A port of this machine that nobody uses at the moment. */
export async function findFreePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(server.close(), "close");
    return port;
  }
}

/** Starts the process; resolves when it accepts connections. `end` resolves when it is gone. */
export async function startListening({ args, env, cwd, port, signal }) {
  const child = spawn(process.execPath, args, { env, cwd, stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint = (complaint + chunk).slice(-2000);
  });
  const gone = once(child, "close");
  const end = async () => {
    child.kill();
    const killing = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
    await gone;
    clearTimeout(killing);
  };
  while (!(await accepts(port))) {
    if (child.exitCode !== null || signal.aborted) {
      await end();
      throw new Error(`It does not listen on port ${port}.\n${complaint}`);
    }
    await wait(LOOK_EVERY_MS);
  }
  return end;
}

/** Some listen on one of the two loopback addresses only. */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "localhost", port, autoSelectFamily: true });
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
