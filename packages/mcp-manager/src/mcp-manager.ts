import type { ContextSource, McpEvents, ServerDefinition, ServerSnapshot } from "@jackfield/mcp-core";
import type { ReloadReport } from "./reload-report.ts";
import type { OperationOptions } from "./server/operation-deadline.ts";
import type { StartupReport } from "./startup/startup-report.ts";
import type { ToolView } from "./views/tool-view.ts";
import type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";

/** Options of `reconnect()`. */
export interface ReconnectOptions extends OperationOptions {
  /** `failed`: only servers with an error, dropped ones included; healthy servers are not touched. Default `all`. */
  readonly only?: "all" | "failed" | undefined;
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
  /** A snapshot of each server, in configured order, without those that were dropped. */
  servers(): readonly ServerSnapshot[];
  /**
   * Applies a new configuration: closes servers that are gone, starts new ones and waits for them as `start()` does, and does not touch
   * unchanged ones. A changed filter or limit does not reconnect a server; a change to anything its connection depends on does.
   * Requests in flight to a removed or replaced server reject with `MCP_CLOSED`.
   *
   * @throws McpError `MCP_CONFIG_INVALID`, with nothing changed; `MCP_CLOSED`.
   */
  reload(servers: Iterable<ServerDefinition>): Promise<ReloadReport>;
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
   * servers, which hold no user's data: it uses this manager's. It is closed with this manager at the latest.
   *
   * @param principal - the user's id, not empty; passed to resolver, connector and catalog
   * @throws McpError `MCP_CONFIG_INVALID` unless it is a non-empty string, because no principal means the owner; `MCP_CLOSED`
   */
  forPrincipal(principal: string): McpManager;
  /**
   * Settles every pending promise, then closes all servers in parallel, within `closeTimeoutMs`. The catalog stays open: it belongs to
   * the caller. Idempotent. `start()` may be called again.
   */
  close(): Promise<void>;
}
