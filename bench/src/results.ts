import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { budgetResults } from "./budget.ts";
import { compareWithAll } from "./comparison.ts";
import type { Machine } from "./machine.ts";
import type { Recording } from "./recording.ts";
import { reportOf } from "./report.ts";
import { resultChart } from "./result-chart.ts";
import type { BenchSettings } from "./settings.ts";
import { targetResults } from "./targets.ts";

/** The results of full runs; the same from the source and from what is built of it. */
export const RESULTS_FOLDER = fileURLToPath(new URL("../results/", import.meta.url));

/** A run, or what there is of one that goes on or was interrupted. */
export interface Results {
  /** When the run began. */
  readonly date: Date;
  readonly isComplete: boolean;
  readonly machine: Machine;
  readonly settings: BenchSettings;
  readonly recordings: readonly Recording[];
}

/** The results as JSON, with a line for each recording. */
export function resultsText({ date, isComplete, machine, settings, recordings }: Results): string {
  const summary = {
    date: date.toISOString(),
    isComplete,
    machine,
    settings,
    targets: targetResults(recordings),
    budgets: budgetResults(recordings),
    comparisons: compareWithAll(recordings, settings),
  };
  const lines = recordings.map((recording) => `    ${JSON.stringify(recording, roundedNumber)}`);
  const head = JSON.stringify(summary, roundedNumber, 2).slice(0, -"\n}".length);
  return `${head},\n  "recordings": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** Writes `<date>.json` into a folder; of a complete run also `latest.json`, the tables and the chart. */
export async function writeResults(folder: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = resultsText(results);
  await replaceFile(join(folder, `${fileNameOf(results.date)}.json`), text);
  if (!results.isComplete) return;
  const { recordings, settings, machine } = results;
  await replaceFile(join(folder, "latest.json"), text);
  await replaceFile(join(folder, "latest.txt"), `${reportOf(recordings, settings, machine)}\n`);
  const chart = resultChart(recordings, machine);
  if (chart !== undefined) await replaceFile(join(folder, "latest.svg"), chart);
}

/** Nobody finds half a file, whenever the run is ended. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.partial`, text);
  await rename(`${file}.partial`, file);
}

/** The day and the minute. */
function fileNameOf(date: Date): string {
  return date.toISOString().slice(0, "2026-11-21T20:15".length).replace(":", "-");
}

/** Six digits are more than any figure is worth. */
function roundedNumber(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
