import type { ConfigProblem } from "@jackfield/mcp-config";
import type {
  CallOptions,
  Diagnostic,
  McpError,
  ToolCallParameters,
  ToolRef,
  ToolResultOf,
} from "@jackfield/mcp-core";
import type { McpManager, ReloadReport, StartupReport } from "@jackfield/mcp-manager";
import type { Leftover } from "@jackfield/mcp-transports";
import { type BlockedReport, reasonOf } from "./blocked-servers.ts";
import { beginClosing, type ClosingDeadline } from "./closing-work.ts";
import type { Configuration } from "./configuration.ts";
import type { DiagnosticNews } from "./diagnostic-news.ts";
import { joinManager } from "./joined-source.ts";
import type { Secrecy } from "./secrecy.ts";

/** How the opening went. */
export interface McpReport extends StartupReport {
  /** What was found and is not used, each with its reason; also entries whose name another server has. */
  readonly blocked: readonly BlockedReport[];
  /** Why nothing but the servers that were passed was found, if looking for them failed as a whole. */
  readonly discoveryError?: McpError | undefined;
  /** Configuration files that could not be used at all. Entries that could not be used are under `failed`. */
  readonly problems: readonly ConfigProblem[];
  /** What else is worth telling a person about the configuration. */
  readonly diagnostics: readonly Diagnostic[];
  /** Servers that an earlier run, whose host was killed, has left running. `endLeftovers` ends them; nothing else does. */
  readonly leftovers: readonly Leftover[];
}

/** What a reload did. */
export interface McpReloadReport extends ReloadReport {
  /** False if a source could not be read that could be read before: nothing has changed then, and `problems` says why. */
  readonly applied: boolean;
  /** Files that could not be used at all, and entries that could not be used. */
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly Diagnostic[];
  /** What was found and is not used. */
  readonly blocked: readonly BlockedReport[];
}

/** Calls as `ToolSource` has them, checked by the types of `jackfield types` where those know the tool. */
export interface TypedCalls {
  /**
   * Calls a tool by its exposed name, or by server and original name. A result with `isError: true` is returned, not thrown.
   *
   * @throws McpError only, as `ToolSource.callTool` says.
   */
  callTool<const Ref extends ToolRef>(
    tool: Ref,
    ...rest: ToolCallParameters<Ref, CallOptions>
  ): Promise<ToolResultOf<Ref>>;
}

/** The servers of a runtime for one of its users. Closing it ends that user's own sessions and nothing of anybody else's. */
export interface McpForPrincipal
  extends Omit<McpManager, "start" | "reload" | "forPrincipal" | "callTool">,
    TypedCalls {
  /** How the start for this user went. It does not change. */
  readonly report: StartupReport;
}

/** The runtime: every configured server as one source of tools. Close it when it is no longer needed. */
export interface Mcp extends Omit<McpManager, "start" | "reload" | "forPrincipal" | "callTool">, TypedCalls {
  /** How the opening went. It does not change. */
  readonly report: McpReport;
  /**
   * Starts the same servers for another user and resolves as `openMcp` does: when that user's tools can be used. The user has sessions
   * and catalog entries apart, told from others' by `principal`, which the resolver (`resolve`) and the connector are told; only
   * servers that are `shared` are reached over this runtime's own sessions, as nobody in particular. It follows `reload()`, and is
   * closed with this runtime at the latest. Each call gives a source of its own: keep it for as long as the user is there.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for a principal that is no string or an empty one; `MCP_ABORTED` if the signal fires, once
   * everything that was started for the user is gone; `MCP_CLOSED`; where
   * `startup.failures` is `throw`, why the first server failed
   */
  forPrincipal(
    principal: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<McpForPrincipal>;
  /**
   * Reads the configuration again, from where it was read when the runtime was opened, and touches only what is different: servers
   * that are gone are closed, new ones are started and waited for as at the opening, others are connected anew only if what their
   * connection rests on is different. What a project brings is started only if it was approved by then. A file that can no longer be read, half written for example, leaves everything as it is.
   *
   * @throws McpError `MCP_CLOSED`
   */
  reload(): Promise<McpReloadReport>;
}

/** What was found out while the runtime was opened. */
export interface Opening extends Pick<McpReport, "leftovers"> {
  readonly started: StartupReport;
  readonly configuration: Configuration;
  readonly news: DiagnosticNews;
  readonly secrecy: Pick<Secrecy, "admit" | "hiddenErrorOf" | "log">;
  /** How long closing may take in all. */
  readonly closeTimeoutMs: number | undefined;
}

/**
 * Joins what runs and what could not be read, so that an entry with a mistake is seen wherever servers are listed.
 *
 * @param release - frees what was opened for the manager, after it has been closed, in what that leaves of the time
 */
export function createMcp(
  manager: McpManager,
  { started, configuration, leftovers, news, secrecy, closeTimeoutMs }: Opening,
  release: (deadline: ClosingDeadline) => Promise<void>,
): Mcp {
  const { problems, diagnostics, blocked, discoveryError, approvalWarning: warning } = configuration.merged;
  const report: McpReport = {
    ...started,
    blocked: blocked.map(reasonOf),
    ...(discoveryError === undefined ? {} : { discoveryError }),
    failed: [...started.failed, ...configuration.broken().map(({ name, error }) => ({ name, error }))],
    problems: problems.filter((problem) => problem.server === undefined),
    diagnostics: warning === undefined ? diagnostics : [...diagnostics, warning],
    leftovers,
  };
  const close = async () => {
    const deadline = beginClosing(closeTimeoutMs);
    try {
      await manager.close();
    } finally {
      await release(deadline);
    }
  };
  const { admit, hiddenErrorOf, log } = secrecy;
  const entries = () => [...configuration.broken(), ...configuration.waiting()];
  const joining = { entries, news, hiddenErrorOf, log };
  return {
    ...joinManager(manager, joining),
    report,
    async reload() {
      const reloaded = await configuration.reload(manager);
      if (!reloaded.applied) news.add(reloaded.diagnostics);
      return reloaded;
    },
    async forPrincipal(principal, options) {
      const other = manager.forPrincipal(principal);
      const leave = admit(principal);
      const closeOther = () => other.close().finally(leave);
      try {
        const joined = joinManager(other, joining);
        const report = await other.start(options);
        return { ...joined, report, close: closeOther, [Symbol.asyncDispose]: closeOther };
      } catch (error) {
        await closeOther();
        throw error;
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
