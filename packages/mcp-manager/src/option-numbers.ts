import { McpError, type ServerLimits } from "@jackfield/mcp-core";
import type { McpManagerOptions, StartupOptions } from "./options.ts";
import type { HeartbeatOptions } from "./server/heartbeat.ts";
import type { RetryPolicy } from "./server/retry-policy.ts";
import { writtenValue } from "./written-value.ts";

type NumericOf<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends number | readonly number[] ? K : never;
}[keyof T];
type NumericOption = NumericOf<
  McpManagerOptions & StartupOptions & RetryPolicy & HeartbeatOptions & ServerLimits
>;

interface NumberRule {
  readonly least: number;
  readonly isList?: boolean;
  readonly mayBeInfinite?: boolean;
}

const TIME: NumberRule = { least: 0 };
const TIMES: NumberRule = { least: 0, isList: true };
const COUNT: NumberRule = { least: 1 };

/** Each option that is a number. The type demands a rule for every one of them. */
const RULES: { readonly [option in NumericOption]: NumberRule } = {
  toolPollIntervalMs: TIME,
  resourceUpdateQuietMs: TIME,
  closeTimeoutMs: TIME,
  gateMs: { least: 0, mayBeInfinite: true },
  staleAfterMs: TIME,
  concurrency: COUNT,
  initialDelayMs: TIME,
  factor: COUNT,
  maxDelayMs: TIME,
  delaysMs: TIMES,
  maxRetries: { least: 0 },
  slowDelaysMs: TIMES,
  maxPerSecond: COUNT,
  stableAfterMs: TIME,
  intervalMs: TIME,
  timeoutMs: TIME,
  threshold: COUNT,
  connectTimeoutMs: TIME,
  callTimeoutMs: TIME,
  maxTotalMs: TIME,
  maxMessageBytes: { least: 0 },
  maxTools: { least: 0 },
  idleTimeoutMs: TIME,
};

/**
 * Checks the numbers among these options; other options are ignored. A time-out of `NaN` or "1" would not fail: it would never or always
 * fire ([R45]).
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkNumbers(where: string, options: object): void {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(RULES, option)) continue;
    const { least, isList = false, mayBeInfinite = false } = RULES[option as NumericOption];
    const fits = (number: unknown) =>
      typeof number === "number" && number >= least && (mayBeInfinite || number !== Number.POSITIVE_INFINITY);
    if (isList ? Array.isArray(value) && value.every(fits) : fits(value)) continue;
    const number = mayBeInfinite ? "a number" : isList ? "a list of finite numbers" : "a finite number";
    const message = `Option "${option}" (${where}) must be ${number} of at least ${least}, not ${writtenValue(value)}.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
}
