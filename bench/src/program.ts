import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { runBench } from "./bench.ts";
import { CORE_CLIENTS } from "./clients/names.ts";
import { type CommandLine, HELP, readCommandLine } from "./command-line.ts";
import { currentLoad, describeMachine } from "./machine.ts";
import type { Recording } from "./recording.ts";
import { reportOf, targetReportOf } from "./report.ts";
import { RESULTS_FOLDER, type Results, resultsText, writeResults } from "./results.ts";
import type { BenchSettings } from "./settings.ts";

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
  const settings = { ...commandLine.settings, ...changed };
  return measureAndReport({ ...commandLine, settings }, interruption.signal);
}

/** Reports what was measured, also if the run is interrupted. */
async function measureAndReport(commandLine: CommandLine, signal: AbortSignal): Promise<number> {
  const { settings, isQuick, results: folder = isQuick ? undefined : RESULTS_FOLDER } = commandLine;
  const date = new Date();
  const loadBefore = currentLoad();
  const recordings: Recording[] = [];
  const keep = async (isComplete: boolean): Promise<Results> => {
    const results = { date, isComplete, machine: describeMachine(loadBefore), settings, recordings };
    if (folder !== undefined && recordings.length > 0) await writeResults(folder, results);
    return results;
  };
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const record = (recording: Recording) => void recordings.push(recording);
  let isComplete = false;
  let results: Results;
  try {
    await runBench(settings, { signal, progress, record, finishRound: () => keep(false) });
    isComplete = true;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    results = await keep(isComplete);
  }
  const { machine } = results;
  const report = isQuick ? targetReportOf(recordings, machine) : reportOf(recordings, settings, machine);
  if (recordings.length > 0) process.stdout.write(`${report}\n`);
  if (commandLine.json !== undefined) await writeFile(commandLine.json, resultsText(results));
  return isComplete ? exitCodeOf(recordings) : exitCodeOfSignal(signal.reason);
}

/** A competitor that fails is a finding; a client of the workspace that fails is a defect. */
function exitCodeOf(recordings: readonly Recording[]): number {
  const isOurs = ({ subject }: Recording) => CORE_CLIENTS.some((client) => subject.startsWith(client));
  return recordings.some((recording) => recording.problem !== undefined && isOurs(recording)) ? 1 : 0;
}

function exitCodeOfSignal(signal: (typeof SIGNALS)[number]): number {
  process.stderr.write(`stopped by ${signal}\n`);
  return 128 + constants.signals[signal];
}

function tryToRead(args: readonly string[]): CommandLine | undefined {
  try {
    return readCommandLine(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return undefined;
  }
}
