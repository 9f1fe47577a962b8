import type { FigureName, Figures } from "./measurement.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import type { Subject } from "./subject.ts";

/** What one measurement gave. */
export interface Recording {
  /** From 1. */
  readonly round: number;
  /** What was done; subjects of one scenario are compared with each other. */
  readonly scenario: string;
  readonly subject: Subject;
  readonly figures: Figures;
  /** Why there are no figures. */
  readonly problem?: string | undefined;
}

/** One figure of one subject in one scenario. */
export interface Question {
  readonly scenario: string;
  readonly subject: Subject;
  readonly figure: FigureName;
}

/** The median over all rounds; `undefined` if it was never measured. */
export function medianOf(recordings: readonly Recording[], question: Question): number | undefined {
  return spreadIn(recordings, question)?.median;
}

/** The figure over all rounds; `undefined` if it was never measured. */
export function spreadIn(recordings: readonly Recording[], question: Question): Spread | undefined {
  return spreadOrNothing([...figuresByRound(recordings, question).values()]);
}

/**
 * A figure divided by another of the same round, over all rounds that have both: what changes from round to round, such as the
 * machine's load, meets both and cancels out.
 *
 * @param baseline - in what the other question is different
 */
export function ratioOf(
  recordings: readonly Recording[],
  question: Question,
  baseline: Partial<Question>,
): Spread | undefined {
  return comparison(recordings, question, baseline, (number, base) => number / base);
}

/** A figure less another of the same round. */
export function differenceOf(
  recordings: readonly Recording[],
  question: Question,
  baseline: Partial<Question>,
): Spread | undefined {
  return comparison(recordings, question, baseline, (number, base) => number - base);
}

function comparison(
  recordings: readonly Recording[],
  question: Question,
  baseline: Partial<Question>,
  compare: (number: number, base: number) => number,
): Spread | undefined {
  const bases = figuresByRound(recordings, { ...question, ...baseline });
  const compared = [...figuresByRound(recordings, question)].flatMap(([round, number]) => {
    const base = bases.get(round);
    return base === undefined ? [] : [compare(number, base)];
  });
  return spreadOrNothing(compared);
}

function spreadOrNothing(numbers: readonly number[]): Spread | undefined {
  return numbers.length === 0 ? undefined : spreadOf(numbers);
}

/** The figure of each round in which it was measured. */
function figuresByRound(
  recordings: readonly Recording[],
  { scenario, subject, figure }: Question,
): Map<number, number> {
  const fitting = recordings.filter(
    (recording) => recording.scenario === scenario && recording.subject === subject,
  );
  return new Map(
    fitting.flatMap(({ round, figures }) => {
      const number = figures[figure];
      return number === undefined ? [] : [[round, number] as const];
    }),
  );
}
