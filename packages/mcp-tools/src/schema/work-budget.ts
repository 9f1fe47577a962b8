/**
 * How much work one check may take: evaluated subschemas, compared values, looked-up names and steps of patterns all count, so
 * that no keyword does work for each name or value without paying for it. It is used up within some ten milliseconds; a count,
 * unlike a clock, gives the same answer on a busy machine.
 */
const DEFAULT_WORK_UNITS = 200_000;

/** Counts work down, and throws when none is left. */
export interface WorkBudget {
  /** @throws WorkExceeded if less than this is left. */
  spend(units: number): void;
}

/** The budget is used up. Callers turn it into an `McpError` that names the tool. */
export class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
}

/** A budget of `units`. */
export function createWorkBudget(units: number = DEFAULT_WORK_UNITS): WorkBudget {
  let left = units;
  return {
    spend(spent) {
      left -= spent;
      if (left < 0) throw new WorkExceeded("The check would take too long.");
    },
  };
}
