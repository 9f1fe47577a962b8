import type { ChildProcess } from "node:child_process";
import { cryptography } from "./builtin-modules.ts";
import type { Environment } from "./safe-environment.ts";

/** How commands are run that stand in the place of values. */
export interface CommandValueOptions {
  /** How long a command may take, in milliseconds. Default 10,000, as oh-my-pi has it. */
  readonly timeoutMs?: number | undefined;
  /** How long a command that failed is not run again, in milliseconds. Default 30,000. */
  readonly failureBackoffMs?: number | undefined;
}

/** What one run depends on besides the command. */
export interface CommandSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The value that was given last was refused, so it is not given again. */
  readonly rejected?: boolean | undefined;
}

/** The output of commands, each run once and then remembered. */
export interface CommandValues {
  /** What the command prints, without the white space around it; `undefined` if it failed, printed nothing, or what was refused. */
  get(command: string, surroundings: CommandSurroundings): Promise<string | undefined>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_FAILURE_BACKOFF_MS = 30_000;
/** Of the values that were refused so many are remembered for each command, as hashes. */
const MOST_REJECTED = 16;
const LARGEST_OUTPUT_BYTES = 64 * 1024;

interface Remembered {
  value?: string | undefined;
  failedAt?: number | undefined;
  running?: Promise<string | undefined> | undefined;
  readonly rejected: string[];
}

/**
 * Remembers what commands printed, for as long as it exists. Whoever asks while a command runs waits for the same run. A first
 * run that fails is repeated once; then nothing is run before `failureBackoffMs` is over.
 */
export function createCommandValues(options: CommandValueOptions = {}): CommandValues {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, failureBackoffMs = DEFAULT_FAILURE_BACKOFF_MS } = options;
  const known = new Map<string, Remembered>();

  async function mint(command: string, found: Remembered, at: CommandSurroundings) {
    const attempts = found.failedAt === undefined && found.rejected.length === 0 ? 2 : 1;
    for (let attempt = 0; attempt < attempts && !at.signal.aborted; attempt += 1) {
      const output = await runCommand(command, timeoutMs, at);
      if (output !== undefined && !found.rejected.includes(hashOf(output))) {
        found.value = output;
        found.failedAt = undefined;
        return output;
      }
    }
    // Whoever gives up says nothing about the command.
    if (!at.signal.aborted) found.failedAt = performance.now();
    return undefined;
  }

  return {
    async get(command, at) {
      const key = JSON.stringify([command, at.cwd]);
      const found = known.get(key) ?? { rejected: [] };
      known.set(key, found);
      if (at.rejected && found.value !== undefined) {
        found.rejected.push(hashOf(found.value));
        if (found.rejected.length > MOST_REJECTED) found.rejected.shift();
        found.value = undefined;
      }
      if (found.value !== undefined) return found.value;
      if (found.running !== undefined) {
        const shared = await found.running;
        if (shared !== undefined || at.signal.aborted || found.failedAt !== undefined) return shared;
      }
      if (found.failedAt !== undefined && performance.now() - found.failedAt < failureBackoffMs)
        return undefined;
      found.running ??= mint(command, found, at).finally(() => {
        found.running = undefined;
      });
      return found.running;
    },
  };
}

function hashOf(value: string): string {
  return cryptography().createHash("sha256").update(value).digest("base64");
}

/** Runs one command by the system's shell, with nothing on its input; what it says on standard error is dropped. */
async function runCommand(
  command: string,
  timeoutMs: number,
  { env, cwd, signal }: CommandSurroundings,
): Promise<string | undefined> {
  // Loaded here, because hardly anybody has such a value.
  const { spawn } = await import("node:child_process");
  const isWindows = process.platform === "win32";
  const [shell, args] = isWindows
    ? [env.ComSpec ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`]]
    : ["/bin/sh", ["-c", command]];
  const child = spawn(shell, args, {
    cwd,
    env,
    detached: !isWindows,
    windowsVerbatimArguments: isWindows,
    windowsHide: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const end = () => endGroup(child);
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await outputOf(child, end);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function outputOf(child: ChildProcess, end: () => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_OUTPUT_BYTES) end();
      else chunks.push(chunk);
    });
    child.once("error", () => resolve(undefined));
    child.once("close", (code) => {
      const output = Buffer.concat(chunks).toString("utf8").trim();
      resolve(code === 0 && size <= LARGEST_OUTPUT_BYTES && output !== "" ? output : undefined);
    });
  });
}

/** The shell and whatever it has started. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill();
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
