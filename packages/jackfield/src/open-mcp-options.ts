import type { OAuth } from "@jackfield/mcp-auth";
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
  CallMiddleware,
  Connector,
  Logger,
  ResolveServer,
  StateStore,
  ToolCache,
  ToolListPolicy,
} from "@jackfield/mcp-core";
import type { CallApprovalOptions } from "@jackfield/mcp-guard";
import type { McpManagerOptions } from "@jackfield/mcp-manager";
import type { ConnectorOptions, HttpOptionsSource } from "@jackfield/mcp-transports";
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
  "cwd" | "hosts" | "project" | "order" | "home" | "env" | "maxFileBytes"
>;

/** Which of the servers found are used. */
export interface McpFilterOptions extends ServerFilterOptions {
  /** Called with the API key of each Exa server, so that a host with a search of its own can use it. */
  readonly exaApiKey?: ((key: string, server: string) => void) | undefined;
}

/** Everything that a person is asked, and what is allowed without asking. */
export interface ApprovalOptions {
  /**
   * Asked in the background about each server that a project brings and nobody has approved. A server that it approves is started and
   * remembered; nothing else waits for the answer. Default: none, so approve with `npx jackfield approve`.
   */
  readonly servers?: ServerApprover | undefined;
  /**
   * Trust by folder in place of approval by content. For `false`, the folder's project starts no process, but its remote servers are
   * reached; for `true`, everything runs, whatever its files say later. It is asked at each opening and `reload()`. Default: by content.
   */
  readonly folders?: TrustFolder | undefined;
  /**
   * Variables of this process, and ids of `inputs`, that the servers of projects may read besides what their approval lists. Default: none.
   */
  readonly projectVariables?: readonly string[] | undefined;
  /**
   * Which calls are approved before they are made: `always`, `never`, `annotations`, settings by tool, a function, or
   * `{ servers, others }` with a rule for each server. Default: every call if there is an `ask`, else none.
   */
  readonly calls?: CallApprovalOptions["calls"];
  /** Asks a person about a call. Without it, calls that need approval are refused. */
  readonly ask?: CallApprovalOptions["ask"];
  /**
   * Where answers are kept. Default: those about servers in files of mode 0600 in the user's state directory; those about calls for this
   * run only.
   */
  readonly store?: StateStore | undefined;
}

/** How the default resolver fills in what entries refer to. */
export type ValueOptions = Pick<ServerResolverOptions, "missingVariable" | "inputs" | "runCommands">;

/** How the default connector introduces itself to servers, and which extensions of the protocol it announces to them. */
export type ConnectOptions = Pick<ConnectorOptions, "clientInfo" | "extensions">;

/** A guard of your own, such as those of `@jackfield/mcp-guard`. */
export interface ToolGuard {
  /** Stands around each call. */
  readonly middleware?: CallMiddleware | undefined;
  /** Sees each tool before it is offered, and may change or block it. */
  readonly policy?: ToolListPolicy | undefined;
}

/**
 * Options of `openMcp`, all optional. Servers passed in `servers` and `configFiles` count as approved; those that a project brings do not.
 */
export interface OpenMcpOptions
  extends Pick<
    McpManagerOptions,
    "startup" | "retry" | "limits" | "naming" | "search" | "handlers" | "principal"
  > {
  /**
   * Makes this the one runtime of that id in this process, for programs whose modules are evaluated again while they run, as by `next dev`:
   * the same options return the runtime that is open, other servers reload it, and other options close it and open another. Functions do not
   * count; the latest are called. Default: each call opens a runtime.
   */
  readonly id?: string | undefined;
  /**
   * Servers by name, in the common form: `{ command, args, env }`, `{ url, headers }`, or `{ server }` for one in this process. They take
   * precedence over files.
   */
  readonly servers?: { readonly [name: string]: InlineServer } | undefined;
  /** Files in the `mcpServers` form, highest precedence first. */
  readonly configFiles?: readonly string[] | undefined;
  /**
   * The folder for relative paths, in the two options above, `cache` and `guards.pins`, and for `discover`. Default: the process's working
   * directory.
   */
  readonly cwd?: string | undefined;
  /**
   * Where else servers are looked for: `{ cwd, hosts, project }`, or `false` for nowhere. Default: the project's `.mcp.json`, from
   * `cwd` up to its repository's root, and the user's own `mcp.json`.
   */
  readonly discover?: DiscoverOptions | false | undefined;
  /** Everything that a person is asked: about the servers of projects, and before calls. */
  readonly approval?: ApprovalOptions | undefined;
  /** Which servers are used: by name, command line or URL, or because the host has a replacement of its own. Default: all. */
  readonly filters?: McpFilterOptions | undefined;
  /** The persistent catalog: its options, a `ToolCache` of your own, which you close yourself, or `false` for none. Default: on disk. */
  readonly cache?: CacheOptions | ToolCache | false | undefined;
  /**
   * Environment variables of this process that child processes get, beside a short safe list: all (`true`) or these names. Default: none.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /**
   * Guards between models and servers, in addition to `use`. Default: results are cut for models at 50,000 characters,
   * and hidden characters are removed from tools. `false`: none.
   */
  readonly guards?: GuardOptions | false | undefined;
  /** Middleware around each call, the first outermost, and guards that also see tools before they are offered. Default: none. */
  readonly use?: readonly (CallMiddleware | ToolGuard)[] | undefined;
  /**
   * Tells OpenTelemetry of every connection, login and request to a server, by its conventions for MCP: spans, two histograms, and a
   * `traceparent` in each request. Needs `@opentelemetry/api`, which is not loaded otherwise. Default `false`.
   */
  readonly telemetry?: boolean | undefined;
  /**
   * A connector of your own, with which `http` is not used, or `{ clientInfo, extensions }` for the default one: stdio, Streamable HTTP and in-process
   * servers, through `@jackfield/mcp-transports`.
   */
  readonly connect?: Connector | ConnectOptions | undefined;
  /**
   * A resolver of your own, or `{ missingVariable, inputs, runCommands }` for the default one, which fills in variables from this process's
   * environment, through `@jackfield/mcp-config`.
   */
  readonly resolve?: ResolveServer | ValueOptions | undefined;
  /**
   * How the default connector reaches remote servers: `{ proxy, tls, fetch }`, or a function that chooses for each server. Default: undici,
   * the proxies of the environment, and the certificate authorities of Node.js.
   */
  readonly http?: HttpOptionsSource | undefined;
  /**
   * Credentials of remote servers. Default: the logins of `jackfield login`, for servers whose entries have no `Authorization` header and
   * that are reached without a `principal`; no login is ever started. `beginLogin` and `finishLogin` need the one that `createOAuth` makes.
   */
  readonly auth?: (AuthPort & Partial<Pick<OAuth, "beginLogin" | "finishLogin">>) | undefined;
  /**
   * Gets everything that the runtime says, without credentials. Default: warnings and errors go to standard error, each once until something
   * has changed. `false`: nothing is said.
   */
  readonly log?: Logger | false | undefined;
  /** Cancels the opening: `openMcp` then rejects with `MCP_ABORTED` once everything it had started is gone. */
  readonly signal?: AbortSignal | undefined;
}
