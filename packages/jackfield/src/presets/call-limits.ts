import { DEFAULT_LIMITS, type ServerLimits } from "@jackfield/mcp-core";

/**
 * The limits of calls for runtimes that know only one, in milliseconds, `0` = none: whoever lets a call take an hour does not mean it
 * to end after the ten minutes that calls may take in all by default. `undefined` leaves both to the default.
 */
export function callLimits(
  callTimeoutMs: number | undefined,
): Pick<ServerLimits, "callTimeoutMs" | "maxTotalMs"> {
  if (callTimeoutMs === undefined || callTimeoutMs === 0) return { callTimeoutMs, maxTotalMs: callTimeoutMs };
  return { callTimeoutMs, maxTotalMs: Math.max(DEFAULT_LIMITS.maxTotalMs, callTimeoutMs) };
}
