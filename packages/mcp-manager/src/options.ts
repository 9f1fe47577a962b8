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
import type { HeartbeatOptions } from "./server/heartbeat.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";
import type { NamingOptions } from "./tools/naming-options.ts";
import { writtenValue } from "./written-value.ts";

/** How long `start()` waits for whom. Times are milliseconds. */
export interface StartupOptions {
  /** For live tools of a server whose catalog entry is stale. Default 250. */
  readonly gateMs?: number | undefined;
  /** A catalog entry is fresh for this long, unless the server gave a `ttlMs` of its own. Default 3,600,000 (1 h). */
  readonly staleAfterMs?: number | undefined;
  /** A server without a catalog entry: `wait` until it has settled, or go on at the gate and offer its tools `later`. Default `wait`. */
  readonly uncached?: "wait" | "later" | undefined;
  /** How many servers are connected at the same time at start-up. Default 32. */
  readonly concurrency?: number | undefined;
  /**
   * What becomes of a server that fails.
   *
   * `keep`: it is shown as failed and tried again as the retry policy says. `drop`: it is taken out of `servers()`, and out of
   * `tools()`, and not tried again before `reconnect` or `reload`; so is one that was up and was then lost for good. `throw`: one
   * failure makes `start()` reject, once everything is closed, what calls had connected before as well; it waits for every server that
   * is not lazy, whatever the catalog knows. Default `keep`. The last two are what openai-agents does with `drop_failed_servers` and `strict`.
   */
  readonly failures?: "keep" | "drop" | "throw" | undefined;
}

/** What a manager joins. Only the servers and two ports are needed. */
export interface McpManagerOptions {
  readonly servers: readonly ServerDefinition[];
  /** Opens sessions, for example `createConnector()` of `@jackfield/mcp-transports`. */
  readonly connect: Connector;
  /** Fills in variables, for example `createServerResolver()` of `@jackfield/mcp-config`. */
  readonly resolve: ResolveServer;
  /** The persistent catalog, for example `sqliteToolCache()` of `@jackfield/mcp-tool-cache`. Default: none. */
  readonly cache?: ToolCache | undefined;
  readonly startup?: StartupOptions | undefined;
  /** Merged over the defaults, field by field ([H17]). */
  readonly retry?: { readonly [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined } | undefined;
  /** For all servers; an entry's own limits beat them. */
  readonly limits?: ServerLimits | undefined;
  /** How tools are named, and which names the host has given to other tools. */
  readonly naming?: NamingOptions | undefined;
  /** Stands between callers and servers; the first is the outermost. */
  readonly use?: readonly CallMiddleware[] | undefined;
  readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
  readonly handlers?: HostHandlers | undefined;
  readonly auth?: AuthPort | undefined;
  /** As whom servers are reached; keeps the catalogs of several users apart. */
  readonly principal?: string | undefined;
  /**
   * A session on which nothing was asked for so many milliseconds is let go; its tools stay on offer, and the next call connects
   * again. The same limit of an entry beats it. `0` = never. Default 0.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** How often the tools of a connected server are listed anew though it announced no change, in milliseconds; `0` = never. Default 0. */
  readonly toolPollIntervalMs?: number | undefined;
  /**
   * How a legacy session that nobody uses is looked after. Default: a remote server from which nothing came for 30 s is pinged, and
   * given up after a ping without an answer within 10 s; a server of this machine is not pinged unless `intervalMs` is given.
   */
  readonly heartbeat?: HeartbeatOptions | undefined;
  /** How long a resource has to be quiet before subscribers are told of updates, in milliseconds; `0` = at once. Default 500. */
  readonly resourceUpdateQuietMs?: number | undefined;
  /** How long everything together may take to close before it is left behind, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
  readonly log?: Logger | undefined;
}

type Present<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> };

/** The options with every default filled in: nobody downstream asks again. */
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

/** What holds where the start-up options say nothing. */
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
 * @throws McpError `MCP_CONFIG_INVALID` for an option of the wrong kind, a port that is missing, a number that is none, a negative one, an unknown choice, a principal that is no name, a server without a name, or two of one name.
 */
export function resolveOptions(options: McpManagerOptions): ResolvedManagerOptions {
  checkKinds(options);
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
  const { toolPollIntervalMs, resourceUpdateQuietMs, closeTimeoutMs } = resolved;
  checkNumbers("manager", { toolPollIntervalMs, resourceUpdateQuietMs, closeTimeoutMs });
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
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is no number, a server without a name, or two of one name.
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

/** A logger must not throw; one that does anyway disturbs nobody. */
function contained(log: Logger): Logger {
  return (level, message, fields) => {
    try {
      log(level, message, fields);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function withLimits(definition: ServerDefinition, common: ServerLimits): ServerDefinition {
  checkDefinition(definition);
  const { limits } = definition;
  return { ...definition, limits: limits === undefined ? common : withDefaults(common, limits) };
}

/** Like a spread, but a field that is `undefined` leaves the default standing. */
function withDefaults<T extends object>(
  defaults: T,
  given: Partial<{ [K in keyof T]: T[K] | undefined }> = {},
): T {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}

/** A time-out that is `NaN` or "1" would not fail but never or always fire ([R45]). */
function checkNumbers(where: string, options: object): void {
  for (const [field, value] of Object.entries(options)) {
    const least = ["concurrency", "factor", "maxPerSecond", "threshold"].includes(field) ? 1 : 0;
    if (value === undefined || (least === 0 && !/Ms$|Bytes$|^maxRetries$/.test(field))) continue;
    const isRight = (number: unknown) =>
      typeof number === "number" && Number.isFinite(number) && number >= least;
    const isList = /delaysMs$/i.test(field);
    if (isList ? Array.isArray(value) && value.every(isRight) : isRight(value)) continue;
    const right = isList ? "a list of finite numbers" : "a finite number";
    const message = `Option "${field}" (${where}) must be ${right} of at least ${least}, not ${writtenValue(value)}.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
}

/**
 * A misspelt choice would not fail but be taken for another one.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkChoice(where: string, field: string, value: unknown, choices: readonly string[]): void {
  if (choices.some((choice) => choice === value)) return;
  const message = `Option "${field}" (${where}) must be one of ${choices.map((choice) => `"${choice}"`).join(", ")}, not ${writtenValue(value)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/**
 * Who a user is. What is none (a missing id, an empty one) would be taken for nobody in particular, which is the owner of the runtime.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkPrincipal(principal: unknown): void {
  if (typeof principal === "string" && principal !== "") return;
  const message = `A principal must be a string that is not empty, not ${writtenValue(principal)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

function checkNames(servers: readonly ServerDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, definedIn } of servers) {
    if (typeof name !== "string" || name === "") {
      const message = `A server must have a name, a string that is not empty, not ${writtenValue(name)}.`;
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
