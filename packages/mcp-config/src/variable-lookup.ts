import type { ServerDefinition } from "@jackfield/mcp-core";
import { looksLikeCredential } from "./credentials.ts";
import { ownMember } from "./documents/json-value.ts";
import type { Environment } from "./safe-environment.ts";
import { references, sourcesOf, type VariableDialect } from "./variables.ts";

/** The value; `undefined` for a variable that is unset; `withheld` for one that does not even have its default. */
export type FoundVariable = { readonly value: string } | "withheld" | undefined;

/** A definition in which there may be something to fill in. */
export type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

/**
 * What the values of an entry's `env` see of the environment: everything, but of a project's entry only what the user allows by
 * name (threat T13).
 */
export function ambientVariable(
  name: string,
  { definedIn }: ServerDefinition,
  policy: { readonly environment: Environment; readonly projectVariables: readonly string[] },
): FoundVariable {
  const isReadable = definedIn.scope !== "project" || policy.projectVariables.includes(name);
  return isReadable ? ownValue(policy.environment, name) : undefined;
}

/** Whether whatever is no value of an entry's own `env` sees that `env`, and what its `envFile` holds. */
export function seesOwnEnv({ transport }: ReferringDefinition, { ownEnv }: VariableDialect): boolean {
  return ownEnv === "always" || transport !== "stdio";
}

/**
 * Whether a path, url, header or argument does not see a variable: what is called like a credential reaches none of them from a
 * project's entry, even if the user allows the entry to read it, and a default does not stand in for it (threat T13).
 */
export function isWithheldOutside(name: string, { definedIn }: ServerDefinition): boolean {
  return definedIn.scope === "project" && looksLikeCredential(name);
}

/**
 * Whether a name of a project's own `env` or `envFile` does not get out of the child's environment: it would only be another name
 * for a credential that came from outside the entry.
 */
export function isHeldBack(
  name: string,
  { definedIn, env = {} }: ReferringDefinition,
  dialect: VariableDialect,
): boolean {
  if (definedIn.scope !== "project") return false;
  const text = ownMember(env, name);
  if (text === undefined) return looksLikeCredential(name);
  const inside = [...references(text, dialect, true)].flatMap(({ reference }) => sourcesOf(reference));
  return inside.some(({ kind, name: inner }) => kind !== "place" && looksLikeCredential(inner));
}

/** A variable's value where it is an own member: no name reaches a prototype. */
export function ownValue(values: Environment, name: string): { readonly value: string } | undefined {
  const value = ownMember(values, name);
  return value === undefined ? undefined : { value };
}
