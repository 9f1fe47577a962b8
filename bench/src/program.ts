import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { type BenchSettings, runBench } from "./bench.ts";
import { budgetResults } from "./budget.ts";
import { type CommandLine, HELP, readCommandLine } from "./command-line.ts";
import { currentLoad, describeMachine } from "./machine.ts";
import { reportOf } from "./report.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the bench as its command line does, and returns the exit code.
 *
 * @param changed - settings that beat those of the command line
 */
export async function runProgram(
  args: readonly string[],
  changed: Partial<BenchSettings> = {},
): Promise<number> {
  const commandLine = tryToRead(args);
  if (commandLine === undefined) return 2;
  if (commandLine.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => interruption.abort(signal));
  try {
    const settings = { ...commandLine.settings, ...changed };
    await measureAndReport({ ...commandLine, settings }, interruption.signal);
    return 0;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    const signal: (typeof SIGNALS)[number] = interruption.signal.reason;
    process.stderr.write(`stopped by ${signal}\n`);
    return 128 + constants.signals[signal];
  }
}

async function measureAndReport({ settings, json }: CommandLine, signal: AbortSignal): Promise<void> {
  const loadBefore = currentLoad();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const recordings = await runBench(settings, { signal, progress });
  const machine = describeMachine(loadBefore);
  const budgets = budgetResults(recordings);
  process.stdout.write(`${reportOf(recordings, settings, machine)}\n`);
  if (json !== undefined)
    await writeFile(json, `${JSON.stringify({ machine, settings, budgets, recordings }, null, 2)}\n`);
}

function tryToRead(args: readonly string[]): CommandLine | undefined {
  try {
    return readCommandLine(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return undefined;
  }
}
