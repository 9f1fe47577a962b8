import type { DefinedIn } from "@jackfield/mcp-core";
import type { Report } from "../diagnostic-codes.ts";
import { kindOf } from "../documents/json-value.ts";
import type { FindingContext, HostDialect, HostSurroundings } from "../hosts/host-dialect.ts";
import { dialectOf, HOST_DIALECTS } from "../hosts/host-dialects.ts";
import { projectFolders } from "../hosts/host-paths.ts";
import { limitReport } from "../limited-report.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, invalidSource } from "../sources/config-problem.ts";
import { readHostServersSafely } from "../sources/host-servers.ts";
import type { CanShadowByEndpoint } from "../sources/merged-servers.ts";
import type { SourceEntry } from "../sources/server-source.ts";
import { createReadOnce, type FoundHost, readHostFiles } from "./host-files.ts";

/** Entries that are merged among themselves before they are joined with others. */
export interface FoundEntries {
  readonly entries: readonly SourceEntry[];
  /** Omitted if only names count. */
  readonly canShadowByEndpoint?: CanShadowByEndpoint | undefined;
}

/** What was found in the files of hosts. */
export interface DiscoveredHosts {
  readonly sources: readonly FoundEntries[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads the files of the named hosts. This module is loaded on demand: it knows every host, and most programs have no file of any.
 *
 * @param hosts - the strongest first, or `all`; it may come from untyped code
 */
export async function discoverHosts(
  hosts: unknown,
  at: HostSurroundings,
  reportAll: Report,
): Promise<DiscoveredHosts> {
  const { report, reportRest } = limitReport(reportAll);
  const { dialects, problems } = namedDialects(hosts);
  const readOnce = createReadOnce(report);
  const context: FindingContext = {
    folders: projectFolders(at),
    isStandaloneFile: false,
    platform: at.platform,
    env: at.env,
    remark: () => {},
    entriesOfProject: readOnce.allowance.entries,
  };
  // One after the other, because what a project may bring is counted in this order.
  const found: FoundHost[] = [];
  for (const dialect of dialects) found.push(await readHostFiles(dialect, at, readOnce, report));
  const sources: FoundEntries[] = [];
  for (const host of found) {
    if (readOnce.slices.isOver()) await readOnce.slices.next();
    const { entries, problems: faults } = readHostServersSafely(host, context, report);
    sources.push({ entries, canShadowByEndpoint: endpointRule(host.dialect, entries) });
    problems.push(...host.problems, ...faults);
  }
  const tooMuch = readOnce.allowance.problem(at.projectTop);
  if (tooMuch) problems.push(tooMuch);
  reportRest();
  return { sources, problems };
}

/** Within a host, endpoints count only if it has an `endpointScope`, for entries of that scope. */
function endpointRule(
  { endpointScope }: HostDialect,
  entries: readonly SourceEntry[],
): CanShadowByEndpoint | undefined {
  if (!entries.some(({ definedIn }) => definedIn.scope === endpointScope)) return undefined;
  return (_stronger, weaker) => weaker.scope === endpointScope;
}

function namedDialects(hosts: unknown) {
  const problems: ConfigProblem[] = [];
  if (hosts === "all") return { dialects: HOST_DIALECTS, problems };
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/hosts" };
  const refuse = (text: string) =>
    problems.push({ definedIn, error: invalidSource(definedIn, text), kind: "ConfigShapeError" });
  if (!Array.isArray(hosts)) {
    refuse(`it must be a list of hosts or "all", not ${kindOf(hosts)}.`);
    return { dialects: [], problems };
  }
  const dialects = new Set<HostDialect>();
  for (const host of hosts as readonly unknown[]) {
    const dialect = typeof host === "string" ? dialectOf(host) : undefined;
    if (dialect) dialects.add(dialect);
    else if (typeof host === "string") refuse(unknownHost(host));
    else refuse(`it must hold names of hosts, not ${kindOf(host)}.`);
  }
  return { dialects: [...dialects], problems };
}

/** The text about an unknown host. */
export function unknownHost(host: string): string {
  const known = HOST_DIALECTS.map(({ id }) => quote(id)).join(", ");
  return `${quote(host)} is not a known host; use one of ${known}.`;
}
