import type { Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import type { ConfigProblem } from "../sources/config-problem.ts";
import { type DiscoverServersOptions, discoverServers } from "./discover-servers.ts";

/** What to load. */
export type LoadServersOptions = Pick<DiscoverServersOptions, "files" | "servers" | "cwd">;

/** What was found. A name occurs at most once in `servers` and `problems` together. */
export interface LoadedServers {
  /** Ready to be resolved, those that are switched off (`enabled: false`) included; inline ones first. */
  readonly servers: readonly ServerDefinition[];
  /** Entries, files and options that could not be used, each with its error. */
  readonly problems: readonly ConfigProblem[];
  /** Remarks for people. What they are about stopped nothing by itself. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads server definitions from files and from code, and looks nowhere else. Nothing is executed and no variable is expanded.
 *
 * It does not reject: a file that is missing (`MCP_CONFIG_NOT_FOUND`) or broken, and an entry that is invalid
 * (`MCP_CONFIG_INVALID`), are `problems`, so that they never hide other servers. If a name occurs more than once, the strongest
 * entry owns it as a whole, even if it is invalid: falling back to another server of that name would reach something that nobody
 * asked for. The others are reported with the diagnostic `shadowed`.
 */
export async function loadServers(options: LoadServersOptions = {}): Promise<LoadedServers> {
  const { files, servers: inCode, cwd } = options;
  const { servers, problems, diagnostics } = await discoverServers({
    files,
    servers: inCode,
    cwd,
    hosts: [],
  });
  return { servers, problems, diagnostics };
}
