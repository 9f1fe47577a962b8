import type { InheritEnv, InlineServer } from "@jackfield/mcp-config";
import type { Connector, Implementation, ResolveServer, ToolCache } from "@jackfield/mcp-core";
import type { McpManagerOptions } from "@jackfield/mcp-manager";

/** Where the persistent catalog is. */
export interface CacheOptions {
  /** A directory, made when missing. Default: the user's cache folder, or `cache` under `$JACKFIELD_HOME`. */
  readonly path?: string | undefined;
  /** Time limit for a lock that another process holds, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * Options of `openMcp`. What is passed in `servers` and `configFiles` is approved by being passed. Those that are not
 * described here are the manager's own.
 */
export interface OpenMcpOptions
  extends Pick<
    McpManagerOptions,
    | "startup"
    | "idleTimeoutMs"
    | "toolPollIntervalMs"
    | "closeTimeoutMs"
    | "retry"
    | "limits"
    | "naming"
    | "use"
    | "toolPolicies"
    | "handlers"
    | "auth"
    | "principal"
    | "log"
  > {
  /** Servers by name, in the ecosystem's own shape: `{ command, args, env }`, `{ url, headers }`, or `{ server }` for one in this process. They beat the files. */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** Files in the `mcpServers` form, the strongest first. */
  readonly configFiles?: readonly string[] | undefined;
  /** What relative paths in the two options above are relative to. Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** The persistent catalog: where it is, another one, which stays the caller's to close, or `false` for none. Default: on disk. */
  readonly cache?: CacheOptions | ToolCache | false | undefined;
  /** What a child process gets of this process's environment beside a short safe list: everything (`true`) or these names. Default: nothing more. */
  readonly inheritEnv?: InheritEnv | undefined;
  /** Opens sessions. Default: stdio, Streamable HTTP and in-process servers, through `@jackfield/mcp-transports`. */
  readonly connect?: Connector | undefined;
  /** Fills in variables. Default: from this process's environment, through `@jackfield/mcp-config`. */
  readonly resolve?: ResolveServer | undefined;
  /** How the default connector introduces itself to servers. Default: `jackfield`. */
  readonly clientInfo?: Implementation | undefined;
  /** Gives the opening up: `openMcp` then rejects with `MCP_ABORTED` once everything it had started is gone. */
  readonly signal?: AbortSignal | undefined;
}
