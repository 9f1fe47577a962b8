import { DEFAULT_LIMITS, type ServerLimits } from "@jackfield/mcp-core";

/**
 * The call limits for runtimes that have only one, in milliseconds, `0` = none. A limit above the default total limit of ten minutes raises
 * that as well: a call that may take an hour must not end before. `undefined` leaves both at their defaults.
 */
export function callLimits(
  callTimeoutMs: number | undefined,
): Pick<ServerLimits, "callTimeoutMs" | "maxTotalMs"> {
  if (callTimeoutMs === undefined || callTimeoutMs === 0) return { callTimeoutMs, maxTotalMs: callTimeoutMs };
  return { callTimeoutMs, maxTotalMs: Math.max(DEFAULT_LIMITS.maxTotalMs, callTimeoutMs) };
}
