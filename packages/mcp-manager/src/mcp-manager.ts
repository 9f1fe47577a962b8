import type { ContextSource, McpEvents, ServerDefinition, ServerSnapshot } from "@jackfield/mcp-core";
import type { ReloadReport } from "./reload-report.ts";
import type { OperationOptions } from "./server/operation-deadline.ts";
import type { StartupReport } from "./startup/startup-report.ts";
import type { ToolView } from "./views/tool-view.ts";
import type { AsyncViewFilter, ViewFilter } from "./views/view-filter.ts";

/** How servers are reconnected. */
export interface ReconnectOptions extends OperationOptions {
  /** `failed`: only servers that failed, those that were dropped included; whoever is well is not touched. Default `all`. */
  readonly only?: "all" | "failed" | undefined;
}

/** Many servers as one source of tools. What one of them does hurts no other. */
export interface McpManager extends ContextSource<McpEvents>, AsyncDisposable {
  /**
   * Connects the servers and waits as the start-up options say. Called again, it returns the same report; after `close()` it begins
   * anew.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for what are no options; `MCP_ABORTED` if the signal fires, once everything that was started
   * is gone; `MCP_CLOSED` if it is closed meanwhile. Not because of a server, unless `failures` is `throw`: the report tells.
   */
  start(options?: { readonly signal?: AbortSignal | undefined }): Promise<StartupReport>;
  /** A snapshot of each server, in configured order, without those that were dropped. */
  servers(): readonly ServerSnapshot[];
  /**
   * Takes a new configuration while it runs: closes servers that are gone, starts new ones and waits for them as `start()` does,
   * and touches only what is different. A new filter or limit does not reconnect a server; anything its connection rests on does.
   * What is in flight for a server that is removed or replaced rejects with `MCP_CLOSED`.
   *
   * @throws McpError `MCP_CONFIG_INVALID`, and then nothing has changed; `MCP_CLOSED`.
   */
  reload(servers: Iterable<ServerDefinition>): Promise<ReloadReport>;
  /**
   * Clears marks and attempts, replaces a live session, and resolves when the server is ready. Without a name: all servers.
   * Default time limit: the server's `connectTimeoutMs`.
   *
   * @throws McpError the cause, if a server cannot be connected; `MCP_CONFIG_INVALID`, `MCP_SERVER_UNKNOWN`, `MCP_ABORTED`, `MCP_CLOSED`.
   */
  reconnect(server?: string, options?: ReconnectOptions): Promise<void>;
  /** Lets the session go, and the server's tools with it, until `reconnect` is called. */
  disconnect(server: string): Promise<void>;
  /** Lists the server's tools anew and resolves when they are on offer. @throws McpError the cause, if that fails. */
  refreshTools(server: string, options?: OperationOptions): Promise<void>;
  /**
   * Some of the servers and tools as a source of its own, whose closing ends nothing here: what one agent may use.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for what is no filter.
   */
  view(filter: ViewFilter): ToolView;
  /**
   * The same with a filter that has to look something up; resolves when it has, for what is on offer now.
   *
   * @throws McpError `MCP_CONFIG_INVALID`; `MCP_CLOSED` if this is closed before the filter has answered.
   */
  viewFor(filter: AsyncViewFilter): Promise<ToolView>;
  /**
   * The same servers for another user, not started: sessions and catalog entries of its own, but the sessions here for servers that
   * are `shared`, because they hold nothing of a user's. It is closed with this one at the latest.
   *
   * @param principal - who the user is, never empty; told to resolver, connector and catalog
   * @throws McpError `MCP_CONFIG_INVALID` for what is no string or an empty one: nobody in particular is the owner; `MCP_CLOSED`
   */
  forPrincipal(principal: string): McpManager;
  /**
   * Settles every pending promise, then closes every server at the same time; the catalog stays open, it belongs to the caller.
   * Idempotent; resolves when nothing is left. `start()` may be called again.
   */
  close(): Promise<void>;
}
