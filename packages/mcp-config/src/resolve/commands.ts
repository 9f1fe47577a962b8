import type { ChildProcess } from "node:child_process";
import {
  type DefinedIn,
  type DefinitionScope,
  type Logger,
  type ServerDefinition,
  startTimer,
} from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { fieldTexts } from "../entry/field-texts.ts";
import { baseDirectory, placeOfPart } from "../find/project-boundary.ts";
import type { JsonPath } from "../read/json-value.ts";
import type { Environment } from "./safe-environment.ts";
import { references, type VariableDialect } from "./variables.ts";

/** How commands in place of values are run. */
export interface CommandValueOptions {
  /** How long a command may take, in milliseconds. Default 10,000, as oh-my-pi has it. */
  readonly timeoutMs?: number | undefined;
  /** How long a failed command is not run again, in milliseconds. Default 30,000. */
  readonly failureBackoffMs?: number | undefined;
}

/** For whom commands are run, and with what. */
export interface CommandRun {
  readonly env: Environment;
  /** The folder for commands of entries that stand in no file. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The user on whose behalf the server is reached. */
  readonly principal?: string | undefined;
  /** Whether the server refused the values it was given last. */
  readonly rejected?: boolean | undefined;
  /** Whether it may have refused them. */
  readonly doubted?: boolean | undefined;
}

/**
 * The outputs of the commands that an entry refers to, by `keyOfCommand`. A missing one was not run; `undefined` stands for one that
 * failed or printed nothing, or whose output the server has refused.
 */
export type CommandOutputs = ReadonlyMap<string, string | undefined>;

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_FAILURE_BACKOFF_MS = 30_000;
/** How many refusals are remembered for each entry, as hashes. */
const MOST_REFUSED = 16;
const LARGEST_OUTPUT_BYTES = 64 * 1024;

/** Scopes whose commands are run: the entries of the user, the caller or an administrator. */
const TRUSTED: ReadonlySet<DefinitionScope> = new Set(["explicit", "managed", "local", "user"]);

/** Identifies a command in a field: the same text may be another command in a field that another file wrote. */
export function keyOfCommand(command: string, path: JsonPath, definedIn: DefinedIn): string {
  return JSON.stringify([command, baseDirectory(placeOfPart(definedIn, path))]);
}

interface PlacedCommand {
  readonly command: string;
  readonly cwd: string;
}

interface Remembered {
  value?: string | undefined;
  hasPrinted?: boolean | undefined;
  failedAt?: number | undefined;
  running?: Promise<string | undefined> | undefined;
}

/** The outputs that one server was given, all together as one hash. */
interface Given {
  last?: string | undefined;
  readonly refused: string[];
  /** When the commands last repeated what had been refused. */
  repeatedAt?: number | undefined;
  /** When the commands last repeated what had been doubted. */
  confirmedAt?: number | undefined;
}

/**
 * Runs the commands in place of values, `!command` or `$(command)`, and remembers what they printed. Calls during a run of a command
 * wait for the same run. A first run that fails is repeated once; then nothing is run before `failureBackoffMs` is over.
 */
export class CommandValues {
  readonly #timeoutMs: number;
  readonly #failureBackoffMs: number;
  readonly #known = new Map<string, Remembered>();
  readonly #offers = new Map<string, Given>();

  constructor(options: CommandValueOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#failureBackoffMs = options.failureBackoffMs ?? DEFAULT_FAILURE_BACKOFF_MS;
  }

  /**
   * The trimmed outputs of the commands that an entry refers to, each run in the directory of the file that wrote it. Those of a
   * project or of an extension are never run.
   *
   * After a refusal all are run again, because it is not known which value the server refused. If any prints something else, the
   * server gets the new outputs. If they repeat what was refused, it gets none, and they are not run again before
   * `failureBackoffMs` is over. After a doubt all are run again, too, but the server gets what they print in any case.
   */
  async outputsFor(
    definition: ServerDefinition,
    dialect: VariableDialect,
    run: CommandRun,
  ): Promise<CommandOutputs> {
    const { name, definedIn } = definition;
    const commands = TRUSTED.has(definedIn.scope) ? commandsIn(definition, dialect, run.cwd) : new Map();
    if (commands.size === 0) return new Map();
    const placed = [...commands.values()];
    const asked = placed.map(({ command, cwd }) => [command, cwd]);
    const given = entryOf(this.#offers, JSON.stringify([name, run.principal, asked]), { refused: [] });
    const outputs = await this.#outputsOf(placed, given, run);
    return new Map([...commands.keys()].map((key, index) => [key, outputs[index]]));
  }

  async #outputsOf(
    commands: readonly PlacedCommand[],
    given: Given,
    run: CommandRun,
  ): Promise<readonly (string | undefined)[]> {
    const isRefused = run.rejected === true && given.last !== undefined;
    const doubted = run.doubted === true && !this.#isRecent(given.confirmedAt) ? given.last : undefined;
    if (isRefused) refuseLast(given);
    const isRepeated = given.repeatedAt !== undefined && !this.#isRecent(given.repeatedAt);
    const isRenewed = isRefused || doubted !== undefined || isRepeated;
    const outputs = await Promise.all(commands.map((command) => this.#outputOf(command, run, isRenewed)));
    if (run.signal.aborted) return outputs;
    const hash = hashOf(outputs);
    if (hash !== undefined && given.refused.includes(hash)) {
      if (!this.#isRecent(given.repeatedAt)) given.repeatedAt = performance.now();
      return outputs.map(() => undefined);
    }
    if (doubted !== undefined) given.confirmedAt = hash === doubted ? performance.now() : undefined;
    given.last = hash;
    given.repeatedAt = undefined;
    return outputs;
  }

  async #outputOf(command: PlacedCommand, run: CommandRun, isRenewed: boolean): Promise<string | undefined> {
    const found = entryOf<Remembered>(this.#known, JSON.stringify([command.command, command.cwd]), {});
    if (isRenewed) found.value = undefined;
    if (found.value !== undefined) return found.value;
    if (found.running !== undefined) {
      const shared = await found.running;
      if (shared !== undefined || run.signal.aborted || found.failedAt !== undefined) return shared;
    }
    if (this.#isRecent(found.failedAt)) return undefined;
    found.running ??= this.#runWithRetry(command, found, run).finally(() => {
      found.running = undefined;
    });
    return found.running;
  }

  async #runWithRetry(
    command: PlacedCommand,
    found: Remembered,
    run: CommandRun,
  ): Promise<string | undefined> {
    const attempts = found.failedAt === undefined && !found.hasPrinted ? 2 : 1;
    for (let attempt = 0; attempt < attempts && !run.signal.aborted; attempt += 1) {
      const output = await runCommand(command, this.#timeoutMs, run);
      if (output !== undefined) {
        found.value = output;
        found.hasPrinted = true;
        found.failedAt = undefined;
        return output;
      }
    }
    // An aborted run is not a failure of the command.
    if (!run.signal.aborted) found.failedAt = performance.now();
    return undefined;
  }

  #isRecent(at: number | undefined): boolean {
    return at !== undefined && performance.now() - at < this.#failureBackoffMs;
  }
}

/** Tells of the values of a server that were left out. @param commands - identify the values that could be */
export type TellOmitted = (server: string, commands: readonly string[], names: readonly string[]) => void;

/** Warns of each server once, and again when other values are left out. */
export function omissionLog(log: Logger | undefined): TellOmitted {
  const told = new Map<string, string>();
  return (server, commands, names) => {
    if (log === undefined || commands.length === 0) return;
    const subject = JSON.stringify([server, commands]);
    const missing = names.join();
    const isNews = missing !== "" && told.get(subject) !== missing;
    told.set(subject, missing);
    const message =
      "Values are left out, because their commands failed or printed values that the server refused.";
    if (isNews) log("warn", message, { server, names });
  };
}

function commandsIn(
  definition: ServerDefinition,
  dialect: VariableDialect,
  ownDirectory: string,
): ReadonlyMap<string, PlacedCommand> {
  const { definedIn } = definition;
  const found = new Map<string, PlacedCommand>();
  for (const { text, path, isValue } of fieldTexts(definition)) {
    for (const { reference } of references(text, dialect, isValue)) {
      if (reference.kind !== "command") continue;
      const { name: command } = reference;
      const cwd = baseDirectory(placeOfPart(definedIn, path)) ?? ownDirectory;
      found.set(keyOfCommand(command, path, definedIn), { command, cwd });
    }
  }
  return found;
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
function hashOf(outputs: readonly (string | undefined)[]): string | undefined {
  if (outputs.every((output) => output === undefined)) return undefined;
  return cryptography().createHash("sha256").update(JSON.stringify(outputs)).digest("base64");
}

/** Runs one command in the system's shell, without input; its standard error is dropped. */
async function runCommand(
  { command, cwd }: PlacedCommand,
  timeoutMs: number,
  { env, signal }: CommandRun,
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
