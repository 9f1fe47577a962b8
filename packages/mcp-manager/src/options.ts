import {
  type AuthPort,
  type CallMiddleware,
  type Connector,
  DEFAULT_LIMITS,
  type HostHandlers,
  type Logger,
  McpError,
  type ResolveServer,
  type ServerDefinition,
  type ServerLimits,
  silentLogger,
  type ToolCache,
  type ToolListPolicy,
} from "@jackfield/mcp-core";
import { checkDefinition, checkDefinitions, checkKinds } from "./option-kinds.ts";
import { checkNumbers } from "./option-numbers.ts";
import type { HeartbeatOptions } from "./server/heartbeat.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
import type { NamingOptions } from "./tools/naming-options.ts";
import { writtenValue } from "./written-value.ts";

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
  /** How many servers are connected at the same time at start-up. Default 32. */
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

/** Options of a manager. Only `servers`, `connect` and `resolve` are required. */
export interface McpManagerOptions {
  /** The servers, each with a name of its own; `reload` replaces them. */
  readonly servers: readonly ServerDefinition[];
  /** Opens sessions, for example `createConnector()` of `@jackfield/mcp-transports`. */
  readonly connect: Connector;
  /** Fills in variables, for example `createServerResolver()` of `@jackfield/mcp-config`. */
  readonly resolve: ResolveServer;
  /** The persistent catalog, for example `sqliteToolCache()` of `@jackfield/mcp-tool-cache`. Default: none. */
  readonly cache?: ToolCache | undefined;
  /** How servers are started and how long `start()` waits for them. */
  readonly startup?: StartupOptions | undefined;
  /** Merged over the defaults, field by field ([H17]). */
  readonly retry?: { readonly [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined } | undefined;
  /** For all servers; a server's own limits take precedence. */
  readonly limits?: ServerLimits | undefined;
  /** How tools are named, and which names the host has given to other tools. */
  readonly naming?: NamingOptions | undefined;
  /** Middleware around each tool call; the first is the outermost. */
  readonly use?: readonly CallMiddleware[] | undefined;
  /** Functions that see each tool before it is offered, and may change or block it; applied in order. Default: none. */
  readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
  /** Answers to requests of servers: elicitation, sampling and roots. A missing handler is not advertised. Default: none. */
  readonly handlers?: HostHandlers | undefined;
  /** Credentials of remote servers, for example the store of `@jackfield/mcp-auth`. Default: none. */
  readonly auth?: AuthPort | undefined;
  /** The user on whose behalf servers are reached; keeps the catalogs of several users apart. */
  readonly principal?: string | undefined;
  /**
   * A session without requests for this many milliseconds is closed; its tools stay on offer, and the next call connects again. It is
   * kept while a resource has a subscription. The same limit in `limits` or of a server takes precedence. `0` = never. Default 0.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** How often a connected server's tools are listed again without an announced change, in milliseconds; `0` = never. Default 0. */
  readonly toolPollIntervalMs?: number | undefined;
  /**
   * How an unused legacy session is checked for life. Default: a remote server that was silent for 30 s is pinged, and its session is
   * dropped if there is no answer within 10 s; a local server is pinged only if `intervalMs` is given.
   */
  readonly heartbeat?: HeartbeatOptions | undefined;
  /** How long a resource must be quiet before subscribers are notified of its updates, in milliseconds; `0` = at once. Default 500. */
  readonly resourceUpdateQuietMs?: number | undefined;
  /** How long closing everything may take before it is left behind, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Gets log entries; an error it throws is ignored. Default: nothing is logged. */
  readonly log?: Logger | undefined;
}

type Present<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> };

/** The options with every default filled in. */
export interface ResolvedManagerOptions
  extends Omit<
    McpManagerOptions,
    | "startup"
    | "retry"
    | "naming"
    | "use"
    | "toolPolicies"
    | "toolPollIntervalMs"
    | "heartbeat"
    | "resourceUpdateQuietMs"
    | "closeTimeoutMs"
    | "log"
  > {
  readonly startup: Present<StartupOptions>;
  readonly retry: RetryPolicy;
  readonly naming: NamingOptions;
  readonly use: readonly CallMiddleware[];
  readonly toolPolicies: readonly ToolListPolicy[];
  readonly toolPollIntervalMs: number;
  readonly heartbeat: HeartbeatOptions;
  readonly resourceUpdateQuietMs: number;
  readonly closeTimeoutMs: number;
  readonly log: Logger;
}

/** The default start-up options. */
export const DEFAULT_STARTUP: Present<StartupOptions> = {
  gateMs: 250,
  staleAfterMs: 3_600_000,
  uncached: "wait",
  concurrency: 32,
  failures: "keep",
};

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;
const DEFAULT_RESOURCE_UPDATE_QUIET_MS = 500;

/**
 * Fills in the defaults and gives each definition its final limits. A logger that throws is contained.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option of the wrong kind, a missing port, a number that is not finite or too small, an
 * unknown choice, an invalid principal, a server without a name, or a duplicate name.
 */
export function resolveOptions(options: McpManagerOptions): ResolvedManagerOptions {
  checkKinds(options);
  checkNumbers("manager", options);
  const { startup, retry, heartbeat, naming, use, toolPolicies, log, ...rest } = options;
  const resolved: ResolvedManagerOptions = {
    ...rest,
    servers: resolveDefinitions(options.servers, options),
    startup: withDefaults(DEFAULT_STARTUP, startup),
    retry: withDefaults(DEFAULT_RETRY_POLICY, retry),
    naming: naming ?? {},
    use: use ?? [],
    toolPolicies: toolPolicies ?? [],
    toolPollIntervalMs: options.toolPollIntervalMs ?? 0,
    heartbeat: heartbeat ?? {},
    resourceUpdateQuietMs: options.resourceUpdateQuietMs ?? DEFAULT_RESOURCE_UPDATE_QUIET_MS,
    closeTimeoutMs: options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
    log: contained(log ?? silentLogger),
  };
  checkNumbers("heartbeat", resolved.heartbeat);
  checkNumbers("startup", resolved.startup);
  checkNumbers("retry", resolved.retry);
  if (options.principal !== undefined) checkPrincipal(options.principal);
  checkChoice("startup", "uncached", resolved.startup.uncached, ["wait", "later"]);
  checkChoice("startup", "failures", resolved.startup.failures, ["keep", "drop", "throw"]);
  checkChoice("retry", "jitter", resolved.retry.jitter, ["full", "around", "none"]);
  return resolved;
}

/**
 * Gives each definition its final limits.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid limit, a server without a name, or a duplicate name.
 */
export function resolveDefinitions(
  definitions: Iterable<ServerDefinition>,
  { limits, idleTimeoutMs }: Pick<McpManagerOptions, "limits" | "idleTimeoutMs">,
): readonly ServerDefinition[] {
  checkDefinitions(definitions);
  const common = withDefaults(withDefaults(DEFAULT_LIMITS, { idleTimeoutMs }), limits);
  const resolved = Array.from(definitions, (definition) => withLimits(definition, common));
  checkNumbers("limits", common);
  for (const { name, limits } of resolved) {
    if (limits !== common) checkNumbers(`limits of server "${name}"`, limits ?? {});
  }
  checkNames(resolved);
  return resolved;
}

/** A logger must not throw; if one does, its error is ignored. */
function contained(log: Logger): Logger {
  return (level, message, fields) => {
    try {
      log(level, message, fields);
    } catch {
      // There is nowhere left to report it.
    }
  };
}

function withLimits(definition: ServerDefinition, common: ServerLimits): ServerDefinition {
  checkDefinition(definition);
  const { limits } = definition;
  return { ...definition, limits: limits === undefined ? common : withDefaults(common, limits) };
}

/** Like a spread, but an `undefined` field keeps the default. */
function withDefaults<T extends object>(
  defaults: T,
  given: Partial<{ [K in keyof T]: T[K] | undefined }> = {},
): T {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}

/**
 * Rejects a misspelt choice, which would otherwise be taken for another one.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkChoice(where: string, field: string, value: unknown, choices: readonly string[]): void {
  if (choices.some((choice) => choice === value)) return;
  const message = `Option "${field}" (${where}) must be one of ${choices.map((choice) => `"${choice}"`).join(", ")}, not ${writtenValue(value)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/**
 * Rejects a principal that is not a non-empty string: a missing or empty id would stand for the owner of the runtime.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkPrincipal(principal: unknown): void {
  if (typeof principal === "string" && principal !== "") return;
  const message = `A principal must be a non-empty string, not ${writtenValue(principal)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

function checkNames(servers: readonly ServerDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, definedIn } of servers) {
    if (typeof name !== "string" || name === "") {
      const message = `The name of a server must be a non-empty string, not ${writtenValue(name)}.`;
      throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: definedIn });
    }
    if (seen.has(name)) {
      const message = `Two servers are called "${name}"; give one of them another name.`;
      throw new McpError("MCP_CONFIG_INVALID", message, {
        server: name,
        phase: "config",
        location: definedIn,
      });
    }
    seen.add(name);
  }
}
