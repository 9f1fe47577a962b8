import { type Bar, chartOf, type Panel } from "./chart.ts";
import type { Machine } from "./machine.ts";
import type { FigureName } from "./measurement.ts";
import { type Recording, ratioOf } from "./recording.ts";
import { callScenario, memoryScenario, startScenario } from "./step.ts";
import { LABELS, type Subject } from "./subject.ts";

const BASELINE: Subject = "raw-sdk";
const WELL_KNOWN_SERVERS = 20;

interface Drawing {
  readonly title: string;
  readonly scenario: string;
  readonly figure: FigureName;
  readonly isMoreBetter?: boolean | undefined;
}

/** What the chart shows; figures that were not measured are left out. */
const DRAWINGS: readonly Drawing[] = [
  {
    title: `${WELL_KNOWN_SERVERS} servers: time to usable tools`,
    scenario: startScenario(WELL_KNOWN_SERVERS),
    figure: "readyMs",
  },
  {
    title: "stdio: calls per second",
    scenario: callScenario("stdio"),
    figure: "callsPerSecond",
    isMoreBetter: true,
  },
  {
    title: "HTTP, JSON: calls per second",
    scenario: callScenario("http-json"),
    figure: "callsPerSecond",
    isMoreBetter: true,
  },
  {
    title: "HTTP, event streams: calls per second",
    scenario: callScenario("http-sse"),
    figure: "callsPerSecond",
    isMoreBetter: true,
  },
  { title: "memory of 100 sessions", scenario: memoryScenario("sessions", 100), figure: "sessionsMib" },
  { title: "memory of 10,000 tools", scenario: memoryScenario("tools", 10_000), figure: "toolsMib" },
];

/** The chart of a run: each client's ratio to the raw SDK. `undefined` if nothing of it was measured. */
export function resultChart(
  recordings: readonly Recording[],
  { cpus, cpu, node }: Machine,
): string | undefined {
  const panels = DRAWINGS.map((drawing) => panelOf(recordings, drawing)).filter(
    ({ bars }) => bars.length > 0,
  );
  if (panels.length === 0) return undefined;
  const machine = `Node ${node}, ${cpus} × ${cpu}`;
  return chartOf(
    panels,
    `Ratios to the raw SDK v2 (dotted line), medians of the rounds of one run. ${machine}.`,
  );
}

function panelOf(
  recordings: readonly Recording[],
  { title, scenario, figure, isMoreBetter }: Drawing,
): Panel {
  const subjects = [
    ...new Set(recordings.filter((one) => one.scenario === scenario).map(({ subject }) => subject)),
  ];
  const bars = subjects.flatMap((subject): Bar[] => {
    const ratio = ratioOf(recordings, { scenario, subject, figure }, { subject: BASELINE })?.median;
    return ratio === undefined
      ? []
      : [{ label: LABELS[subject], ratio, isOwn: subject.startsWith("jackfield") }];
  });
  const better = isMoreBetter ? "more is better" : "less is better";
  const order = isMoreBetter ? -1 : 1;
  return { title: `${title}, ${better}`, bars: bars.sort((a, b) => order * (a.ratio - b.ratio)) };
}
