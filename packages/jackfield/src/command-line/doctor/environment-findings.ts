import type { Variables } from "../../connect-deadline.ts";
import { connectDeadlineFault } from "../../connect-deadline.ts";
import { type Finding, findingOf } from "./finding.ts";

/** Variables of Jackfield's own that are set to something invalid. */
export function environmentFindings(env: Variables): readonly Finding[] {
  const fault = connectDeadlineFault(env);
  if (fault === undefined) return [];
  return [findingOf("variable-ignored", fault, "Correct the variable where this program is started.")];
}
