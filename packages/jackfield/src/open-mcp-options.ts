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

/** Options of the persistent catalog. */
export interface CacheOptions {
  /** The directory, relative to `cwd`, created if missing. Default: the user's cache folder, or `cache` under `$JACKFIELD_HOME`. */
  readonly path?: string | undefined;
  /** Time limit for a lock that another process holds, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** Size limit in bytes. Above it, the entries that would expire next are removed first. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Where servers are looked for, in addition to those that are passed. */
export type DiscoverOptions = Pick<
  DiscoverServersOptions,
  "cwd" | "hosts" | "project" | "order" | "home" | "env"
>;

/** Which of the servers found are used. */
export interface McpFilterOptions extends ServerFilterOptions {
  /** Called with the API key of each Exa server, so that a host with a search of its own can use it. */
  readonly exaApiKey?: ((key: string, server: string) => void) | undefined;
}

/**
 * Options of `openMcp`, all optional. Servers passed in `servers` and `configFiles` count as approved; those that a project brings do not.
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
  /**
   * Servers by name, in the common form: `{ command, args, env }`, `{ url, headers }`, or `{ server }` for one in this process. They take
   * precedence over files.
   */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** Files in the `mcpServers` form, highest precedence first. */
  readonly configFiles?: readonly string[] | undefined;
  /**
   * The folder for relative paths, in the two options above, `cache` and `guards.lock`, and for `discover`. Default: the process's working
   * directory.
   */
  readonly cwd?: string | undefined;
  /**
   * Where else servers are looked for: `{ cwd, hosts, project }`, or `false` for nowhere. Default: the project's `.mcp.json`, from
   * `cwd` up to its repository's root, and the user's own `mcp.json`.
   */
  readonly discover?: DiscoverOptions | false | undefined;
  /**
   * Asked in the background about each server that a project brings and nobody has approved. A server that it approves is started and
   * remembered; nothing else waits for the answer. Default: none, so approve with `npx jackfield approve`.
   */
  readonly approve?: ServerApprover | undefined;
  /** Where approvals of servers are kept; those of calls are in `approval.store`. Default: files of mode 0600 in the user's state directory. */
  readonly approvals?: StateStore | undefined;
  /**
   * Trust by folder in place of approval by content. For `false`, the folder's project starts no process, but its remote servers are
   * reached; for `true`, everything runs, whatever its files say later. It is asked at each opening and `reload()`.
   */
  readonly trust?: TrustFolder | undefined;
  /** Which servers are used: by name, command line or URL, or because the host has a replacement of its own. Default: all. */
  readonly filters?: McpFilterOptions | undefined;
  /** The persistent catalog: its options, a `ToolCache` of your own, which you close yourself, or `false` for none. Default: on disk. */
  readonly cache?: CacheOptions | ToolCache | false | undefined;
  /**
   * Environment variables of this process that child processes get, beside a short safe list: all (`true`) or these names. Default: none.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /**
   * Guards between models and servers, in addition to `use` and `toolPolicies`. Default: results are cut for models at 50,000 characters,
   * and hidden characters are removed from tools. `false`: none.
   */
  readonly guards?: GuardOptions | false | undefined;
  /** Approval of calls before they are made: which calls, and who approves them. Default: none needs approval. */
  readonly approval?: CallApprovalOptions | undefined;
  /**
   * Opens sessions. Default: stdio, Streamable HTTP and in-process servers, through `@jackfield/mcp-transports`. With a connector of your
   * own, `http` and `clientInfo` are not used, and servers that an earlier run left behind are not looked for.
   */
  readonly connect?: Connector | undefined;
  /** Fills in variables. Default: from this process's environment, through `@jackfield/mcp-config`. */
  readonly resolve?: ResolveServer | undefined;
  /**
   * How the default connector reaches remote servers: `{ proxy, tls, fetch }`, or a function that chooses for each server. Default: undici,
   * the proxies of the environment, and the certificate authorities of Node.js.
   */
  readonly http?: HttpOptionsSource | undefined;
  /**
   * Credentials of remote servers. Default: the logins of `jackfield login`, for servers whose entries have no `Authorization` header and
   * that are reached without a `principal`; no login is ever started.
   */
  readonly auth?: AuthPort | undefined;
  /** How the default connector introduces itself to servers. Default: `jackfield`. */
  readonly clientInfo?: Implementation | undefined;
  /** Cancels the opening: `openMcp` then rejects with `MCP_ABORTED` once everything it had started is gone. */
  readonly signal?: AbortSignal | undefined;
}
