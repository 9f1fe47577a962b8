import { isDeepStrictEqual } from "node:util";
import type { ServerDefinition } from "@jackfield/mcp-core";

/** What is different in a definition. `settings`: what a session that is up can live with. `connection`: what it rests on. */
export type DefinitionChange = "none" | "settings" | "connection";

/**
 * Compares two definitions of one name by value. Pure.
 *
 * Limits, tool filter, `lazy` and the line a definition stands on are settings. Everything else is taken for what the connection rests
 * on, fields that Jackfield does not read included, because a resolver may read them; and so are the scope and the file, because
 * they decide what a variable may stand for.
 */
export function compareDefinitions(before: ServerDefinition, after: ServerDefinition): DefinitionChange {
  if (!isDeepStrictEqual(connectionPart(before), connectionPart(after))) return "connection";
  if (before.transport === "in-process" && after.transport === "in-process") {
    if (before.server !== after.server) return "connection"; // Two servers may look alike and not be the same.
  }
  return isDeepStrictEqual(settings(before), settings(after)) ? "none" : "settings";
}

function connectionPart(definition: ServerDefinition): object {
  const { name: _, enabled: _enabled, lazy: _lazy, limits: _limits, tools: _tools, ...rest } = definition;
  const { scope, file } = definition.definedIn;
  return present({ ...rest, definedIn: present({ scope, file }), server: undefined });
}

function settings({ limits, tools, lazy, definedIn }: ServerDefinition): object {
  return {
    limits: present(limits),
    tools: tools && present(tools),
    lazy: lazy === true,
    definedIn: present(definedIn),
  };
}

/** A field that is `undefined` is a field that is missing. */
function present(fields: object | undefined = {}): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
