import {
  checkOption,
  checkOptions,
  type OptionKind,
  optionChoice,
  optionEither,
  optionGroup,
  optionKinds,
  optionList,
  optionNumber,
  type ServerLimits,
} from "@jackfield/mcp-core";
import type { ManagerLimits, McpManagerOptions, StartupOptions } from "./options.ts";
import type { HeartbeatOptions } from "./server/heartbeat.ts";
import type { RetryPolicy } from "./server/retry-policy.ts";
import { type NamingOptions, STRATEGIES } from "./tools/tool-naming.ts";

/** A kind for each option: the type demands one for every new option. */
type KindsOf<T> = { readonly [K in keyof T]-?: OptionKind };

const { callable, callables, flag, record } = optionKinds;
const TIME = optionNumber(0);
const COUNT = optionNumber(1);
const TIMES = optionList("finite numbers of at least 0", TIME.fits);

const STARTUP: KindsOf<StartupOptions> = {
  gateMs: {
    what: "a number of at least 0",
    fits: (value) => TIME.fits(value) || value === Number.POSITIVE_INFINITY,
  },
  staleAfterMs: TIME,
  uncached: optionChoice("wait", "later"),
  lazy: flag,
  concurrency: COUNT,
  failures: optionChoice("keep", "drop", "throw"),
};
const HEARTBEAT: KindsOf<HeartbeatOptions> = { intervalMs: TIME, timeoutMs: TIME, threshold: COUNT };
const RETRY: KindsOf<RetryPolicy> & { readonly heartbeat: OptionKind } = {
  initialDelayMs: TIME,
  restartsAtOnce: flag,
  factor: COUNT,
  maxDelayMs: TIME,
  delaysMs: TIMES,
  jitter: optionChoice("full", "around", "none"),
  maxRetries: TIME,
  slowDelaysMs: TIMES,
  maxPerSecond: COUNT,
  stableAfterMs: TIME,
  reviveOnCall: flag,
  heartbeat: optionGroup(HEARTBEAT),
};
const SERVER_LIMITS: KindsOf<ServerLimits> = {
  connectTimeoutMs: TIME,
  callTimeoutMs: TIME,
  maxTotalMs: TIME,
  maxMessageBytes: TIME,
  maxTools: TIME,
  maxConcurrentCalls: TIME,
  idleTimeoutMs: TIME,
  era: optionChoice("legacy", "modern"),
  trustAnnotations: flag,
  checkArguments: flag,
};
const LIMITS: KindsOf<ManagerLimits> = {
  ...SERVER_LIMITS,
  toolPollIntervalMs: TIME,
  resourceUpdateQuietMs: TIME,
  closeTimeoutMs: TIME,
};
const NAMING: KindsOf<NamingOptions> = {
  strategy: optionEither(optionChoice(...STRATEGIES), callable),
  reserved: optionList("names", (name) => typeof name === "string"),
};
const PRINCIPAL: OptionKind = {
  ...optionKinds.name,
  what: "a string that is not empty: no principal stands for the owner",
};
/** The servers are checked one by one. */
const MANAGER: KindsOf<McpManagerOptions> = {
  servers: optionKinds.any,
  connect: callable,
  resolve: callable,
  cache: record,
  startup: optionGroup(STARTUP),
  retry: optionGroup(RETRY),
  limits: optionGroup(LIMITS),
  naming: optionGroup(NAMING),
  use: callables,
  toolPolicies: callables,
  search: optionGroup({ rank: callable }),
  handlers: record,
  auth: record,
  principal: PRINCIPAL,
  credentials: record,
  log: callable,
};
const RENAMED = {
  idleTimeoutMs: '"limits.idleTimeoutMs"',
  toolPollIntervalMs: '"limits.toolPollIntervalMs"',
  resourceUpdateQuietMs: '"limits.resourceUpdateQuietMs"',
  closeTimeoutMs: '"limits.closeTimeoutMs"',
  heartbeat: '"retry.heartbeat"',
};

/**
 * Checks a manager's options, which may come from untyped code, before any is used.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkManagerOptions(options: McpManagerOptions): void {
  checkOptions(options, MANAGER, { renamed: RENAMED });
  checkOption("connect", options.connect, callable);
  checkOption("resolve", options.resolve, callable);
}

/** Checks one principal. @throws McpError `MCP_CONFIG_INVALID` */
export function checkPrincipal(principal: unknown): void {
  checkOption("principal", principal, PRINCIPAL);
}

/** Checks the limits of one server. @throws McpError `MCP_CONFIG_INVALID` */
export function checkServerLimits(limits: unknown, server: string): void {
  checkOptions(
    { limits },
    { limits: optionGroup(SERVER_LIMITS) },
    { of: `of server ${JSON.stringify(server)}` },
  );
}

/** The one duration of an operation, in milliseconds. @throws McpError `MCP_CONFIG_INVALID` */
export function checkDuration(path: string, value: unknown): void {
  checkOption(path, value, TIME);
}

/** An invalid value as text for an error message. Never throws: not every value can be written as JSON. */
export function writtenValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `a ${typeof value}`;
  }
}
