import type { ConfigProblem } from "@jackfield/mcp-config";
import type { Diagnostic, LogFields, Logger, McpError } from "@jackfield/mcp-core";
import { type AdvisedServers, type BlockedReport, blockedReportOf } from "./blocked-servers.ts";

/** What was found in the configuration besides usable servers. */
export interface ConfigurationReport {
  /** Servers that were found and are not used, each with its reason; also entries whose name another server has. */
  readonly blocked: readonly BlockedReport[];
  /** Configuration files that could not be used at all. Entries that could not be used are under `failed`. */
  readonly problems: readonly ConfigProblem[];
  /** Further remarks on the configuration, for people. */
  readonly diagnostics: readonly Diagnostic[];
  /** The error if looking for servers failed as a whole: then only the servers and files that were passed are used. */
  readonly discoveryError?: McpError | undefined;
}

/** Reports on one read of the configuration. */
export function configurationReport(merged: AdvisedServers): ConfigurationReport {
  const { blocked, problems, discoveryError } = merged;
  return {
    blocked: Object.freeze(blocked.map(blockedReportOf)),
    problems: Object.freeze(problems.filter(({ server }) => server === undefined)),
    diagnostics: Object.freeze(allDiagnostics(merged)),
    ...(discoveryError === undefined ? {} : { discoveryError }),
  };
}

/** The diagnostics of the files, and the warning about servers that wait for approval. */
export function allDiagnostics({ diagnostics, approvalWarning }: AdvisedServers): Diagnostic[] {
  return approvalWarning === undefined ? [...diagnostics] : [...diagnostics, approvalWarning];
}

/** Announces each diagnostic that the previous read of the configuration did not have. */
export interface DiagnosticFeed {
  /** Replaces the known diagnostics. The first call announces none: the report of `openMcp` has them. */
  replace(diagnostics: readonly Diagnostic[]): void;
  /** The same for a configuration that was not applied: known diagnostics stay known. */
  add(diagnostics: readonly Diagnostic[]): void;
}

export function createDiagnosticFeed(announce: (diagnostic: Diagnostic) => void): DiagnosticFeed {
  let known: ReadonlySet<string> | undefined;
  const announceNew = (diagnostics: readonly Diagnostic[], stillKnown: Iterable<string>) => {
    const before = known;
    known = new Set([...stillKnown, ...diagnostics.map(keyOf)]);
    if (before !== undefined) diagnostics.filter((found) => !before.has(keyOf(found))).forEach(announce);
  };
  return {
    replace: (diagnostics) => announceNew(diagnostics, []),
    add: (diagnostics) => announceNew(diagnostics, known ?? []),
  };
}

/** Without the line number, which changes with any edit above it. */
function keyOf({ code, server, file, message }: Diagnostic): string {
  return JSON.stringify([code, server, file, message]);
}

/** Logs what is wrong with a configuration: each fault when it appears and when it is gone. */
export function createFaultLog(log: Logger): (merged: AdvisedServers) => void {
  let told: ReadonlyMap<string, LogFields> = new Map();
  return (merged) => {
    const { problems, discoveryError } = merged;
    const errors = [...problems.map(({ error }) => error), ...(discoveryError ? [discoveryError] : [])];
    const faults = [
      ...errors.map(({ message, code, server, location }) => ({
        message,
        code,
        server,
        file: location?.file,
      })),
      ...allDiagnostics(merged).filter(({ severity }) => severity !== "info"),
    ];
    const before = told;
    told = new Map(faults.map(({ message, code, server, file }) => [message, { code, server, file }]));
    for (const [message, fields] of before)
      if (!told.has(message)) log("info", `No longer so: ${message}`, fields);
    for (const [message, fields] of told) if (!before.has(message)) log("warn", message, fields);
  };
}
