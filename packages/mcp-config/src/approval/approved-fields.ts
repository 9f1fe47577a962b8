import type { ServerDefinition } from "@jackfield/mcp-core";
import { hasPlainVariables, PLAIN_VARIABLES } from "../plain-variables.ts";

/** A definition without what was only worked out from its other fields: that is no part of what somebody approves, and of no file. */
export function withoutDerived(definition: ServerDefinition): ServerDefinition {
  const { extra, definedIn } = definition;
  if (extra === undefined || !hasPlainVariables(definedIn) || !Object.hasOwn(extra, PLAIN_VARIABLES)) {
    return definition;
  }
  const { [PLAIN_VARIABLES]: _derived, ...others } = extra;
  const { extra: _extra, ...rest } = definition;
  return Object.keys(others).length > 0 ? { ...rest, extra: others } : rest;
}
