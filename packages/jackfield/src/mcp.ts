import type {
  BeginLoginOptions,
  BegunLogin,
  FinishedLogin,
  FinishLoginOptions,
  LoginResponse,
} from "@jackfield/mcp-auth";
import type {
  CallOptions,
  KnownCredentials,
  ToolCallParameters,
  ToolRef,
  ToolResultOf,
} from "@jackfield/mcp-core";
import type {
  CloseOptions,
  McpManager,
  PrincipalOptions,
  ReloadReport,
  StartupReport,
} from "@jackfield/mcp-manager";
import { beginClosing, type ClosingDeadline } from "./closing-work.ts";
import type { Configuration } from "./configuration.ts";
import {
  type ConfigurationReport,
  configurationReport,
  type DiagnosticFeed,
} from "./configuration-report.ts";
import type { WebLogins } from "./web-logins.ts";

/** What happened while the runtime was opened. It is frozen, and so are its lists. */
export interface McpReport extends StartupReport, ConfigurationReport {
  /** Servers that could not be connected or listed, and entries that could not be used; `error` says why. */
  readonly failed: StartupReport["failed"];
  readonly blocked: ConfigurationReport["blocked"];
}

/** What a reload did, and what it found in the configuration. */
export interface McpReloadReport extends ReloadReport, ConfigurationReport {
  /**
   * False if a source that was readable before no longer is: nothing has changed then. `problems` says why, or `diagnostics` for a file
   * that is empty or has all its servers under a wrong key.
   */
  readonly applied: boolean;
  /** Entries that could not be used; `error` says why. Whether servers could be connected is in `servers()`. */
  readonly failed: StartupReport["failed"];
}

/** Calls as in `ToolSource`, checked by the types of `jackfield types` for the tools that they cover. */
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

/** What every source of a runtime's servers has. */
export type McpSource = Omit<McpManager, "start" | "reload" | "announce" | "forPrincipal" | "callTool"> &
  TypedCalls;

/** The servers of a runtime for one of its users. Closing it ends that user's own sessions and no others. */
export interface McpForPrincipal extends McpSource {
  /** The result of the start for this user. It does not change. */
  readonly report: StartupReport;
}

/** The runtime: every configured server as one source of tools. Close it when it is no longer needed. */
export interface Mcp extends McpSource {
  /** What happened while the runtime was opened. It does not change: `servers()` has the current state. */
  readonly report: McpReport;
  /**
   * Starts the same servers for another user and resolves as `openMcp` does: when that user's tools can be used. The user has separate
   * sessions and catalog entries, told apart by `principal`, which the resolver (`resolve`) and the connector receive. Only servers that
   * are `shared` are reached over this runtime's own sessions. It follows `reload()`, and is closed with this runtime at the latest. Each
   * call returns a separate source: keep it for as long as the user is active.
   *
   * @throws McpError `MCP_CONFIG_INVALID` for a principal that is not a string or is empty; `MCP_ABORTED` if the signal fires, once
   * everything that was started for the user is gone; `MCP_CLOSED`; the first server's error if `startup.failures` is `throw`
   */
  forPrincipal(
    principal: string,
    options?: PrincipalOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<McpForPrincipal>;
  /**
   * Begins a login of a user to a server: send the user's browser to `url`. It comes back to the `redirectUri` of `createOAuth`, with a
   * request that any machine can pass to `finishLogin`, once, within ten minutes. `login` of an `MCP_AUTH_REQUIRED` says what is needed.
   *
   * @throws McpError `MCP_CONFIG_INVALID` unless `auth` is of `createOAuth`; otherwise as `OAuth.beginLogin`; `MCP_SERVER_UNKNOWN`
   */
  beginLogin(principal: string, server: string, options: BeginLoginOptions): Promise<BegunLogin>;
  /**
   * Finishes a login that any machine has begun. What this runtime has opened for the user connects to the server again if it had failed.
   *
   * @param response - the request with which the browser came back, or its URL
   * @throws McpError as `OAuth.finishLogin`
   */
  finishLogin(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin>;
  /**
   * Reads the configuration again from the same sources and changes only what differs: removed servers are closed, new ones are started and
   * waited for as in `openMcp`, and others are reconnected only if something that their connection depends on differs. A project's server
   * starts only if it is approved by then. If a file can no longer be read, for example because it is half written, nothing changes.
   *
   * @throws McpError `MCP_CLOSED`
   */
  reload(): Promise<McpReloadReport>;
}

/** Results of opening the runtime. */
export interface Opening {
  readonly started: StartupReport;
  readonly configuration: Configuration;
  readonly diagnosticFeed: DiagnosticFeed;
  readonly credentials: KnownCredentials;
  readonly webLogins: WebLogins;
  /** How long closing may take in all, in milliseconds. */
  readonly closeTimeoutMs: number | undefined;
}

/**
 * The manager as a runtime that knows its configuration.
 *
 * @param release - frees what was opened for the manager, after it has been closed, within the time that is left
 */
export function createMcp(
  manager: McpManager,
  { started, configuration, diagnosticFeed, credentials, webLogins, closeTimeoutMs }: Opening,
  release: (deadline: ClosingDeadline) => Promise<void>,
): Mcp {
  const report: McpReport = Object.freeze({ ...started, ...configurationReport(configuration.merged) });
  const close = async (options?: CloseOptions) => {
    const deadline = beginClosing(closeTimeoutMs, options?.drainMs);
    try {
      await manager.close(options);
    } finally {
      await release(deadline);
    }
  };
  return {
    ...sourceOf(manager),
    report,
    async reload() {
      const reloaded = await configuration.reload(manager);
      if (!reloaded.applied) diagnosticFeed.add(reloaded.diagnostics);
      return reloaded;
    },
    beginLogin: (principal, server, options) => {
      const definitions = configuration.merged.servers;
      return credentials.hiding(webLogins.begin(principal, { server, definitions }, options));
    },
    finishLogin: (response, options) => credentials.hiding(webLogins.finish(response, options)),
    async forPrincipal(principal, options) {
      const other = manager.forPrincipal(principal, options);
      const forget = webLogins.follow(principal, other);
      const closeOther = (options?: CloseOptions) => other.close(options).finally(forget);
      try {
        const report = await other.start(options);
        return { ...sourceOf(other), report, close: closeOther, [Symbol.asyncDispose]: () => closeOther() };
      } catch (error) {
        await closeOther();
        throw error;
      }
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The manager without what only `openMcp` may do with it. */
function sourceOf(manager: McpManager): McpSource {
  const methods = [
    ...(["tools", "searchTools", "callTool", "on", "servers", "ready", "reconnect", "disconnect"] as const),
    ...(["refreshTools", "view", "viewFor", "close", "resources", "resourceTemplates"] as const),
    ...(["readResource", "subscribe", "prompts", "getPrompt", "complete", Symbol.asyncDispose] as const),
  ] satisfies (keyof McpSource)[];
  return Object.fromEntries(
    methods.map((name) => [name, manager[name].bind(manager)]),
  ) as unknown as McpSource;
}
