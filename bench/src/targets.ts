import { type Budget, type BudgetResult, budgetResults } from "./budget.ts";
import { curveSamples, endSlopeOf, slopeOf } from "./curve-fit.ts";
import { CURVES } from "./measurement.ts";
import type { Recording } from "./recording.ts";
import type { CallTransport } from "./settings.ts";
import { spreadOf } from "./statistics.ts";
import { callScenario, growthScenario, memoryScenario, recoveryScenario, startScenario } from "./step.ts";

const RAW = { subject: "raw-sdk" } as const;
const HAND_WRITTEN = { subject: "hand-written" } as const;

/** A slope above this one is worse than linear by more than measuring blurs it. */
const STEEPEST_SLOPE = 1.1;

/** What Jackfield wants to be, beside the official SDK's client and the hand-written loop. */
const TARGETS: readonly Budget[] = [
  ...warmTargets(),
  ...[1, 5, 20, 50].map((servers): Budget => {
    const title = `cold start, ${servers} servers, times the raw SDK's`;
    return { title, scenario: startScenario(servers), ...ready("jackfield"), per: RAW, unit: "x", limit: 1 };
  }),
  {
    title: "server processes a server, cold start of 20",
    scenario: startScenario(20),
    subject: "jackfield",
    figure: "startedEach",
    unit: "",
    limit: 1,
  },
  {
    title: "stdio, call in turn, p50, times the raw SDK's",
    scenario: callScenario("stdio"),
    subject: "jackfield",
    figure: "sequentialP50Ms",
    per: RAW,
    unit: "x",
    limit: 0.5,
  },
  ...callTargets("stdio", 3.5),
  ...callTargets("http-json", 4),
  ...callTargets("http-sse", 5),
  {
    title: "stdio, CPU of a call with 1 MiB, times the raw SDK's",
    scenario: callScenario("stdio"),
    subject: "jackfield",
    figure: "largeCpuMs",
    per: RAW,
    unit: "x",
    limit: 0.5,
  },
  {
    title: "memory of 100 sessions, times the raw SDK's",
    scenario: memoryScenario("sessions", 100),
    subject: "jackfield",
    figure: "sessionsMib",
    per: RAW,
    unit: "x",
    limit: 0.9,
  },
  {
    title: "memory of 10,000 tools, times the raw SDK's",
    scenario: memoryScenario("tools", 10_000),
    subject: "jackfield",
    figure: "toolsMib",
    per: RAW,
    unit: "x",
    limit: 0.6,
  },
  {
    title: "heap growth over very many calls",
    scenario: growthScenario("calls"),
    subject: "jackfield",
    figure: "heapMib",
    unit: "MiB",
    limit: 5,
  },
  {
    title: "heap growth over very many reconnects",
    scenario: growthScenario("reconnects"),
    subject: "jackfield",
    figure: "heapMib",
    unit: "MiB",
    limit: 5,
  },
  {
    title: "recovery from a kill, times one start of the server",
    scenario: recoveryScenario("kill"),
    subject: "jackfield",
    figure: "recoveryMs",
    per: { figure: "comparedMs" },
    unit: "x",
    limit: 1,
  },
  {
    title: "recovery from a lost session, round trips besides the call",
    scenario: recoveryScenario("session"),
    subject: "jackfield",
    figure: "roundTrips",
    unit: "",
    limit: 1,
  },
];

/** Every target beside what was measured: those above, and that no curve is steeper than linear. */
export function targetResults(recordings: readonly Recording[]): BudgetResult[] {
  return [...budgetResults(recordings, TARGETS), ...CURVES.flatMap((of) => slopeResults(recordings, of))];
}

function slopeResults(recordings: readonly Recording[], of: (typeof CURVES)[number]): BudgetResult[] {
  const rounds = curveSamples(recordings, "jackfield", of);
  return [
    { title: `slope of the curve of ${of}`, fit: slopeOf },
    { title: `slope of the end of the curve of ${of}`, fit: endSlopeOf },
  ].map(({ title, fit }) => {
    const slopes = rounds.map(fit).filter((slope) => slope !== undefined);
    const measured = slopes.length === 0 ? undefined : spreadOf(slopes);
    const isKept = measured !== undefined && measured.median <= STEEPEST_SLOPE;
    return { title, unit: "", limit: STEEPEST_SLOPE, isLeast: false, measured, isKept };
  });
}

function ready(subject: Budget["subject"]): Pick<Budget, "subject" | "figure"> {
  return { subject, figure: "readyMs" };
}

function warmTargets(): Budget[] {
  const scenario = startScenario(20);
  const warm = ready("jackfield-catalog");
  const beforeReady = { subject: "jackfield-catalog", figure: "startedBeforeReady" } as const;
  const cold = { ...RAW, scenario };
  const slow = startScenario(20, "slow");
  const hang = startScenario(20, "hang");
  const title = "warm start, 20 servers";
  const ofCold = "times the raw SDK's cold start of 20 that are well";
  return [
    { title: `${title}, ${ofCold}`, scenario, ...warm, per: cold, unit: "x", limit: 0.25 },
    {
      title: `${title}, one takes 3 s, ${ofCold}`,
      scenario: slow,
      ...warm,
      per: cold,
      unit: "x",
      limit: 0.25,
    },
    { title: `${title}, one hangs, ${ofCold}`, scenario: hang, ...warm, per: cold, unit: "x", limit: 0.25 },
    {
      title: `${title}, times bare Node`,
      scenario,
      ...warm,
      per: { subject: "bare-node" },
      unit: "x",
      limit: 1.6,
    },
    { title: `${title}, processes before the tools are there`, scenario, ...beforeReady, unit: "", limit: 0 },
  ];
}

/** Throughput beside the raw SDK and the limit, and what adapters leave of it. */
function callTargets(transport: CallTransport, times: number): Budget[] {
  const common = {
    scenario: callScenario(transport),
    figure: "callsPerSecond",
    unit: "x",
    isLeast: true,
  } as const;
  const own = { ...common, subject: "jackfield" } as const;
  const perOwn = { per: { subject: "jackfield" }, limit: 0.8 } as const;
  const title = `${transport}, calls/s at once`;
  return [
    { title: `${title}, times the raw SDK's`, ...own, per: RAW, limit: times },
    { title: `${title}, times the hand-written loop's`, ...own, per: HAND_WRITTEN, limit: 0.75 },
    { title: `${title}, AI SDK tools, times Jackfield's`, ...common, subject: "jackfield-ai-sdk", ...perOwn },
    {
      title: `${title}, LangChain tools, times Jackfield's`,
      ...common,
      subject: "jackfield-langchain",
      ...perOwn,
    },
  ];
}
