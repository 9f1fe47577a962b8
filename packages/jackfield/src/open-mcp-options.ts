import type {
  DiscoverServersOptions,
  InheritEnv,
  InlineServer,
  ServerApprover,
  ServerFilterOptions,
  ServerResolverOptions,
  TrustFolder,
} from "@jackfield/mcp-config";
import type {
  AuthPort,
  Connector,
  Implementation,
  ResolveServer,
  StateStore,
  ToolCache,
} from "@jackfield/mcp-core";
import type { CallApprovalOptions } from "@jackfield/mcp-guard";
import type { McpManagerOptions } from "@jackfield/mcp-manager";
import type { HttpOptionsSource } from "@jackfield/mcp-transports";
import type { GuardOptions } from "./guards.ts";

/** Where the persistent catalog is. */
export interface CacheOptions {
  /** A directory, relative to `cwd`, made when missing. Default: the user's cache folder, or `cache` under `$JACKFIELD_HOME`. */
  readonly path?: string | undefined;
  /** Time limit for a lock that another process holds, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** How much is kept, in bytes. Beyond it what would expire next is forgotten first. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Where servers are looked for beside those that are passed. */
export type DiscoverOptions = Pick<
  DiscoverServersOptions,
  "cwd" | "hosts" | "project" | "order" | "home" | "env"
>;

/** Which of the servers that are found are used. */
export interface McpFilterOptions extends ServerFilterOptions {
  /** Told the API key that a server of Exa was given, so that a host which searches by itself can use it. */
  readonly exaApiKey?: ((key: string, server: string) => void) | undefined;
}

/**
 * Options of `openMcp`. What is passed in `servers` and `configFiles` is approved by being passed; what a project brings is not.
 * Those that are not described here are the manager's own, or those of the default resolver.
 */
export interface OpenMcpOptions
  extends Pick<ServerResolverOptions, "missingVariable" | "projectVariables" | "inputs" | "runCommands">,
    Pick<
      McpManagerOptions,
      | "startup"
      | "idleTimeoutMs"
      | "toolPollIntervalMs"
      | "heartbeat"
      | "resourceUpdateQuietMs"
      | "closeTimeoutMs"
      | "retry"
      | "limits"
      | "naming"
      | "use"
      | "toolPolicies"
      | "handlers"
      | "principal"
      | "log"
    > {
  /** Servers by name, in the ecosystem's own shape: `{ command, args, env }`, `{ url, headers }`, or `{ server }` for one in this process. They beat the files. */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** Files in the `mcpServers` form, the strongest first. */
  readonly configFiles?: readonly string[] | undefined;
  /** What relative paths in the two options above, and in `cache`, are relative to. Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /**
   * Where else servers are looked for: `{ cwd, hosts, project }`, or `false` for nowhere. Default: the project's `.mcp.json`, from
   * `cwd` up to its repository's root, and the user's own `mcp.json`.
   */
  readonly discover?: DiscoverOptions | false | undefined;
  /**
   * Asked, in the background, about each server that a project brings and nobody has approved; what it approves is started then,
   * and remembered. Nobody waits for its answer. Default: nobody is asked, and `npx jackfield approve` decides.
   */
  readonly approve?: ServerApprover | undefined;
  /** Where approvals are kept. Default: files of mode 0600 in the user's own folder for state. */
  readonly approvals?: StateStore | undefined;
  /**
   * Trust by folder in place of approval by content: where it says no, a project starts no process but its remote servers are
   * reached; where it says yes, everything runs, whatever the files will say tomorrow. It is asked at each opening and `reload()`.
   */
  readonly trust?: TrustFolder | undefined;
  /** Which servers are used: by name, command line or URL, and those that the host replaces. Default: all. */
  readonly filters?: McpFilterOptions | undefined;
  /** The persistent catalog: where it is, another one, which stays the caller's to close, or `false` for none. Default: on disk. */
  readonly cache?: CacheOptions | ToolCache | false | undefined;
  /** What a child process gets of this process's environment beside a short safe list: everything (`true`) or these names. Default: nothing more. */
  readonly inheritEnv?: InheritEnv | undefined;
  /**
   * What stands between models and servers, beside `use` and `toolPolicies`. Default: results are cut for models at 50,000
   * characters, and tools are cleaned of what is hidden in them. `false`: nothing.
   */
  readonly guards?: GuardOptions | false | undefined;
  /** Has calls approved before they are made: which ones, and by whom. Default: none is asked about. */
  readonly approval?: CallApprovalOptions | undefined;
  /** Opens sessions. Default: stdio, Streamable HTTP and in-process servers, through `@jackfield/mcp-transports`. */
  readonly connect?: Connector | undefined;
  /** Fills in variables. Default: from this process's environment, through `@jackfield/mcp-config`. */
  readonly resolve?: ResolveServer | undefined;
  /**
   * How the default connector reaches remote servers: `{ proxy, tls, fetch }`, or a function that chooses for each server. Default:
   * undici, the proxies of the environment, and the authorities of Node.js.
   */
  readonly http?: HttpOptionsSource | undefined;
  /**
   * Credentials of remote servers. Default: the logins of `jackfield login`, for servers whose entries have no `Authorization` header
   * and that are reached for no `principal`; nobody is asked to log in.
   */
  readonly auth?: AuthPort | undefined;
  /** How the default connector introduces itself to servers. Default: `jackfield`. */
  readonly clientInfo?: Implementation | undefined;
  /** Gives the opening up: `openMcp` then rejects with `MCP_ABORTED` once everything it had started is gone. */
  readonly signal?: AbortSignal | undefined;
}
