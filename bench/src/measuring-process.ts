import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Figures, MeasurementRequest, Point } from "./measurement.ts";
import { scriptPath } from "./script-path.ts";
import { now } from "./stopwatch.ts";
import { measuredEnvironment, type Workplace } from "./workplace.ts";

/** A measurement that takes longer than this hangs. */
const LONGEST_MEASUREMENT_MS = 120_000;

/** One over very many calls may take longer. */
const LONGEST_GROWTH_MS = 1_200_000;

/** How long a process that was told to end may take, before it is killed. */
const GRACE_MS = 2_000;

export interface MeasuringOptions {
  readonly workplace: Pick<Workplace, "directory">;
  /** Ends the process. The promise rejects once it is gone. */
  readonly signal: AbortSignal;
  /** The process is ended after this many milliseconds. Default: two minutes. */
  readonly limitMs?: number | undefined;
}

/** A measurement that has several sizes. */
type SeriesRequest = Extract<MeasurementRequest, { kind: "memory" | "curve" }>;

/** Measures in a process of its own. */
export function measure(
  request: Exclude<MeasurementRequest, SeriesRequest>,
  options: MeasuringOptions,
): Promise<Figures> {
  const limitMs = request.kind === "growth" ? LONGEST_GROWTH_MS : undefined;
  return runMeasuringProcess(scriptPath("measure"), JSON.stringify(request), { ...options, limitMs });
}

/** The same for several sizes. */
export function measureSeries(request: SeriesRequest, options: MeasuringOptions): Promise<readonly Point[]> {
  return runMeasuringProcess(scriptPath("measure"), JSON.stringify(request), options);
}

/** Measures how long the bare runtime takes to read a SQLite file. */
export function measureReading(file: string, options: MeasuringOptions): Promise<Figures> {
  return runMeasuringProcess(scriptPath("read-catalog"), JSON.stringify({ file }), options);
}

/** The same, with the time it takes to parse whatever in the file is JSON. */
export function measureParsing(file: string, options: MeasuringOptions): Promise<Figures> {
  return runMeasuringProcess(scriptPath("read-catalog"), JSON.stringify({ file, parse: true }), options);
}

/** Resolves when the process and everything that shares its standard streams have ended. */
export async function runMeasuringProcess<Result = Figures>(
  script: string,
  argument: string,
  { workplace, signal, limitMs = LONGEST_MEASUREMENT_MS }: MeasuringOptions,
): Promise<Result> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [script, argument, now()], {
    cwd: workplace.directory,
    env: measuredEnvironment(process.env, workplace),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let killing: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill();
    killing = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  };
  const limit = setTimeout(end, limitMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    const closed = once(child, "close");
    const [output, complaints, [code, killedBy]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      closed,
    ]);
    signal.throwIfAborted();
    if (code === 0) return JSON.parse(output) as Result;
    throw new Error(`Measuring ${argument} ended with ${code ?? killedBy}:\n${complaints.trim()}`);
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(limit);
    clearTimeout(killing);
  }
}
