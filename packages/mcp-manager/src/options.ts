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
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./server/retry-policy.ts";

/** How long `start()` waits for whom (DESIGN, section 4). Times are milliseconds. */
export interface StartupOptions {
  /** For live tools of a server whose catalog entry is stale. Default 250. */
  readonly gateMs?: number | undefined;
  /** A catalog entry is fresh for this long, unless the server gave a `ttlMs` of its own. Default 3,600,000 (1 h). */
  readonly staleAfterMs?: number | undefined;
  /** A server without a catalog entry: `wait` until it has settled, or go on at the gate and offer its tools `later`. Default `wait`. */
  readonly uncached?: "wait" | "later" | undefined;
  /** How many servers are connected at the same time at start-up. Default 32. */
  readonly concurrency?: number | undefined;
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
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** For all servers; an entry's own limits beat them. */
  readonly limits?: ServerLimits | undefined;
  /** Names the host has given to other tools. */
  readonly naming?: { readonly reserved?: readonly string[] | undefined } | undefined;
  /** Stands between callers and servers; the first is the outermost. */
  readonly use?: readonly CallMiddleware[] | undefined;
  readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
  readonly handlers?: HostHandlers | undefined;
  readonly auth?: AuthPort | undefined;
  /** As whom servers are reached; keeps the catalogs of several users apart. */
  readonly principal?: string | undefined;
  /** How long a session may take to close before it is left behind, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
  readonly log?: Logger | undefined;
}

type Present<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> };

/** The options with every default filled in: nobody downstream asks again. */
export interface ResolvedManagerOptions
  extends Omit<
    McpManagerOptions,
    "startup" | "retry" | "limits" | "naming" | "use" | "toolPolicies" | "closeTimeoutMs" | "log"
  > {
  readonly startup: Present<StartupOptions>;
  readonly retry: RetryPolicy;
  readonly reservedNames: readonly string[];
  readonly use: readonly CallMiddleware[];
  readonly toolPolicies: readonly ToolListPolicy[];
  readonly closeTimeoutMs: number;
  readonly log: Logger;
}

/** What holds where the start-up options say nothing. */
export const DEFAULT_STARTUP: Present<StartupOptions> = {
  gateMs: 250,
  staleAfterMs: 3_600_000,
  uncached: "wait",
  concurrency: 32,
};

const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

/**
 * Fills in the defaults and gives each definition its final limits.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a number that is none, a negative one, or two servers of one name.
 */
export function resolveOptions(options: McpManagerOptions): ResolvedManagerOptions {
  const { startup, retry, limits, naming, use, toolPolicies, closeTimeoutMs, log, ...rest } = options;
  const resolved: ResolvedManagerOptions = {
    ...rest,
    servers: options.servers.map((definition) => withLimits(definition, limits)),
    startup: withDefaults(DEFAULT_STARTUP, startup),
    retry: withDefaults(DEFAULT_RETRY_POLICY, retry),
    reservedNames: naming?.reserved ?? [],
    use: use ?? [],
    toolPolicies: toolPolicies ?? [],
    closeTimeoutMs: closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
    log: log ?? silentLogger,
  };
  checkNumbers("manager", { closeTimeoutMs: resolved.closeTimeoutMs });
  checkNumbers("startup", resolved.startup);
  checkNumbers("retry", resolved.retry);
  for (const { name, limits } of resolved.servers) checkNumbers(`limits of server "${name}"`, limits ?? {});
  checkNames(resolved.servers);
  return resolved;
}

function withLimits(definition: ServerDefinition, limits: ServerLimits | undefined): ServerDefinition {
  const base = withDefaults(DEFAULT_LIMITS, limits);
  return { ...definition, limits: withDefaults(base, definition.limits) };
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
    const isCount =
      field.endsWith("Ms") ||
      field.endsWith("Bytes") ||
      ["concurrency", "factor", "maxRetries"].includes(field);
    if (!isCount) continue;
    const least = field === "concurrency" || field === "factor" ? 1 : 0;
    const isRight = (number: unknown) =>
      typeof number === "number" && Number.isFinite(number) && number >= least;
    if ((Array.isArray(value) ? value : [value]).every(isRight)) continue;
    const message = `Option "${field}" (${where}) must be a finite number of at least ${least}, not ${JSON.stringify(value) ?? String(value)}.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
}

function checkNames(servers: readonly ServerDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, definedIn } of servers) {
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
