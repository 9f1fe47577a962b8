import { hasOwnConnections } from "./clients/names.ts";
import { CURVES, type Curve, type FigureName } from "./measurement.ts";
import { type BenchSettings, CALL_TRANSPORTS } from "./settings.ts";
import {
  callScenario,
  curveScenario,
  growthScenario,
  memoryScenario,
  recoveryScenario,
  startScenario,
} from "./step.ts";
import { catalogStarters, inOrder, type Subject } from "./subject.ts";

/** A column: a median for orientation, or a ratio to a subject of the same scenario. */
export interface Column {
  readonly title: string;
  readonly figure: FigureName;
  /** Multiplies a median, to show it in another unit. */
  readonly scale?: number | undefined;
  readonly against?: Subject | undefined;
  /** Another scenario than the row's. */
  readonly scenario?: string | undefined;
}

/** A row: what stands on its left, and whose figures follow. `curve`: its slope follows them. */
export interface Row {
  readonly label: string;
  readonly scenario: string;
  readonly subject: Subject;
  readonly curve?: Curve | undefined;
}

/** A table with a line that says what its figures mean. */
export interface Section {
  readonly title: string;
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

const BASELINE = "raw-sdk";

/** A figure, and its ratio to the raw SDK's. */
function withRatio(title: string, figure: FigureName, scale?: number): Column[] {
  return [
    { title, figure, scale },
    { title: "x raw SDK", figure, against: BASELINE },
  ];
}

const START: readonly Column[] = [...withRatio("ready ms", "readyMs"), ...withRatio("CPU ms", "readyCpuMs")];
const FIRST_ANSWER = withRatio("first answer ms", "firstAnswerMs");
const STARTED: Column = { title: "started before", figure: "startedBeforeReady" };

/** What a run measured, a section for each kind of figure. */
export function reportSections(settings: BenchSettings): Section[] {
  const { measures } = settings;
  const clients = inOrder(settings.clients);
  const sections: { readonly [measure in BenchSettings["measures"][number]]: () => Section[] } = {
    start: () => startSections(settings, clients),
    slow: () => [faultSection(settings, clients, "slow")],
    hang: () => [faultSection(settings, clients, "hang")],
    calls: () => callSections(settings, clients),
    memory: () => [memorySection(settings, clients)],
    recovery: () => [recoverySection(clients)],
    growth: () => [growthSection(settings)],
    curves: () => CURVES.map((of) => curveSection(settings, of)),
    own: () => [],
  };
  return Object.entries(sections).flatMap(([measure, make]) =>
    measures.some((wanted) => wanted === measure) ? make() : [],
  );
}

function startSections({ serverCounts }: BenchSettings, clients: BenchSettings["clients"]): Section[] {
  const rows = (subjects: readonly Subject[]) =>
    serverCounts.flatMap((servers) =>
      subjects.map((subject): Row => ({ label: String(servers), scenario: startScenario(servers), subject })),
    );
  const warm = [...catalogStarters(clients), ...clients.filter(hasOwnConnections), "bare-node"] as const;
  return [
    {
      title:
        "COLD START: from the start of the process until the tools of so many stdio servers are listed, without a catalog. Lower is better.",
      label: "servers",
      rows: rows(clients),
      columns: [...START, { title: "processes each", figure: "startedEach" }],
    },
    {
      title:
        "WARM START: the same until tools are usable, from a catalog where a client can, the others in their only way: they connect everything. Lower is better; the goal is at most 1.6 x bare Node, which only reads the same SQLite file, with 20 servers.",
      label: "servers",
      rows: rows(warm.filter((subject) => subject !== "jackfield")),
      columns: [
        ...START,
        { title: "x bare Node", figure: "readyMs", against: "bare-node" },
        ...FIRST_ANSWER,
        STARTED,
      ],
    },
  ];
}

function faultSection(
  { faultServers, slowMs, patienceMs }: BenchSettings,
  clients: BenchSettings["clients"],
  fault: "slow" | "hang",
): Section {
  const what =
    fault === "slow"
      ? `ONE OF ${faultServers} SERVERS TAKES ${slowMs / 1000} S`
      : `ONE OF ${faultServers} SERVERS NEVER ANSWERS: a client that has no tools after ${patienceMs} ms is given up`;
  const scenario = startScenario(faultServers, fault);
  const subjects = [...catalogStarters(clients), ...clients.filter(hasOwnConnections)];
  return {
    title: `${what}; the first ratio is to a start of the raw SDK in which all are well. Lower is better.`,
    label: "start",
    rows: subjects.map((subject) => ({ label: fault, scenario, subject })),
    columns: [
      { title: "ready ms", figure: "readyMs" },
      {
        title: "x raw SDK, all well",
        figure: "readyMs",
        against: BASELINE,
        scenario: startScenario(faultServers),
      },
      { title: "CPU ms", figure: "readyCpuMs" },
      { title: "first answer ms", figure: "firstAnswerMs" },
      STARTED,
    ],
  };
}

function callSections(
  { callCounts, callSizes }: BenchSettings,
  clients: BenchSettings["clients"],
): Section[] {
  const rows = (isMeasured: (counts: BenchSettings["callCounts"]["stdio"]) => boolean) =>
    CALL_TRANSPORTS.filter((transport) => isMeasured(callCounts[transport])).flatMap((transport) =>
      clients.map((subject): Row => ({ label: transport, scenario: callScenario(transport), subject })),
    );
  const { smallBytes, largeBytes, inFlight } = callSizes;
  const label = "transport";
  return [
    {
      title: `CALLS IN TURN: one echo call with ${smallBytes} bytes after the other on one connection, CPU time of the client alone. Lower is better.`,
      label,
      rows: rows(({ sequential }) => sequential > 0),
      columns: [
        ...withRatio("p50 ms", "sequentialP50Ms"),
        ...withRatio("p99 ms", "sequentialP99Ms"),
        ...withRatio("CPU us/call", "sequentialCpuMs", 1000),
      ],
    },
    {
      title: `LARGE ANSWERS: the same with answers of ${largeBytes} bytes. Lower is better.`,
      label,
      rows: rows(({ large }) => large > 0),
      columns: [...withRatio("p50 ms", "largeP50Ms"), ...withRatio("CPU ms/call", "largeCpuMs")],
    },
    {
      title: `CALLS AT ONCE: ${inFlight} echo calls under way at a time. More calls/s and less CPU are better.`,
      label,
      rows: rows(({ concurrent }) => concurrent > 0),
      columns: [
        ...withRatio("calls/s", "callsPerSecond"),
        { title: "x hand-written", figure: "callsPerSecond", against: "hand-written" },
        ...withRatio("CPU us/call", "concurrentCpuMs", 1000),
      ],
    },
  ];
}

function memorySection(
  { sessionCounts, toolCounts }: BenchSettings,
  clients: BenchSettings["clients"],
): Section {
  const subjects = clients.filter(hasOwnConnections);
  const rowsOf = (of: "sessions" | "tools", counts: readonly number[]) =>
    counts.flatMap((count) =>
      subjects.map(
        (subject): Row => ({
          label: `${of}: ${count.toLocaleString("en")}`,
          scenario: memoryScenario(of, count),
          subject,
        }),
      ),
    );
  return {
    title:
      "MEMORY: what the first session over HTTP takes, what so many take above it, and what one with so many tools takes above one with ten. Less is better.",
    label: "of",
    rows: [...rowsOf("sessions", sessionCounts), ...rowsOf("tools", toolCounts)],
    columns: [
      ...withRatio("sessions MiB", "sessionsMib"),
      ...withRatio("tools MiB", "toolsMib"),
      ...withRatio("whole process MiB", "residentMib"),
    ],
  };
}

function recoverySection(clients: BenchSettings["clients"]): Section {
  const subjects = clients.filter(hasOwnConnections);
  return {
    title:
      "RECOVERY: from the end of a stdio server that was killed, or from the moment a server behind HTTP forgets its sessions, until a call is answered by the tools that were handed out before. Beside it what a start of the server, or a call, takes. Lower is better.",
    label: "from",
    rows: (["kill", "session"] as const).flatMap((fault) =>
      subjects.map((subject): Row => ({ label: fault, scenario: recoveryScenario(fault), subject })),
    ),
    columns: [
      { title: "ms", figure: "recoveryMs" },
      { title: "a start or call ms", figure: "comparedMs" },
      { title: "failed calls", figure: "failedCalls" },
      { title: "round trips", figure: "roundTrips" },
    ],
  };
}

function growthSection({ growth, longClients }: BenchSettings): Section {
  return {
    title:
      "GROWTH: of heap and resident memory over so many calls, or reconnects, after as many as a tenth of them. Once.",
    label: "over",
    rows: (["calls", "reconnects"] as const).flatMap((of) =>
      inOrder(longClients).map((subject): Row => {
        return { label: `${growth[of].toLocaleString("en")} ${of}`, scenario: growthScenario(of), subject };
      }),
    ),
    columns: [
      { title: "heap MiB", figure: "heapMib" },
      { title: "resident MiB", figure: "residentMib" },
    ],
  };
}

function curveSection({ curveSizes, longClients }: BenchSettings, of: Curve): Section {
  return {
    title: `CURVE of ${of}: milliseconds at each size, and the slope on log-log axes over all sizes and over the last three: 1 is linear.`,
    label: of,
    rows: inOrder(longClients).map((subject) => ({ label: "ms", scenario: "", subject, curve: of })),
    columns: curveSizes[of].map((size) => {
      return { title: size.toLocaleString("en"), figure: "pointMs", scenario: curveScenario(of, size) };
    }),
  };
}
