import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { EVERYTHING_ENTRY } from "./demo-servers.ts";
import { openLoopbackDoor } from "./loopback-door.ts";

/** A running server-everything over Streamable HTTP. */
export interface EverythingOverHttp {
  readonly url: string;
  /** Ends the process and frees the port. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface EverythingOverHttpOptions {
  /** Default 38117: the same at every start, so that the catalog recognises the server. If it is taken, any free port. */
  readonly preferredPort?: number | undefined;
  /** Aborts the start, which fails after 20 seconds in any case. */
  readonly signal?: AbortSignal | undefined;
}

const PREFERRED_PORT = 38_117;
const START_TIMEOUT_MS = 20_000;

type ServerProcess = ChildProcessByStdio<Writable, null, Readable>;

/** Ends the server when its standard input ends, and so when this process dies for any reason. */
const END_WITH_PARENT = 'data:text/javascript,process.stdin.on("end",()=>process.exit()).resume()';

/**
 * Starts server-everything in its `streamableHttp` mode, reachable on 127.0.0.1 only.
 *
 * On its own the server listens on every interface, without authorization, and one of its tools shows its environment. So it gets a
 * local socket in a private folder instead of a port, and no environment; its bytes are passed on unchanged.
 */
export async function startEverythingOverHttp(
  options: EverythingOverHttpOptions = {},
): Promise<EverythingOverHttp> {
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  const folder = await mkdtemp(join(tmpdir(), "jackfield-http-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const socketPath = process.platform === "win32" ? windowsPipe(folder) : join(folder, "mcp.sock");
  const child = spawnServer(socketPath);
  try {
    await untilListening(child, signal);
    const door = await openLoopbackDoor(socketPath, options.preferredPort ?? PREFERRED_PORT);
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= door
        .close()
        .then(() => endProcess(child))
        .then(removeFolder);
      return closed;
    };
    return { url: `http://127.0.0.1:${door.port}/mcp`, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await endProcess(child);
    await removeFolder();
    throw error;
  }
}

function windowsPipe(folder: string): string {
  return `\\\\.\\pipe\\${basename(folder)}`;
}

function spawnServer(socketPath: string): ServerProcess {
  const systemRoot = process.env.SystemRoot;
  return spawn(process.execPath, ["--import", END_WITH_PARENT, EVERYTHING_ENTRY, "streamableHttp"], {
    // Windows starts no program without SystemRoot.
    env: { PORT: socketPath, ...(systemRoot === undefined ? {} : { SystemRoot: systemRoot }) },
    stdio: ["pipe", "ignore", "pipe"],
    // Out of the terminal's process group: Ctrl+C is for the answer in progress, not for the server.
    detached: true,
    windowsHide: true,
  });
}

/** The server says on its standard error that it listens. What it says later is read and dropped, so that it never blocks. */
async function untilListening(child: ServerProcess, signal: AbortSignal): Promise<void> {
  const outputLines: string[] = [];
  const lines = createInterface({ input: child.stderr });
  const listening = new Promise<void>((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new Error(`server-everything did not start: ${outputLines.join(" ")}`, { cause }));
    lines.on("line", (line) => {
      outputLines.push(line.slice(0, 500));
      if (line.includes("listening")) resolve();
    });
    child.once("error", fail);
    child.once("close", () => fail());
    if (signal.aborted) fail(signal.reason);
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
  });
  try {
    await listening;
  } finally {
    lines.close();
    child.stderr.resume();
  }
}

async function endProcess(child: ServerProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
