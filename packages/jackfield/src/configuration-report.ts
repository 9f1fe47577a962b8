import type { ConfigProblem } from "@jackfield/mcp-config";
import type { Diagnostic, McpError } from "@jackfield/mcp-core";
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
