import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fillCatalogs, readCatalog } from "./catalog-step.ts";
import type { ClientName } from "./clients/client.ts";
import type { Figures, KnownRequest, StartRequest } from "./measurement.ts";
import { type MeasuringOptions, measure, measureParsing, measureReading } from "./measuring-process.ts";
import type { Recording } from "./recording.ts";
import { serve, stdioServer } from "./server-process.ts";
import { seededRandom } from "./shuffle.ts";
import { MEMORY_SESSIONS, type RoundOptions, type Step, scenarioOf, stepsOfRound } from "./step.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

export interface BenchSettings extends RoundOptions {
  readonly rounds: number;
  /** No round is begun that would probably end later than this, in milliseconds from the beginning. Default: no limit. */
  readonly budgetMs?: number | undefined;
  /** Of the order within the rounds. */
  readonly seed: number;
}

export interface BenchOptions {
  /** Gives up: the promise rejects once no process and no file is left. */
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

interface Surroundings extends MeasuringOptions {
  readonly workplace: Workplace;
}

/** Measures everything, round after round. */
export async function runBench(
  settings: BenchSettings,
  { signal, progress }: BenchOptions,
): Promise<Recording[]> {
  await using workplace = await openWorkplace();
  const surroundings: Surroundings = { workplace, signal };
  const { rounds, budgetMs = Number.POSITIVE_INFINITY } = settings;
  const random = seededRandom(settings.seed);
  const beganAt = performance.now();
  const recordings: Recording[] = [];
  let longestRoundMs = 0;
  progress("filling the catalogs and the file cache");
  await prepare(settings, surroundings);
  for (let round = 1; round <= rounds; round += 1) {
    const roundBeganAt = performance.now();
    if (round > 1 && roundBeganAt - beganAt + longestRoundMs > budgetMs) {
      progress("there is no time for another round");
      break;
    }
    for (const step of stepsOfRound(settings, random)) {
      const scenario = scenarioOf(step);
      progress(`round ${round} of ${rounds}: ${scenario}, ${step.subject}`);
      const figures = await takeStep(step, settings, surroundings);
      recordings.push({ round, scenario, subject: step.subject, figures });
    }
    longestRoundMs = Math.max(longestRoundMs, performance.now() - roundBeganAt);
  }
  return recordings;
}

/** Fills the catalogs, and runs every client once, so that the first round finds everything in memory too. */
async function prepare(settings: BenchSettings, surroundings: Surroundings): Promise<void> {
  const { serverCounts } = settings;
  for (const client of ["raw-sdk", "hand-written"] as const)
    await measure({ kind: "start", client, servers: stdioServers(1) }, surroundings);
  for (const count of serverCounts) {
    const directory = surroundings.workplace.catalogDirectory(count);
    const catalog = { directory, expectsTools: false };
    await measure(
      { kind: "start", client: "jackfield", servers: stdioServers(count), catalog },
      surroundings,
    );
  }
  await measure(knownRequest(settings, surroundings, true), surroundings);
  await fillCatalogs(settings.catalogSizes, surroundings);
}

async function takeStep(step: Step, settings: BenchSettings, surroundings: Surroundings): Promise<Figures> {
  if (step.kind === "calls") {
    await using served = await serve(step.transport);
    const counts = settings.callCounts[step.transport];
    return await measure(
      { kind: "calls", client: step.subject, server: served.server, counts },
      surroundings,
    );
  }
  if (step.kind === "catalog") return readCatalog(step, surroundings);
  if (step.kind === "memory") {
    await using served = await serve("http-json");
    const request = { client: step.subject, server: served.server, sessions: MEMORY_SESSIONS };
    return await measure({ kind: "memory", ...request }, surroundings);
  }
  if (step.kind === "overhead") return measure({ kind: "overhead", ...settings.scale }, surroundings);
  if (step.kind === "known") {
    const request = knownRequest(settings, surroundings, false);
    if (step.subject === "jackfield-catalog") return measure(request, surroundings);
    return measureParsing(await sqliteFileIn(request.catalogDirectory), surroundings);
  }
  const directory = surroundings.workplace.catalogDirectory(step.servers);
  if (step.subject === "bare-node") return measureReading(await sqliteFileIn(directory), surroundings);
  const start = (client: ClientName, catalog?: StartRequest["catalog"]) =>
    measure({ kind: "start", client, servers: stdioServers(step.servers), catalog }, surroundings);
  return step.subject === "jackfield-catalog"
    ? start("jackfield", { directory, expectsTools: true })
    : start(step.subject);
}

function knownRequest({ scale }: BenchSettings, { workplace }: Surroundings, fill: boolean): KnownRequest {
  const { servers } = scale;
  return { kind: "known", servers, catalogDirectory: workplace.catalogDirectory(servers), fill };
}

function stdioServers(count: number) {
  return Array.from({ length: count }, (_, index) => stdioServer(`server-${index + 1}`));
}

async function sqliteFileIn(directory: string): Promise<string> {
  const name = (await readdir(directory)).find((entry) => entry.endsWith(".sqlite"));
  if (name === undefined) throw new Error(`There is no catalog in ${directory}.`);
  return join(directory, name);
}
