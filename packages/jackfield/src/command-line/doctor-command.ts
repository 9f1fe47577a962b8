import { findOrphans } from "../transports.ts";
import { cellsOf } from "./cells.ts";
import type { CommandResult } from "./command-result.ts";
import { approvalStoreFindings } from "./doctor/approval-store-findings.ts";
import type { WatchedCatalog } from "./doctor/catalog-findings.ts";
import { configurationFindings } from "./doctor/configuration-findings.ts";
import { environmentFindings } from "./doctor/environment-findings.ts";
import { byGravity, type Finding } from "./doctor/finding.ts";
import { approvalFindings, nameFindings, serverFindings } from "./doctor/server-findings.ts";
import { orphanFindings, slowStartFindings } from "./doctor/start-findings.ts";
import { tokenFindings } from "./doctor/token-findings.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { placeOf, printableName } from "./lines.ts";
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
  const servers = mcp.servers();
  const findings = byGravity([
    ...configurationFindings(mcp.report),
    ...environmentFindings(process.env),
    ...serverFindings(servers, { errors, credentials, places }),
    ...(await approvalStoreFindings(mcp.report.blocked)),
    ...approvalFindings(mcp.report.blocked, places),
    ...slowStartFindings(servers, activities.all(), catalog.remembered),
    ...nameFindings(servers),
    ...orphanFindings(await findOrphans([...started.values()])),
    ...(await catalog.findings()),
    ...tokenFindings(servers, mcp.tools()),
  ]).map((finding) => ({ ...finding, message: withTypedOptions(finding.message) }));
  return {
    json: findings,
    text: (page) => report(findings, servers.length, page),
    exitCode: findings.some(({ severity }) => severity === "error") ? 1 : 0,
  };
}

const TONES = { error: "bad", warning: "warning", info: "faint" } as const;

function report(findings: readonly Finding[], servers: number, page: Page): string {
  if (findings.length === 0) {
    return servers === 0
      ? 'No problems were found, but no server is configured; "jackfield init" writes a first file.\n'
      : `No problems were found with ${servers === 1 ? "the one server" : `the ${servers} servers`}.\n`;
  }
  return findings.map((finding) => paragraph(finding, page)).join("\n");
}

function paragraph({ severity, code, message, nextStep, file, line }: Finding, page: Page): string {
  const place = file === undefined ? [] : [`at ${placeOf({ file, line })}`];
  const step = nextStep === undefined ? [] : [`→ ${printableName(nextStep, 1_000)}`];
  const body = [printableName(message, 1_000), ...step, ...place];
  const lines = body.flatMap((text) => wrapWords(text, page.columns - 2, cellsOf).map((part) => `  ${part}`));
  return `${page.paint(TONES[severity], `${severity} ${code}`)}\n${lines.join("\n")}\n`;
}
