import { budgetResults, budgetTable } from "./budget.ts";
import { CLIENT_NAMES, type ClientName } from "./clients/client.ts";
import type { Machine } from "./machine.ts";
import { CONCURRENCY, type FigureName } from "./measurement.ts";
import { medianOf, type Recording, ratioOf } from "./recording.ts";
import {
  CALL_TRANSPORTS,
  callScenario,
  MEMORY_SCENARIO,
  MEMORY_SESSIONS,
  type RoundOptions,
  type Subject,
  startScenario,
} from "./step.ts";
import { formatNumber, formatRatio, formatTable } from "./table.ts";

const BASELINE: ClientName = "raw-sdk";

const LABELS: { readonly [subject in Subject]: string } = {
  jackfield: "Jackfield",
  "jackfield-catalog": "Jackfield, catalog",
  "raw-sdk": "raw SDK",
  "hand-written": "hand-written",
  "tool-cache": "tool cache",
  "bare-node": "bare Node, SQLite",
};

const WARM_SUBJECTS: readonly Subject[] = ["jackfield-catalog", "raw-sdk", "hand-written", "bare-node"];

/** A column: a median for orientation, or a ratio to a subject of the same scenario. */
interface Column {
  readonly title: string;
  readonly figure: FigureName;
  /** Multiplies a median, to show it in another unit. */
  readonly scale?: number | undefined;
  readonly against?: Subject | undefined;
}

/** A row: what stands on its left, and whose figures follow. */
interface Row {
  readonly label: string;
  readonly scenario: string;
  readonly subject: Subject;
}

const COLD: readonly Column[] = [
  { title: "ready ms", figure: "readyMs" },
  { title: "x raw SDK", figure: "readyMs", against: BASELINE },
  { title: "CPU ms", figure: "readyCpuMs" },
  { title: "x raw SDK", figure: "readyCpuMs", against: BASELINE },
];

const WARM: readonly Column[] = [
  ...COLD,
  { title: "x bare Node", figure: "readyMs", against: "bare-node" },
  { title: "first answer ms", figure: "firstAnswerMs" },
  { title: "x raw SDK", figure: "firstAnswerMs", against: BASELINE },
];

const SEQUENTIAL: readonly Column[] = [
  { title: "p50 ms", figure: "sequentialP50Ms" },
  { title: "x raw SDK", figure: "sequentialP50Ms", against: BASELINE },
  { title: "p99 ms", figure: "sequentialP99Ms" },
  { title: "x raw SDK", figure: "sequentialP99Ms", against: BASELINE },
  { title: "CPU us/call", figure: "sequentialCpuMs", scale: 1000 },
  { title: "x raw SDK", figure: "sequentialCpuMs", against: BASELINE },
];

const CONCURRENT: readonly Column[] = [
  { title: "calls/s", figure: "callsPerSecond" },
  { title: "x raw SDK", figure: "callsPerSecond", against: BASELINE },
  { title: "CPU us/call", figure: "concurrentCpuMs", scale: 1000 },
  { title: "x raw SDK", figure: "concurrentCpuMs", against: BASELINE },
];

const MEMORY: readonly Column[] = [
  { title: "MiB", figure: "sessionsMib" },
  { title: "x raw SDK", figure: "sessionsMib", against: BASELINE },
];

/** The tables, each with a line that says what its figures mean. */
export function reportOf(
  recordings: readonly Recording[],
  { serverCounts }: RoundOptions,
  machine: Machine,
): string {
  const rounds = new Set(recordings.map(({ round }) => round)).size;
  const starts = (subjects: readonly Subject[]) =>
    serverCounts.flatMap((servers) =>
      subjects.map((subject): Row => ({ label: String(servers), scenario: startScenario(servers), subject })),
    );
  const calls = CALL_TRANSPORTS.flatMap((transport) =>
    CLIENT_NAMES.map((subject): Row => ({ label: transport, scenario: callScenario(transport), subject })),
  );
  const memory = CLIENT_NAMES.map(
    (subject): Row => ({ label: String(MEMORY_SESSIONS), scenario: MEMORY_SCENARIO, subject }),
  );
  const table = (label: string, rows: readonly Row[], columns: readonly Column[]) =>
    formatTable({
      header: [label, "client", ...columns.map(({ title }) => title)],
      rows: rows.map((row) => [
        row.label,
        LABELS[row.subject],
        ...columns.map((column) => cell(recordings, row, column)),
      ]),
      labels: 2,
    });
  return [
    `Node ${machine.node}, ${machine.cpus} x ${machine.cpu}, ${machine.system}, load ${machine.loadBefore.toFixed(1)} before and ${machine.loadAfter.toFixed(1)} after, rounds: ${rounds}.`,
    "Ratios are medians of the ratios within each round (lowest-highest). Other figures are medians: for orientation only, they change with the machine.",
    "COLD START: from the start of the process until the tools of so many stdio servers are listed, without a catalog. Lower is better.",
    table("servers", starts(CLIENT_NAMES), COLD),
    "WARM START: the same until tools are usable, Jackfield from its catalog, the others in their only way: they connect everything. Lower is better; the goal is at most 1.6 x bare Node, which only reads the same SQLite file, with 20 servers.",
    table("servers", starts(WARM_SUBJECTS), WARM),
    "CALLS IN TURN: one echo call after the other on one connection, CPU time of the client alone. Lower is better.",
    table("transport", calls, SEQUENTIAL),
    `CALLS AT ONCE: ${CONCURRENCY} echo calls under way at a time. More calls/s and less CPU are better.`,
    table("transport", calls, CONCURRENT),
    `MEMORY: what ${MEMORY_SESSIONS} sessions over HTTP take above one. Less is better.`,
    table("sessions", memory, MEMORY),
    "BUDGETS: what the runtime itself may cost. Lower is better; kept means that the median is within the budget.",
    budgetTable(budgetResults(recordings)),
  ].join("\n\n");
}

function cell(recordings: readonly Recording[], { scenario, subject }: Row, column: Column): string {
  const question = { scenario, subject, figure: column.figure };
  if (column.against === subject) return "1";
  if (column.against !== undefined) return formatRatio(ratioOf(recordings, question, column.against));
  const median = medianOf(recordings, question);
  return formatNumber(median === undefined ? undefined : median * (column.scale ?? 1));
}
