import { discoverServers } from "@jackfield/mcp-config";
import { findOrphans } from "../transports.ts";
import { cellsOf } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { approvalStoreFindings } from "./doctor/approval-store-findings.ts";
import type { WatchedCatalog } from "./doctor/catalog-findings.ts";
import { configurationFindings, settingsFindings } from "./doctor/configuration-findings.ts";
import { environmentFindings } from "./doctor/environment-findings.ts";
import { byGravity, type Finding } from "./doctor/finding.ts";
import { approvalFindings, nameFindings, serverFindings } from "./doctor/server-findings.ts";
import { neutralFolderFindings, orphanFindings, slowStartFindings } from "./doctor/start-findings.ts";
import { tokenFindings } from "./doctor/token-findings.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { counted, placeOf, printableName, withLines } from "./lines.ts";
import type { CommandPlaces } from "./next-command.ts";
import type { OpenedRuntime } from "./opened-runtime.ts";
import type { Page } from "./page.ts";
import { wrapWords } from "./terminal.ts";
import { withTypedOptions } from "./typed-options.ts";

export interface DoctorOptions {
  readonly catalog: Pick<WatchedCatalog, "remembered" | "findings">;
  /** The options of this command, for the commands that are advised. */
  readonly places: CommandPlaces;
  readonly signal: AbortSignal;
}

/**
 * Looks for everything that keeps servers from working well: starts each of them, lazy ones too, and says for each finding what to do about
 * it. Exits with 1 if one is an error.
 *
 * @throws McpError `MCP_ABORTED`
 */
export async function doctor(
  { mcp, started, activities, credentials }: Omit<OpenedRuntime, keyof AsyncDisposable>,
  { catalog, places, signal }: DoctorOptions,
): Promise<CommandResult> {
  const failed = [...mcp.report.failed, ...(await startLazyServers(mcp, signal))];
  const errors = new Map(failed.map(({ name, error }) => [name, error]));
  const servers = await withLines(mcp.servers());
  const blocked = await withLines(mcp.report.blocked);
  const { cwd, configFiles: files, hosts } = places;
  const { diagnostics } = await discoverServers({
    cwd,
    files,
    hosts,
    servers: places.servers,
    remarks: true,
  });
  const findings = byGravity([
    ...configurationFindings({ ...mcp.report, diagnostics }),
    ...(await settingsFindings(mcp.report, places.cwd)),
    ...environmentFindings(process.env),
    ...serverFindings(servers, { errors, credentials, places }),
    ...(await approvalStoreFindings(blocked)),
    ...approvalFindings(blocked, places),
    ...slowStartFindings(servers, activities.all(), catalog.remembered),
    ...nameFindings(servers),
    ...neutralFolderFindings(started.values()),
    ...orphanFindings(await findOrphans([...started.values()])),
    ...(await catalog.findings()),
    ...tokenFindings(servers, mcp.tools()),
  ])
    .map((finding) => ({ ...finding, message: withTypedOptions(finding.message) }))
    .filter(isFirst);
  return {
    json: { findings },
    text: (page) => report(findings, servers.length, page),
    exitCode: findings.some(({ severity }) => severity === "error") ? 1 : 0,
  };
}

/** A file that is named with `--config` may be found as a host's as well. */
function isFirst(finding: Finding, index: number, all: readonly Finding[]): boolean {
  const { code, message, file, line } = finding;
  const isSame = (other: Finding) =>
    other.code === code && other.message === message && other.file === file && other.line === line;
  return all.findIndex(isSame) === index;
}

const TONES = { error: "bad", warning: "warning", info: "faint" } as const;

function report(findings: readonly Finding[], servers: number, page: Page): string {
  if (findings.length === 0) {
    return servers === 0
      ? 'No problems were found, but no server is configured; "jackfield init" writes a first file.\n'
      : `No problems were found with ${servers === 1 ? "the one server" : `the ${servers} servers`}.\n`;
  }
  const groups = Map.groupBy(findings, ({ severity, code }) => `${severity} ${code}`);
  const paragraphs = [...groups].map(([head, group]) => paragraph(head, group, page));
  return [...paragraphs, `${summary(findings, servers)}\n`].join("\n");
}

/** All findings of one kind; a step that is the same for all of them once. */
function paragraph(head: string, group: readonly Finding[], page: Page): string {
  const [first] = group;
  const step = first?.nextStep;
  const isShared = group.length > 1 && group.every(({ nextStep }) => nextStep === step);
  const count = group.length === 1 ? "" : ` (${group.length})`;
  const texts = group.flatMap(({ message, nextStep, file, line }) => [
    printableName(message, 1_000),
    ...(nextStep === undefined || isShared ? [] : [stepText(nextStep)]),
    ...(file === undefined ? [] : [`at ${placeOf({ file, line })}`]),
  ]);
  const body = isShared && step !== undefined ? [...texts, stepText(step)] : texts;
  const lines = body.flatMap((text) => wrapWords(text, page.columns - 2, cellsOf).map((part) => `  ${part}`));
  return `${page.paint(TONES[first?.severity ?? "info"], head)}${count}\n${lines.join("\n")}\n`;
}

function stepText(step: string): string {
  return `→ ${printableName(step, 1_000)}`;
}

/** `2 errors and 1 warning; 7 servers` */
function summary(findings: readonly Finding[], servers: number): string {
  const nouns = { error: "error", warning: "warning", info: "note" } as const;
  const counts = Map.groupBy(findings, ({ severity }) => severity);
  const told = [...counts].map(([severity, group]) => counted(group.length, nouns[severity]));
  return `${told.join(", ")}; ${counted(servers, "server")}`;
}
