import { ADAPTERS } from "./clients/names.ts";
import { medianOf, type Question, type Recording, ratioOf } from "./recording.ts";
import { type BenchSettings, CALL_TRANSPORTS } from "./settings.ts";
import type { Spread } from "./statistics.ts";
import { callScenario, memoryScenario, startScenario } from "./step.ts";
import { LABELS, type Subject } from "./subject.ts";
import { formatNumber, formatRatio, formatTable } from "./table.ts";

/** A figure in which Jackfield wants to be ahead of everybody. */
export interface KeyFigure extends Question {
  readonly title: string;
  /** Default: less is better. */
  readonly isMoreBetter?: boolean | undefined;
  /** What is under this in both cannot be told apart. */
  readonly unit: "ms" | "calls/s" | "MiB";
}

/** Jackfield beside whoever comes closest to it, or is ahead of it. */
export interface Comparison {
  readonly figure: KeyFigure;
  readonly own: number;
  readonly closest: Subject;
  readonly theirs: number;
  /** Jackfield's figure divided by theirs. */
  readonly ratio: Spread;
  readonly isAhead: boolean;
}

/** What nobody is compared with: Jackfield itself, the limit, and what is no client. */
const NO_COMPETITORS: readonly Subject[] = [
  ...ADAPTERS,
  "jackfield",
  "jackfield-catalog",
  "hand-written",
  "bare-node",
  "discovery",
  "tool-cache",
];

/** What the targets are about, of which there is something to be ahead in. */
function keyFigures({ serverCounts, faultServers, sessionCounts, toolCounts }: BenchSettings): KeyFigure[] {
  const ready = (title: string, scenario: string, subject: Subject): KeyFigure => {
    return { title, scenario, subject, figure: "readyMs", unit: "ms" };
  };
  return [
    ...serverCounts.flatMap((servers) => [
      ready(`cold start, ${servers}`, startScenario(servers), "jackfield"),
      ready(`warm start, ${servers}`, startScenario(servers), "jackfield-catalog"),
    ]),
    ready(`warm start, ${faultServers}, one hangs`, startScenario(faultServers, "hang"), "jackfield-catalog"),
    ...CALL_TRANSPORTS.map((transport): KeyFigure => {
      const figure = "callsPerSecond";
      const question = { scenario: callScenario(transport), subject: "jackfield", figure } as const;
      return { title: `${transport}, at once`, ...question, isMoreBetter: true, unit: "calls/s" };
    }),
    ...sessionCounts.map((count): KeyFigure => {
      const scenario = memoryScenario("sessions", count);
      return { title: scenario, scenario, subject: "jackfield", figure: "sessionsMib", unit: "MiB" };
    }),
    ...toolCounts.map((count): KeyFigure => {
      const scenario = memoryScenario("tools", count);
      return { title: scenario, scenario, subject: "jackfield", figure: "toolsMib", unit: "MiB" };
    }),
  ];
}

/** For each figure that was measured of Jackfield and of somebody else, who comes closest. */
export function compareWithAll(recordings: readonly Recording[], settings: BenchSettings): Comparison[] {
  return keyFigures(settings).flatMap((figure) => {
    const own = medianOf(recordings, figure);
    const others = competitorsIn(recordings, figure)
      .flatMap((subject) => comparisonWith(recordings, figure, subject, own))
      .sort((a, b) => (figure.isMoreBetter ? 1 : -1) * (a.ratio.median - b.ratio.median));
    return others.slice(0, 1);
  });
}

function comparisonWith(
  recordings: readonly Recording[],
  figure: KeyFigure,
  subject: Subject,
  own: number | undefined,
): Comparison[] {
  const theirs = medianOf(recordings, { ...figure, subject });
  const ratio = ratioOf(recordings, figure, { subject });
  if (own === undefined || theirs === undefined || ratio === undefined) return [];
  const isAhead = figure.isMoreBetter ? ratio.median > 1 : ratio.median < 1;
  return [{ figure, own, closest: subject, theirs, ratio, isAhead }];
}

/** A cold start is compared with cold starts. */
function competitorsIn(recordings: readonly Recording[], { scenario, subject }: KeyFigure): Subject[] {
  const subjects = recordings
    .filter((recording) => recording.scenario === scenario)
    .map(({ subject }) => subject);
  const isWarm = subject === "jackfield-catalog";
  return [...new Set(subjects)].filter(
    (other) => !NO_COMPETITORS.includes(other) && (isWarm || other !== "mastra-catalog"),
  );
}

/** The comparisons as a table. */
export function comparisonTable(comparisons: readonly Comparison[]): string {
  return formatTable({
    header: ["what", "unit", "closest", "Jackfield", "theirs", "ratio", "ahead"],
    rows: comparisons.map(({ figure, own, closest, theirs, ratio, isAhead }) => [
      figure.title,
      figure.unit,
      LABELS[closest],
      formatNumber(own),
      formatNumber(theirs),
      formatRatio(ratio),
      isAhead ? "yes" : "no",
    ]),
    labels: 3,
  });
}
