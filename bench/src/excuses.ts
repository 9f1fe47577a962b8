import type { Recording } from "./recording.ts";
import { type Step, scenarioOf } from "./step.ts";

/** Who had a problem this often in a scenario is not measured in it again: it would have it in every round. */
const MOST_PROBLEMS = 2;

/** Who need not be measured again in a scenario. */
export interface Excuses {
  /** Whether a step need not be taken. */
  has(step: Step): boolean;
  /** Told what a step gave: who was given up is excused at once, who had a problem the second time. */
  note(step: Step, recording: Pick<Recording, "figures" | "problem">): void;
}

export function createExcuses(): Excuses {
  const counts = new Map<string, number>();
  const keyOf = (step: Step) => `${scenarioOf(step)}: ${step.subject}`;
  return {
    has: (step) => (counts.get(keyOf(step)) ?? 0) >= MOST_PROBLEMS,
    note(step, { problem, figures }) {
      const weight = figures.gaveUpAfterMs !== undefined ? MOST_PROBLEMS : problem === undefined ? 0 : 1;
      counts.set(keyOf(step), (counts.get(keyOf(step)) ?? 0) + weight);
    },
  };
}
