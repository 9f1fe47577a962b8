import type { ChildProcess } from "node:child_process";
import { startTimer } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import type { Environment } from "./safe-environment.ts";

/** How commands in place of values are run. */
export interface CommandValueOptions {
  /** How long a command may take, in milliseconds. Default 10,000, as oh-my-pi has it. */
  readonly timeoutMs?: number | undefined;
  /** How long a failed command is not run again, in milliseconds. Default 30,000. */
  readonly failureBackoffMs?: number | undefined;
}

/** A command, and the folder in which it is run. */
export interface PlacedCommand {
  readonly command: string;
  readonly cwd: string;
}

/** What one run depends on besides the command. */
export interface CommandContext {
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** The server and user for whom commands are run. */
export interface CommandOffer extends CommandContext {
  /** The server that gets their output. */
  readonly server: string;
  /** The user on whose behalf the server is reached. */
  readonly principal?: string | undefined;
  /** Whether the server refused the values it was given last. */
  readonly rejected?: boolean | undefined;
}

/** The output of one command; `undefined` if it failed or printed nothing, or if the server has refused the output. */
export type CommandOutput = string | undefined;

/** The output of commands, each run once and then remembered. */
export interface CommandValues {
  /**
   * The trimmed output of one entry's commands. After a refusal all are run again, because it is not known which value the server
   * refused. If any prints something else, the server gets the new outputs. If they repeat what was refused, it gets none, and they
   * are not run again before `failureBackoffMs` is over.
   */
  get(commands: readonly PlacedCommand[], offer: CommandOffer): Promise<readonly CommandOutput[]>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_FAILURE_BACKOFF_MS = 30_000;
/** How many refusals are remembered for each entry, as hashes. */
const MOST_REFUSED = 16;
const LARGEST_OUTPUT_BYTES = 64 * 1024;

interface Remembered {
  value?: string | undefined;
  hasPrinted?: boolean | undefined;
  failedAt?: number | undefined;
  running?: Promise<CommandOutput> | undefined;
}

/** The outputs that one server was given, all together as one hash. */
interface Given {
  last?: string | undefined;
  readonly refused: string[];
  /** When the commands last repeated what had been refused. */
  repeatedAt?: number | undefined;
}

/**
 * Creates a cache of command outputs. Calls during a run of a command wait for the same run. A first run that fails is repeated
 * once; then nothing is run before `failureBackoffMs` is over.
 */
export function createCommandValues(options: CommandValueOptions = {}): CommandValues {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, failureBackoffMs = DEFAULT_FAILURE_BACKOFF_MS } = options;
  const known = new Map<string, Remembered>();
  const offers = new Map<string, Given>();
  const isRecent = (at: number | undefined) => at !== undefined && performance.now() - at < failureBackoffMs;

  async function runWithRetry(command: PlacedCommand, found: Remembered, at: CommandContext) {
    const attempts = found.failedAt === undefined && !found.hasPrinted ? 2 : 1;
    for (let attempt = 0; attempt < attempts && !at.signal.aborted; attempt += 1) {
      const output = await runCommand(command, timeoutMs, at);
      if (output !== undefined) {
        found.value = output;
        found.hasPrinted = true;
        found.failedAt = undefined;
        return output;
      }
    }
    // An aborted run is not a failure of the command.
    if (!at.signal.aborted) found.failedAt = performance.now();
    return undefined;
  }

  async function outputOf(command: PlacedCommand, at: CommandContext, isRenewed: boolean) {
    const found = entryOf(known, JSON.stringify([command.command, command.cwd]), {});
    if (isRenewed) found.value = undefined;
    if (found.value !== undefined) return found.value;
    if (found.running !== undefined) {
      const shared = await found.running;
      if (shared !== undefined || at.signal.aborted || found.failedAt !== undefined) return shared;
    }
    if (isRecent(found.failedAt)) return undefined;
    found.running ??= runWithRetry(command, found, at).finally(() => {
      found.running = undefined;
    });
    return found.running;
  }

  return {
    async get(commands, offer) {
      const { server, principal, signal, rejected } = offer;
      const asked = commands.map(({ command, cwd }) => [command, cwd]);
      const given = entryOf(offers, JSON.stringify([server, principal, asked]), { refused: [] });
      const isRefused = rejected === true && given.last !== undefined;
      if (isRefused) refuseLast(given);
      const isRenewed = isRefused || (given.repeatedAt !== undefined && !isRecent(given.repeatedAt));
      const outputs = await Promise.all(commands.map((command) => outputOf(command, offer, isRenewed)));
      if (signal.aborted) return outputs;
      const hash = hashOf(outputs);
      if (hash !== undefined && given.refused.includes(hash)) {
        if (!isRecent(given.repeatedAt)) given.repeatedAt = performance.now();
        return outputs.map(() => undefined);
      }
      given.last = hash;
      given.repeatedAt = undefined;
      return outputs;
    },
  };
}

function entryOf<T>(map: Map<string, T>, key: string, fresh: T): T {
  const entry = map.get(key) ?? fresh;
  map.set(key, entry);
  return entry;
}

function refuseLast(given: Given): void {
  if (given.last !== undefined) given.refused.push(given.last);
  if (given.refused.length > MOST_REFUSED) given.refused.shift();
  given.last = undefined;
}

/** One hash for all outputs; `undefined` if there is no output, since a server that was given nothing has refused nothing. */
function hashOf(outputs: readonly CommandOutput[]): string | undefined {
  if (outputs.every((output) => output === undefined)) return undefined;
  return cryptography().createHash("sha256").update(JSON.stringify(outputs)).digest("base64");
}

/** Runs one command in the system's shell, without input; its standard error is dropped. */
async function runCommand(
  { command, cwd }: PlacedCommand,
  timeoutMs: number,
  { env, signal }: CommandContext,
): Promise<string | undefined> {
  // Loaded on demand, because few entries have such a value.
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
  const timer = startTimer(end, timeoutMs);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await printedBy(child, end);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function printedBy(child: ChildProcess, end: () => void): Promise<string | undefined> {
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

/** Kills the shell, and except on Windows whatever it has started. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill();
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
