import type { ConfigProblem, LoadedServers } from "@jackfield/mcp-config";
import type { Diagnostic, ServerSnapshot } from "@jackfield/mcp-core";
import type { McpManager, StartupReport } from "@jackfield/mcp-manager";
import type { Leftover } from "@jackfield/mcp-transports";

/** How the opening went. */
export interface McpReport extends StartupReport {
  /** Configuration files that could not be used at all. Entries that could not be used are under `failed`. */
  readonly problems: readonly ConfigProblem[];
  /** What else is worth telling a person about the configuration. */
  readonly diagnostics: readonly Diagnostic[];
  /** Servers that an earlier run, whose host was killed, has left running. `endLeftovers` ends them; nothing else does. */
  readonly leftovers: readonly Leftover[];
}

/** The runtime: every configured server as one source of tools. Close it when it is no longer needed. */
export interface Mcp extends Omit<McpManager, "start"> {
  readonly report: McpReport;
}

/** What was found out while the runtime was opened. */
export interface Opening
  extends Pick<LoadedServers, "problems" | "diagnostics">,
    Pick<McpReport, "leftovers"> {
  readonly started: StartupReport;
}

/**
 * Joins what runs and what could not be read, so that an entry with a mistake is seen wherever servers are listed.
 *
 * @param release - frees what was opened for the manager, after it has been closed
 */
export function createMcp(
  manager: McpManager,
  { started, problems, diagnostics, leftovers }: Opening,
  release: () => Promise<void>,
): Mcp {
  const at = Date.now();
  const broken = problems.flatMap((problem) =>
    problem.server === undefined ? [] : [brokenEntry(problem.server, problem, at)],
  );
  const report: McpReport = {
    ...started,
    failed: [...started.failed, ...broken.map(({ name, problem }) => ({ name, error: problem.error }))],
    problems: problems.filter((problem) => problem.server === undefined),
    diagnostics,
    leftovers,
  };
  const close = async () => {
    await manager.close();
    await release();
  };
  return {
    report,
    tools: () => manager.tools(),
    callTool: (tool, args, options) => manager.callTool(tool, args, options),
    on: (event, listener) => manager.on(event, listener),
    servers: () => [...manager.servers(), ...broken.map(({ snapshot }) => snapshot)],
    reconnect: (server, options) => manager.reconnect(server, options),
    disconnect: (server) => manager.disconnect(server),
    refreshTools: (server, options) => manager.refreshTools(server, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function brokenEntry(name: string, problem: ConfigProblem, at: number) {
  const { code, message } = problem.error;
  const snapshot: ServerSnapshot = {
    name,
    status: "failed",
    since: at,
    error: { code, message, at },
    tools: 0,
    toolsFrom: "none",
    definedIn: problem.definedIn,
  };
  return { name, problem, snapshot };
}
