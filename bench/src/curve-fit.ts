import type { Curve } from "./measurement.ts";
import type { Recording } from "./recording.ts";
import { curveScenario } from "./step.ts";
import type { Subject } from "./subject.ts";

/** A size and how long it took. */
export interface Sample {
  readonly size: number;
  readonly ms: number;
}

/** How many samples at the end tell where a curve is heading. */
const END = 3;

/**
 * The slope of the straight line that fits best through the samples on log-log axes (least squares): 1 where the time grows as the
 * size does, 2 where it grows with its square. `undefined` for fewer than two sizes.
 */
export function slopeOf(samples: readonly Sample[]): number | undefined {
  const points = samples.map(({ size, ms }) => ({ x: Math.log(size), y: Math.log(ms) }));
  const x = meanOf(points.map((point) => point.x));
  const y = meanOf(points.map((point) => point.y));
  const spread = sumOf(points.map((point) => (point.x - x) ** 2));
  return spread > 0 ? sumOf(points.map((point) => (point.x - x) * (point.y - y))) / spread : undefined;
}

/** The slope of the largest sizes, where what is the same for all sizes weighs least. */
export function endSlopeOf(samples: readonly Sample[]): number | undefined {
  return slopeOf(samples.toSorted((a, b) => a.size - b.size).slice(-END));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function meanOf(numbers: readonly number[]): number {
  return sumOf(numbers) / numbers.length;
}

/** The samples of a subject's curve, a list for each round. */
export function curveSamples(recordings: readonly Recording[], subject: Subject, of: Curve): Sample[][] {
  const beginning = curveScenario(of, "");
  const rounds = Map.groupBy(
    recordings.filter(
      (recording) => recording.subject === subject && recording.scenario.startsWith(beginning),
    ),
    ({ round }) => round,
  );
  return [...rounds.values()].map((points) =>
    points.flatMap(({ scenario, figures: { pointMs } }) => {
      const size = Number(scenario.slice(beginning.length));
      return pointMs === undefined ? [] : [{ size, ms: pointMs }];
    }),
  );
}
