import type { SchemaProblem } from "./evaluation.ts";
import { SchemaTooLarge } from "./schema-index.ts";
import { WorkExceeded } from "./work-budget.ts";

/** Maximum number of problems that are shown. */
const MAX_SHOWN = 5;

/** Problems as a clause of a sentence. `whole` names the value itself, for problems that belong to no part of it. */
export function formatProblems(problems: readonly SchemaProblem[], whole: string): string {
  const shown = problems
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => `${placeName(path, whole)} ${message}`);
  const more = problems.length > MAX_SHOWN ? [`and ${problems.length - MAX_SHOWN} more`] : [];
  return [...shown, ...more].join("; ");
}

/** Whether a check was given up because the schema is too large or the check too costly. */
export function isTooMuch(error: unknown): error is Error {
  return error instanceof WorkExceeded || error instanceof SchemaTooLarge || error instanceof RangeError;
}

function placeName(path: string, whole: string): string {
  return path === "" ? whole : `"${path.slice(0, 128)}"`;
}
