import { isSameJson, type ServerDefinition } from "@jackfield/mcp-core";

/** What changed in a definition. `settings`: an open session can go on; `connection`: the server must be reconnected. */
export type DefinitionChange = "none" | "settings" | "connection";

/** Fields that the connection does not depend on. */
const SETTINGS: ReadonlySet<string> = new Set([
  "name",
  "enabled",
  "disabledBy",
  "shadows",
  "lazy",
  "limits",
  "tools",
] satisfies (keyof ServerDefinition)[]);

/**
 * Compares two definitions of one name by value. Pure.
 *
 * Limits, tool filter, `lazy`, the line of the definition and `shadows` are settings. Everything else counts as part of the connection,
 * including fields that Jackfield does not read, because a resolver may read them, and the scope and the file, because they decide what
 * a variable may stand for.
 */
export function compareDefinitions(before: ServerDefinition, after: ServerDefinition): DefinitionChange {
  if (!isSameJson(connectionPart(before), connectionPart(after))) return "connection";
  if (before.transport === "in-process" && after.transport === "in-process") {
    if (before.server !== after.server) return "connection"; // Two servers may look alike and not be the same.
  }
  return isSameJson(settings(before), settings(after)) ? "none" : "settings";
}

function connectionPart(definition: ServerDefinition): object {
  const { scope, file } = definition.definedIn;
  const others = Object.entries(definition).filter(([field]) => !SETTINGS.has(field));
  return present({ ...Object.fromEntries(others), definedIn: present({ scope, file }), server: undefined });
}

function settings({ limits, tools, lazy, definedIn, shadows }: ServerDefinition): object {
  return {
    shadows,
    limits: present(limits),
    tools: tools && present(tools),
    lazy: lazy === true,
    definedIn: present(definedIn),
  };
}

/** An `undefined` field counts as missing. */
function present(fields: object | undefined = {}): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
