import {
  type AuthPort,
  type CallMiddleware,
  type Connector,
  DEFAULT_LIMITS,
  type HostHandlers,
  invalidOption,
  isMcpError,
  isRecord,
  KnownCredentials,
  type Logger,
  type McpError,
  type ResolveServer,
  type ServerDefinition,
  type ServerLimits,
  type ServerSnapshot,
  silentLogger,
  type ToolCache,
  type ToolListPolicy,
} from "@jackfield/mcp-core";
import type { ToolSearchSettings } from "@jackfield/mcp-tools/search";
import { checkManagerOptions, checkServerLimits, writtenValue } from "./option-check.ts";
import type { HeartbeatOptions } from "./server/heartbeat.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
import type { NamingOptions } from "./tools/tool-naming.ts";

/** How `start()` connects servers and how long it waits for them. Times are milliseconds. */
export interface StartupOptions {
  /**
   * How long to wait for a server whose catalog entry is stale or whose last attempt failed. `Infinity`: until the server is ready or has
   * failed. Default 250.
   */
  readonly gateMs?: number | undefined;
  /** A catalog entry is fresh for this long, unless the server gave a `ttlMs` of its own. Default 3,600,000 (1 h). */
  readonly staleAfterMs?: number | undefined;
  /**
   * For a server without a catalog entry: `wait` until it is ready or has failed, or go on after `gateMs` and offer its tools `later`.
   * Default `wait`.
   */
  readonly uncached?: "wait" | "later" | undefined;
  /**
   * `true` connects no server before it is used, as `lazy` does for one entry: by a call, a question about its resources or prompts, or
   * `reconnect`. For short programs that use one of many servers. Default false.
   */
  readonly lazy?: boolean | undefined;
  /** How many servers are connected at the same time, over all users: a connection that takes longer than 3 s no longer counts. Default 32. */
  readonly concurrency?: number | undefined;
  /**
   * What happens to a server that fails.
   *
   * `keep`: it is shown as failed and retried as the retry policy says. `drop`: it is removed from `servers()` and `tools()` and not
   * retried before `reconnect` or `reload`; the same happens to a server that was up and is lost for good. `throw`: one failure makes
   * `start()` reject, after everything is closed, including what calls had connected before; it waits for every server that is not
   * lazy, whatever the catalog knows. Default `keep`. The last two correspond to `drop_failed_servers` and `strict` of openai-agents.
   */
  readonly failures?: "keep" | "drop" | "throw" | undefined;
}

/** Limits for all servers, and those of the manager itself. */
export interface ManagerLimits extends ServerLimits {
  /** How often a connected server's tools are listed again without an announced change, in milliseconds; `0` = never. Default 0. */
  readonly toolPollIntervalMs?: number | undefined;
  /** How long a resource must be quiet before subscribers are notified of its updates, in milliseconds; `0` = at once. Default 500. */
  readonly resourceUpdateQuietMs?: number | undefined;
  /** How long closing everything may take before it is left behind, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
}

/** When lost servers are tried again, and how a loss is found out. */
export type RetryOptions = { readonly [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined } & {
  /**
   * How an unused legacy session is checked for life. Default: a remote server that was silent for 30 s is pinged, and its session is
   * dropped if there is no answer within 10 s; a local server is pinged only if `intervalMs` is given.
   */
  readonly heartbeat?: HeartbeatOptions | undefined;
};

/** An entry that cannot be used, or not before somebody approves it: it is listed as failed, and nothing of it runs. */
export interface UnusableServer extends Pick<ServerSnapshot, "name" | "transport" | "definedIn"> {
  /** Why, and what to do about it. Whoever uses the server gets this error. */
  readonly error: McpError;
}

/** What a manager is configured with. Only usable servers need names of their own. */
export type ConfiguredServer = ServerDefinition | UnusableServer;

export function isUnusable(server: ConfiguredServer): server is UnusableServer {
  return "error" in server && isMcpError(server.error);
}

export function isUsable(server: ConfiguredServer): server is ServerDefinition {
  return !isUnusable(server);
}

/** Options of a manager. Only `servers`, `connect` and `resolve` are required. */
export interface McpManagerOptions {
  /** The servers, each with a name of its own, and the entries that cannot be used; `reload` replaces them. */
  readonly servers: readonly ConfiguredServer[];
  /** Opens sessions, for example `createConnector()` of `@jackfield/mcp-transports`. */
  readonly connect: Connector;
  /** Fills in variables, for example `createServerResolver()` of `@jackfield/mcp-config`. */
  readonly resolve: ResolveServer;
  /** The persistent catalog, for example `sqliteToolCache()` of `@jackfield/mcp-tool-cache`. Default: none. */
  readonly cache?: ToolCache | undefined;
  /** How servers are started and how long `start()` waits for them. */
  readonly startup?: StartupOptions | undefined;
  /** Merged over the defaults, field by field ([H17]). */
  readonly retry?: RetryOptions | undefined;
  /** For all servers; a server's own limits take precedence. */
  readonly limits?: ManagerLimits | undefined;
  /** How tools are named, and which names the host has given to other tools. */
  readonly naming?: NamingOptions | undefined;
  /** Middleware around each tool call; the first is the outermost. */
  readonly use?: readonly CallMiddleware[] | undefined;
  /** Functions that see each tool before it is offered, and may change or block it; applied in order. Default: none. */
  readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
  /** How `searchTools` ranks. Default: by its own index alone. */
  readonly search?: ToolSearchSettings | undefined;
  /** Answers to requests of servers: elicitation, sampling and roots. A missing handler is not advertised. Default: none. */
  readonly handlers?: HostHandlers | undefined;
  /** Credentials of remote servers, for example the store of `@jackfield/mcp-auth`. Default: none. */
  readonly auth?: AuthPort | undefined;
  /** The user on whose behalf servers are reached; keeps the catalogs of several users apart. */
  readonly principal?: string | undefined;
  /** What is hidden in errors and log entries. Default: the credentials of these servers alone. */
  readonly credentials?: KnownCredentials | undefined;
  /** Gets log entries, without credentials; an error it throws is ignored. Default: nothing is logged. */
  readonly log?: Logger | undefined;
}

type Present<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> };

/** The options with every default filled in. */
export interface ResolvedManagerOptions
  extends Omit<
    McpManagerOptions,
    "startup" | "retry" | "limits" | "naming" | "use" | "toolPolicies" | "log" | "credentials"
  > {
  readonly startup: Present<StartupOptions>;
  readonly retry: RetryPolicy;
  /** For servers that are added later. */
  readonly limits: ServerLimits;
  readonly naming: NamingOptions;
  readonly use: readonly CallMiddleware[];
  readonly toolPolicies: readonly ToolListPolicy[];
  readonly toolPollIntervalMs: number;
  readonly heartbeat: HeartbeatOptions;
  /** For servers whose limits have none. */
  readonly idleTimeoutMs: number;
  readonly resourceUpdateQuietMs: number;
  readonly closeTimeoutMs: number;
  readonly credentials: KnownCredentials;
  readonly log: Logger;
}

/** The default start-up options. */
const DEFAULT_STARTUP: Present<StartupOptions> = {
  gateMs: 250,
  staleAfterMs: 3_600_000,
  uncached: "wait",
  lazy: false,
  concurrency: 32,
  failures: "keep",
};

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;
const DEFAULT_RESOURCE_UPDATE_QUIET_MS = 500;

/**
 * Checks the options, fills in the defaults and gives each definition its final limits. A logger that throws is contained.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option of the wrong kind or an unknown one, a missing port, a number that is
 * not finite or too small, an invalid principal, a server without a name, or a duplicate name.
 */
export function resolveOptions(options: McpManagerOptions): ResolvedManagerOptions {
  checkManagerOptions(options);
  const { startup, retry = {}, limits: given = {}, naming, use, toolPolicies, log, ...rest } = options;
  const { toolPollIntervalMs, resourceUpdateQuietMs, closeTimeoutMs, ...forServers } = given;
  const { heartbeat, ...policy } = retry;
  const limits = withDefaults(DEFAULT_LIMITS, forServers);
  const { credentials = new KnownCredentials() } = options;
  if (forServers.idleTimeoutMs !== undefined) SAY_WHEN_IDLE.add(limits);
  return {
    ...rest,
    servers: resolveDefinitions(options.servers, limits),
    startup: withDefaults(DEFAULT_STARTUP, startup),
    retry: withDefaults(DEFAULT_RETRY_POLICY, policy),
    limits,
    naming: naming ?? {},
    use: use ?? [],
    toolPolicies: toolPolicies ?? [],
    toolPollIntervalMs: toolPollIntervalMs ?? 0,
    heartbeat: heartbeat ?? {},
    idleTimeoutMs: DEFAULT_LIMITS.idleTimeoutMs,
    resourceUpdateQuietMs: resourceUpdateQuietMs ?? DEFAULT_RESOURCE_UPDATE_QUIET_MS,
    closeTimeoutMs: closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
    credentials,
    log: credentials.logger(log ?? silentLogger),
  };
}

/**
 * Gives each usable server its final limits.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid limit, a server without a name, or a duplicate name.
 */
export function resolveDefinitions(
  definitions: Iterable<ConfiguredServer>,
  limits: ServerLimits,
): readonly ConfiguredServer[] {
  if (typeof definitions !== "object" || definitions === null || !(Symbol.iterator in definitions))
    throw invalidOption('Option "servers" must be a list of servers.');
  const seen = new Set<string>();
  return Array.from(definitions, (definition) => {
    if (isRecord(definition) && isUnusable(definition)) return definition;
    checkDefinition(definition, seen);
    const own = definition.limits;
    if (own === undefined) return { ...definition, limits };
    const joined = withDefaults(limits, own);
    if (own.idleTimeoutMs !== undefined || SAY_WHEN_IDLE.has(limits)) SAY_WHEN_IDLE.add(joined);
    return { ...definition, limits: joined };
  });
}

/** Limits whose `idleTimeoutMs` was given: the managers of other users have another default. */
const SAY_WHEN_IDLE = new WeakSet<ServerLimits>();

/** When a session of a server is idle, in milliseconds; `0` = never. @param otherwise - if neither its entry nor the manager's limits say */
export function idleTimeoutOf({ limits }: ServerDefinition, otherwise: number): number {
  const isGiven = limits !== undefined && SAY_WHEN_IDLE.has(limits);
  return isGiven ? (limits.idleTimeoutMs ?? otherwise) : otherwise;
}

/** @param seen - the names of the servers before it */
function checkDefinition(
  definition: ConfiguredServer,
  seen: Set<string>,
): asserts definition is ServerDefinition {
  if (!isRecord(definition)) throw invalidOption("A server must be an object.");
  const { name, limits, definedIn: location } = definition as ServerDefinition;
  if (typeof name !== "string" || name === "") {
    const message = `The name of a server must be a non-empty string, not ${writtenValue(name)}.`;
    throw invalidOption(message, { location });
  }
  if (seen.has(name)) {
    const message = `Two servers are called "${name}"; give one of them another name.`;
    throw invalidOption(message, { server: name, location });
  }
  seen.add(name);
  if (limits !== undefined) checkServerLimits(limits, name);
}

/** Like a spread, but an `undefined` field keeps the default. */
function withDefaults<T extends object>(
  defaults: T,
  given: Partial<{ [K in keyof T]: T[K] | undefined }> = {},
): T {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}
