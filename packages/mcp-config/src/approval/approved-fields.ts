import type { ServerDefinition } from "@jackfield/mcp-core";
import { hasPlainVariables, PLAIN_VARIABLES } from "../plain-variables.ts";

/** A definition without fields derived from its other fields: they are in no file, and approval does not cover them. */
export function withoutDerived(definition: ServerDefinition): ServerDefinition {
  const { extra, definedIn } = definition;
  if (extra === undefined || !hasPlainVariables(definedIn) || !Object.hasOwn(extra, PLAIN_VARIABLES)) {
    return definition;
  }
  const { [PLAIN_VARIABLES]: _derived, ...others } = extra;
  const { extra: _extra, ...rest } = definition;
  return Object.keys(others).length > 0 ? { ...rest, extra: others } : rest;
}
