import { budgetResults, budgetTable } from "./budget.ts";
import { compareWithAll, comparisonTable } from "./comparison.ts";
import { curveSamples, endSlopeOf, slopeOf } from "./curve-fit.ts";
import type { Machine } from "./machine.ts";
import { medianOf, type Recording, ratioOf } from "./recording.ts";
import { type Column, type Row, reportSections, type Section } from "./report-section.ts";
import type { BenchSettings } from "./settings.ts";
import { spreadOf } from "./statistics.ts";
import { LABELS } from "./subject.ts";
import { formatNumber, formatRatio, formatTable } from "./table.ts";
import { targetResults } from "./targets.ts";

/** The tables, each with a line that says what its figures mean. */
export function reportOf(
  recordings: readonly Recording[],
  settings: BenchSettings,
  machine: Machine,
): string {
  return [
    ...heading(recordings, machine),
    ...reportSections(settings).flatMap((section) => [section.title, sectionTable(recordings, section)]),
    ...comparisons(recordings, settings),
    ...ownTables(recordings, settings),
    ...problemLines(recordings),
  ].join("\n\n");
}

/** The table of the targets alone. */
export function targetReportOf(recordings: readonly Recording[], machine: Machine): string {
  return [
    ...heading(recordings, machine),
    budgetTable(targetResults(recordings)),
    ...problemLines(recordings),
  ].join("\n\n");
}

function heading(recordings: readonly Recording[], machine: Machine): string[] {
  const rounds = new Set(recordings.map(({ round }) => round)).size;
  return [
    `Node ${machine.node}, ${machine.cpus} x ${machine.cpu}, ${machine.system}, load ${machine.loadBefore.toFixed(1)} before and ${machine.loadAfter.toFixed(1)} after, rounds: ${rounds}.`,
    "Ratios are medians of the ratios within each round (lowest-highest). Other figures are medians: for orientation only, they change with the machine.",
  ];
}

function comparisons(recordings: readonly Recording[], settings: BenchSettings): string[] {
  const compared = compareWithAll(recordings, settings);
  if (compared.length === 0) return [];
  return [
    "BESIDE WHOEVER COMES CLOSEST: for each figure the client, besides the hand-written loop, whose ratio to Jackfield is the best.",
    comparisonTable(compared),
  ];
}

function ownTables(recordings: readonly Recording[], { measures }: BenchSettings): string[] {
  const targets = targetResults(recordings).filter(({ measured }) => measured !== undefined);
  const budgets = [
    "BUDGETS: what the runtime itself may cost. Lower is better; kept means that the median is within the budget.",
    budgetTable(budgetResults(recordings)),
  ];
  return [
    ...(targets.length === 0
      ? []
      : ["TARGETS: kept means that the median is within the target.", budgetTable(targets)]),
    ...(measures.includes("own") ? budgets : []),
  ];
}

function problemLines(recordings: readonly Recording[]): string[] {
  const problems = recordings.filter(({ problem }) => problem !== undefined);
  if (problems.length === 0) return [];
  const lines = problems.map(({ round, scenario, subject, problem }) => {
    return `round ${round}, ${scenario}, ${LABELS[subject]}: ${problem}`;
  });
  return ["PROBLEMS: measurements that failed.", lines.join("\n")];
}

function sectionTable(recordings: readonly Recording[], { label, rows, columns }: Section): string {
  const hasSlopes = rows.some(({ curve }) => curve !== undefined);
  return formatTable({
    header: [
      label,
      "client",
      ...columns.map(({ title }) => title),
      ...(hasSlopes ? ["slope", "end slope"] : []),
    ],
    rows: rows
      .map((row) => [
        row.label,
        LABELS[row.subject],
        ...columns.map((column) => cell(recordings, row, column)),
        ...slopeCells(recordings, row),
      ])
      .filter((cells) => cells.slice(2).some((text) => text !== formatNumber(undefined))),
    labels: 2,
  });
}

function cell(recordings: readonly Recording[], row: Row, column: Column): string {
  const { subject } = row;
  const isOtherScenario = column.scenario !== undefined && column.against !== undefined;
  const scenario = isOtherScenario ? row.scenario : (column.scenario ?? row.scenario);
  const question = { scenario, subject, figure: column.figure };
  if (column.against !== undefined) {
    if (column.against === subject && !isOtherScenario)
      return medianOf(recordings, question) === undefined ? formatNumber(undefined) : "1";
    const baseline = { subject: column.against, scenario: column.scenario ?? scenario };
    return formatRatio(ratioOf(recordings, question, baseline));
  }
  const median = medianOf(recordings, question);
  if (median !== undefined) return formatNumber(median * (column.scale ?? 1));
  const isFirst = column.figure === "readyMs" || column.figure === "recoveryMs";
  const gaveUpAfterMs = isFirst ? medianOf(recordings, { ...question, figure: "gaveUpAfterMs" }) : undefined;
  return gaveUpAfterMs === undefined ? formatNumber(undefined) : `> ${formatNumber(gaveUpAfterMs)}`;
}

function slopeCells(recordings: readonly Recording[], { curve, subject }: Row): string[] {
  if (curve === undefined) return [];
  const rounds = curveSamples(recordings, subject, curve);
  return [slopeOf, endSlopeOf].map((fit) => {
    const slopes = rounds.map(fit).filter((slope) => slope !== undefined);
    return formatRatio(slopes.length === 0 ? undefined : spreadOf(slopes));
  });
}
