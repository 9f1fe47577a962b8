import { DEFAULT_LIMITS, type ServerLimits } from "@jackfield/mcp-core";

/** The limits of a server, all of them set. */
export type CompleteLimits = typeof DEFAULT_LIMITS;

/** The limits of a server, completed with the defaults. */
export function completeLimits(limits: ServerLimits = {}): CompleteLimits {
  // A member that is there but `undefined` would hide a default.
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}

/** The time left until a deadline that several requests share, in milliseconds; `0` means that there is none. */
export function remaining(deadline: number | undefined): number {
  return deadline === undefined ? 0 : Math.max(deadline - performance.now(), 1);
}
