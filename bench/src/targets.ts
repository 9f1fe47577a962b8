import { type Budget, type BudgetResult, budgetResults } from "./budget.ts";
import { curveSamples, slopeOf } from "./curve-fit.ts";
import { CURVES } from "./measurement.ts";
import type { Recording } from "./recording.ts";
import { spreadOf } from "./statistics.ts";
import { callScenario, growthScenario, memoryScenario, startScenario } from "./step.ts";

const RAW = { subject: "raw-sdk" } as const;

/** No worse than linear: a slope above this one is steeper by more than measuring blurs it. */
const STEEPEST_SLOPE = 1.1;

/** The tools of a framework over the tools of Jackfield. */
const FRAMEWORKS = { "jackfield-ai-sdk": "AI SDK", "jackfield-langchain": "LangChain" } as const;

/** The transports over which calls are compared, and how many times the raw SDK's calls Jackfield makes at least. */
const AT_ONCE = { stdio: 3, "http-json": 3.5, "http-sse": 4 } as const;

const LABELS = {
  stdio: "stdio",
  "http-json": "HTTP with JSON",
  "http-sse": "HTTP with event streams",
} as const;

/** How fast Jackfield wants to be: what a person feels, as ratios to the official SDK's client in the same round. */
const TARGETS: readonly Budget[] = [
  ...(
    [
      [1, 0.9],
      [20, 1],
    ] as const
  ).map(
    ([servers, limit]): Budget => ({
      title: `cold start, ${servers} server${servers === 1 ? "" : "s"}`,
      ...{ scenario: startScenario(servers), subject: "jackfield", figure: "readyMs" },
      ...{ per: RAW, unit: "x", limit },
    }),
  ),
  {
    title: "the same, processes a server",
    ...{ scenario: startScenario(20), subject: "jackfield", figure: "startedEach", unit: "", limit: 1 },
  },
  ...([undefined, "hang"] as const).map(
    (fault): Budget => ({
      title: `warm start, 20 servers${fault ? ", one of which hangs" : ""}`,
      ...{ scenario: startScenario(20, fault), subject: "jackfield-catalog", figure: "readyMs" },
      ...{ per: { ...RAW, scenario: startScenario(20) }, unit: "x", limit: 0.25 },
    }),
  ),
  {
    title: "the same, processes before the tools are there",
    ...{ scenario: startScenario(20), subject: "jackfield-catalog", figure: "startedBeforeReady" },
    ...{ unit: "", limit: 0 },
  },
  {
    title: "first use after a warm start, times one start of that server",
    ...{ scenario: startScenario(1), subject: "jackfield-catalog", figure: "firstUseMs" },
    ...{ per: { figure: "comparedMs" }, unit: "x", limit: 1 },
  },
  ...Object.entries(AT_ONCE).map(([transport, limit]): Budget => {
    const of = transport as keyof typeof AT_ONCE;
    return { title: `${LABELS[of]}, calls at once`, ...atOnce(of, "jackfield"), limit };
  }),
  ...Object.entries(FRAMEWORKS).flatMap(([subject, framework]) =>
    (Object.keys(AT_ONCE) as (keyof typeof AT_ONCE)[]).map((of): Budget => {
      const title = `${LABELS[of]}, calls at once through ${framework} tools`;
      return { title, ...atOnce(of, subject as keyof typeof FRAMEWORKS), limit: 2 };
    }),
  ),
  {
    title: "extra memory of 100 sessions",
    ...{ scenario: memoryScenario("sessions", 100), subject: "jackfield", figure: "sessionsMib" },
    ...{ per: RAW, unit: "x", limit: 0.6 },
  },
  {
    title: "extra memory of 10,000 tools",
    ...{ scenario: memoryScenario("tools", 10_000), subject: "jackfield", figure: "toolsMib" },
    ...{ per: RAW, unit: "x", limit: 0.4 },
  },
  ...(["calls", "reconnects"] as const).map(
    (of): Budget => ({
      title: `heap over ${of === "calls" ? "1,000,000" : "10,000"} ${of}`,
      ...{ scenario: growthScenario(of), subject: "jackfield", figure: "heapMib", unit: "MiB", limit: 5 },
    }),
  ),
];

/** Every target beside what was measured: those above, and that no curve is steeper than linear. */
export function targetResults(recordings: readonly Recording[]): BudgetResult[] {
  return [...budgetResults(recordings, TARGETS), ...CURVES.map((of) => slopeResult(recordings, of))];
}

const GROWS = { servers: "servers", tools: "tools", bytes: "bytes", "in flight": "calls in flight" } as const;

function slopeResult(recordings: readonly Recording[], of: (typeof CURVES)[number]): BudgetResult {
  const slopes = curveSamples(recordings, "jackfield", of).flatMap((samples) => slopeOf(samples) ?? []);
  const measured = slopes.length === 0 ? undefined : spreadOf(slopes);
  const isKept = measured !== undefined && measured.median <= STEEPEST_SLOPE;
  const title = `growth with ${GROWS[of]}, 1 is linear`;
  return { title, unit: "", limit: STEEPEST_SLOPE, isLeast: false, measured, isKept };
}

/** Calls a second over this transport, beside the raw SDK's. */
function atOnce(transport: keyof typeof AT_ONCE, subject: Budget["subject"]) {
  const of = { scenario: callScenario(transport), subject, figure: "callsPerSecond" } as const;
  return { ...of, per: RAW, unit: "x", isLeast: true } as const;
}
