import type { AuthPort, ContextSource, Diagnostic, McpEvents, ServerSnapshot } from "@jackfield/mcp-core";
import type { ConfiguredServer } from "./options.ts";
import type { OperationOptions } from "./server/operation-deadline.ts";
import type { ReloadReport } from "./server-directory.ts";
import type { StartupReport } from "./startup.ts";
import type { ToolView } from "./views/tool-view.ts";
import type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";

/** Options of `reconnect()`. */
export interface ReconnectOptions extends OperationOptions {
  /** `failed`: only servers with an error, dropped ones included; healthy servers are not touched. Default `all`. */
  readonly only?: "all" | "failed" | undefined;
}

/** Options of `forPrincipal()`. */
export interface PrincipalOptions {
  /** Credentials of this user. Default: the manager's own port, which is told the principal. */
  readonly auth?: AuthPort | undefined;
}

/** Options of `close()`. */
export interface CloseOptions {
  /**
   * How long calls and requests that are under way may go on before the servers are closed, in milliseconds; new ones are refused at once.
   * A `close()` without it ends such a wait. Default 0: they end at once, and what was sent may have been carried out.
   */
  readonly drainMs?: number | undefined;
}

/** Many servers as one source of tools. A failure of one does not affect the others. */
export interface McpManager extends ContextSource<McpEvents>, AsyncDisposable {
  /**
   * Connects the servers and waits for them as the start-up options say. Later calls return the same report; after `close()`, a call
   * starts a new run.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for invalid options; `MCP_ABORTED` if the signal fires, after everything that was started is
   * closed; `MCP_CLOSED` if the manager is closed meanwhile. Failed servers are in the report; only with `failures: "throw"` do they
   * make this reject.
   */
  start(options?: { readonly signal?: AbortSignal | undefined }): Promise<StartupReport>;
  /** A snapshot of each server, in configured order, without those that were dropped; then of each entry that cannot be used. */
  servers(): readonly ServerSnapshot[];
  /**
   * Waits until servers can be used: connected, with their tools listed. For health checks.
   *
   * @param servers - by name; each is connected if need be. Default: all but those that are lazy, were disconnected, or were up and are idle
   * now, which the next call connects
   * @param options - `timeoutMs`: default each server's `connectTimeoutMs`
   * @throws McpError the cause of the first server, in order, that is not ready in time: `MCP_CALL_TIMEOUT` with its last error, or at once
   * what keeps it from being connected; `MCP_CONFIG_INVALID`, `MCP_SERVER_UNKNOWN`, `MCP_ABORTED`, `MCP_CLOSED`.
   */
  ready(servers?: readonly string[], options?: OperationOptions): Promise<void>;
  /**
   * Applies a new configuration: closes servers that are gone, starts new ones and waits for them as `start()` does, and does not touch
   * unchanged ones. A changed filter or limit does not reconnect a server; a change to anything its connection depends on does.
   * Requests in flight to a removed or replaced server reject with `MCP_CLOSED`.
   *
   * @throws McpError `MCP_CONFIG_INVALID`, with nothing changed; `MCP_CLOSED`.
   */
  reload(servers: Iterable<ConfiguredServer>): Promise<ReloadReport>;
  /** Emits the event `diagnostic`, here and for all other users. */
  announce(diagnostic: Diagnostic): void;
  /**
   * Undoes a disconnect or a drop, resets the retry count, replaces a live session, and resolves when the server is ready. Without a
   * name: all servers. Default time limit: the server's `connectTimeoutMs`.
   *
   * @throws McpError the cause, if a server cannot be connected; `MCP_CONFIG_INVALID`, `MCP_SERVER_UNKNOWN`, `MCP_ABORTED`, `MCP_CLOSED`.
   */
  reconnect(server?: string, options?: ReconnectOptions): Promise<void>;
  /** Closes the session and withdraws the server's tools until `reconnect` is called. */
  disconnect(server: string): Promise<void>;
  /** Lists the server's tools again and resolves when the new list is on offer. @throws McpError the cause, if that fails. */
  refreshTools(server: string, options?: OperationOptions): Promise<void>;
  /**
   * A tool source with some of the servers and tools, for one agent. Closing it does not affect the manager.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for an invalid filter.
   */
  view(filter: ViewFilter): ToolView;
  /**
   * Like `view`, with a filter that may be asynchronous. Resolves when it has decided on everything offered now.
   *
   * @throws McpError `MCP_CONFIG_INVALID`; `MCP_CLOSED` if the manager is closed before the filter has answered.
   */
  viewFor(filter: AsyncViewFilter): Promise<ToolView>;
  /**
   * A manager of the same servers for another user, not started yet. It has its own sessions and catalog entries, except for `shared`
   * servers, which hold no user's data: it uses this manager's. It is closed with this manager at the latest. A session that was not used
   * for ten minutes is released until the next call, unless `idleTimeoutMs` of the limits says otherwise.
   *
   * @param principal - the user's id, not empty; passed to resolver, connector and catalog
   * @throws McpError `MCP_CONFIG_INVALID` unless it is a non-empty string, because no principal means the owner; `MCP_CLOSED`
   */
  forPrincipal(principal: string, options?: PrincipalOptions): McpManager;
  /**
   * Settles every pending promise, then closes all servers in parallel, within `closeTimeoutMs`. The catalog stays open: it belongs to
   * the caller. Idempotent. `start()` may be called again.
   */
  close(options?: CloseOptions): Promise<void>;
}
