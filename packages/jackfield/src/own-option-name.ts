import type { ConfigProblem } from "@jackfield/mcp-config";
import { rewordedError } from "./reworded-error.ts";

const SEARCHED = "/files";
const OWN = "/configFiles";

/** A problem with `configFiles` under this name: the search, which has it as `files`, names it so. */
export function withOwnOptionName(problem: ConfigProblem): ConfigProblem {
  const { definedIn, error } = problem;
  if (definedIn.file !== undefined || definedIn.pointer !== SEARCHED) return problem;
  const pointer = error.location?.pointer?.replace(SEARCHED, OWN) ?? OWN;
  const message = error.message.replace(`option "${SEARCHED}`, `option "${OWN}`);
  return {
    ...problem,
    definedIn: { ...definedIn, pointer: OWN },
    error: rewordedError(error, message, { ...error.location, pointer }),
  };
}
