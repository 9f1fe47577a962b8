import { CATALOG_BUDGETS } from "./catalog-budgets.ts";
import { DISCOVERY_SCENARIO } from "./discovery-step.ts";
import type { FigureName } from "./measurement.ts";
import { differenceOf, type Question, type Recording, ratioOf, spreadIn } from "./recording.ts";
import type { Spread } from "./statistics.ts";
import { KNOWN_SCENARIO, OVERHEAD_SCENARIO, startScenario } from "./step.ts";
import type { Subject } from "./subject.ts";
import { formatNumber, formatTable } from "./table.ts";
import { TRANSPORT_BUDGETS } from "./transport-budgets.ts";

/** What something may cost. */
export interface Budget {
  readonly title: string;
  readonly scenario: string;
  readonly subject: Subject;
  readonly figure: FigureName;
  /** The figure is taken less this one of the same round, which is another one only in what is said. */
  readonly less?: Partial<Question> | undefined;
  /** The figure is divided by this one of the same round. */
  readonly per?: Partial<Question> | undefined;
  readonly unit: "ms" | "us" | "x" | "MiB" | "";
  readonly limit: number;
  /** The figure is to be at least the limit. Default: at most. */
  readonly isLeast?: boolean | undefined;
}

const BUDGETS: readonly Budget[] = [
  {
    title: "300 servers in 30 files found, over starting Node",
    scenario: DISCOVERY_SCENARIO,
    subject: "discovery",
    figure: "readyMs",
    less: { subject: "bare-node" },
    unit: "ms",
    limit: 40,
  },
  {
    title: "1,000 servers with 10 tools each from the catalog, ready, over reading them",
    scenario: KNOWN_SCENARIO,
    subject: "jackfield-catalog",
    figure: "readyMs",
    less: { subject: "bare-node" },
    unit: "ms",
    limit: 150,
  },
  {
    title: "tools() of 10,000 tools, nothing changed",
    scenario: OVERHEAD_SCENARIO,
    subject: "jackfield",
    figure: "unchangedToolsMs",
    unit: "ms",
    limit: 1,
  },
  {
    title: "first search among 400 tools, over a cold start of the raw SDK",
    ...{ scenario: OVERHEAD_SCENARIO, subject: "jackfield", figure: "indexMs", unit: "x", limit: 1 },
    per: { subject: "raw-sdk", scenario: startScenario(1), figure: "readyMs" },
  },
  {
    title: "a search among 10,000 tools, over a cold start of the raw SDK",
    ...{ scenario: OVERHEAD_SCENARIO, subject: "jackfield", figure: "searchMs", unit: "x", limit: 0.02 },
    per: { subject: "raw-sdk", scenario: startScenario(1), figure: "readyMs" },
  },
  {
    title: "one of 1,000 servers lists anew, and tools() of all 10,000 tools",
    scenario: OVERHEAD_SCENARIO,
    subject: "jackfield",
    figure: "changedToolsMs",
    unit: "ms",
    limit: 1,
  },
  {
    title: "10,000 tools made tools of the AI SDK",
    scenario: OVERHEAD_SCENARIO,
    subject: "jackfield",
    figure: "adaptedToolsMs",
    unit: "ms",
    limit: 50,
  },
  {
    title: "CPU added to a call over its session",
    scenario: OVERHEAD_SCENARIO,
    subject: "jackfield",
    figure: "addedCpuMs",
    unit: "us",
    limit: 5,
  },
  ...TRANSPORT_BUDGETS,
  ...CATALOG_BUDGETS,
];

/** What something costs, beside what it may cost. */
export interface BudgetResult {
  readonly title: string;
  readonly unit: Budget["unit"];
  readonly limit: number;
  readonly isLeast: boolean;
  /** Missing where it was not measured. */
  readonly measured?: Spread | undefined;
  /** Whether the median is within the limit. */
  readonly isKept: boolean;
}

/** Every budget beside what was measured. */
export function budgetResults(recordings: readonly Recording[], budgets = BUDGETS): BudgetResult[] {
  return budgets.map((budget) => {
    const { title, unit, limit, isLeast = false } = budget;
    const spread = measuredSpread(recordings, budget);
    const measured = spread && scaled(spread, unit === "us" ? 1_000 : 1);
    const isWithin = (figure: number) => (isLeast ? figure >= limit : figure <= limit);
    const isKept = measured !== undefined && isWithin(measured.median);
    return { title, unit, limit, isLeast, measured, isKept };
  });
}

function measuredSpread(recordings: readonly Recording[], budget: Budget): Spread | undefined {
  const { scenario, subject, figure, less, per } = budget;
  const question = { scenario, subject, figure };
  if (less !== undefined) return differenceOf(recordings, question, less);
  return per === undefined ? spreadIn(recordings, question) : ratioOf(recordings, question, per);
}

/** The results as a table. */
export function budgetTable(results: readonly BudgetResult[]): string {
  return formatTable({
    header: ["what", "unit", "measured", "lowest", "highest", "budget", "kept"],
    rows: results.map(({ title, unit, measured, limit, isLeast, isKept }) => [
      title,
      unit,
      formatNumber(measured?.median),
      formatNumber(measured?.lowest),
      formatNumber(measured?.highest),
      `${isLeast ? ">=" : "<="} ${limit}`,
      measured === undefined ? "-" : isKept ? "yes" : "no",
    ]),
    labels: 2,
  });
}

function scaled({ median, lowest, highest }: Spread, scale: number): Spread {
  return { median: median * scale, lowest: lowest * scale, highest: highest * scale };
}
