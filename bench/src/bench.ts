import { isCompetitor } from "./clients/names.ts";
import { COMPETITOR_MODULES, competitorFolder, installedModules } from "./competitors.ts";
import { createExcuses } from "./excuses.ts";
import type { Recording } from "./recording.ts";
import type { BenchSettings } from "./settings.ts";
import { seededRandom } from "./shuffle.ts";
import { type Step, scenarioOf, stepsOfRound } from "./step.ts";
import { prepareSteps, type Surroundings, takeStep } from "./take-step.ts";
import { openWorkplace } from "./workplace.ts";

export interface BenchOptions {
  /** Gives up: the promise rejects once no process and no file is left. */
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Hears of each measurement, so that what was measured before an end is kept. */
  readonly record: (recording: Recording) => void;
  /** Hears of the end of each round. */
  readonly finishRound?: (() => Promise<unknown>) | undefined;
}

/** Measures everything, round after round. */
export async function runBench(settings: BenchSettings, options: BenchOptions): Promise<void> {
  const { signal, progress } = options;
  await using workplace = await openWorkplace();
  const { rounds, budgetMs = Number.POSITIVE_INFINITY } = settings;
  const random = seededRandom(settings.seed);
  const beganAt = performance.now();
  const excuses = createExcuses();
  const surroundings = { workplace, signal, ...withModules(settings, progress) };
  let lastRoundMs = 0;
  progress("filling the catalogs and the file cache");
  await prepareSteps(surroundings);
  for (let round = 1; round <= rounds; round += 1) {
    const roundBeganAt = performance.now();
    if (round > 1 && roundBeganAt - beganAt + lastRoundMs > budgetMs) {
      progress("there is no time for another round");
      break;
    }
    const steps = stepsOfRound(surroundings.settings, round, random).filter((step) => !excuses.has(step));
    for (const [index, step] of steps.entries()) {
      if (performance.now() - beganAt > budgetMs) {
        progress("there is no time for the rest of the round");
        break;
      }
      progress(
        `round ${round} of ${rounds}, ${index + 1} of ${steps.length}: ${scenarioOf(step)}, ${step.subject}`,
      );
      for (const recording of await takeRecordings(step, round, surroundings)) {
        excuses.note(step, recording);
        options.record(recording);
      }
    }
    lastRoundMs = performance.now() - roundBeganAt;
    await options.finishRound?.();
  }
}

/** What a step gave; one that failed gave its reason, unless everything was told to end. */
async function takeRecordings(step: Step, round: number, surroundings: Surroundings): Promise<Recording[]> {
  try {
    const taken = await takeStep(step, surroundings);
    return taken.map((one) => ({ round, subject: step.subject, ...one }));
  } catch (error) {
    surroundings.signal.throwIfAborted();
    const problem = briefly(error instanceof Error ? error.message : String(error));
    return [{ round, scenario: scenarioOf(step), subject: step.subject, figures: {}, problem }];
  }
}

/** The line of a failed process's complaints that names the error; where there is none, all of them. */
function briefly(complaints: string): string {
  return /^(?:\w+: )?\w*Error.*: .+$/m.exec(complaints)?.[0] ?? complaints;
}

/** Finds where competitors are installed; those that are not take no part. */
function withModules(
  settings: BenchSettings,
  progress: (line: string) => void,
): Pick<Surroundings, "settings" | "modules"> {
  const names = Object.keys(COMPETITOR_MODULES).filter(isCompetitor);
  const found = names.flatMap((name) => {
    const modules = settings.clients.includes(name) ? installedModules(competitorFolder(name)) : undefined;
    return modules === undefined ? [] : [[name, modules] as const];
  });
  const modules: Surroundings["modules"] = Object.fromEntries(found);
  const missing = settings.clients.filter((name) => isCompetitor(name) && modules[name] === undefined);
  for (const name of missing)
    progress(`${name} is not installed and takes no part: pnpm bench:setup --only ${name}`);
  const isThere = (name: BenchSettings["clients"][number]) => !missing.includes(name);
  return {
    modules,
    settings: {
      ...settings,
      clients: settings.clients.filter(isThere),
      longClients: settings.longClients.filter(isThere),
    },
  };
}
