import { namesCredential, type ServerDefinition } from "@jackfield/mcp-core";
import { ownMember } from "./documents/json-value.ts";
import type { Environment } from "./safe-environment.ts";
import { references, sourcesOf, type VariableDialect } from "./variables.ts";

/**
 * The value; `undefined` for an unset variable; `withheld` for one that the field may not see, so that its default does not apply
 * either.
 */
export type FoundVariable = { readonly value: string } | "withheld" | undefined;

/** A definition that may contain references. */
export type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

/**
 * A variable of the environment, as values of an entry's `env` see it. A project's entry sees only the variables that the user
 * lists for it (threat T13).
 */
export function ambientVariable(
  name: string,
  { definedIn }: ServerDefinition,
  policy: { readonly environment: Environment; readonly projectVariables: readonly string[] },
): FoundVariable {
  const isReadable = definedIn.scope !== "project" || policy.projectVariables.includes(name);
  return isReadable ? ownValue(policy.environment, name) : undefined;
}

/** Whether fields other than `env` see the entry's own `env` and the variables of its `envFile`. */
export function seesOwnEnv({ transport }: ReferringDefinition, { ownEnv }: VariableDialect): boolean {
  return ownEnv === "always" || transport !== "stdio";
}

/**
 * Whether paths, URLs, headers and arguments of a project's entry may not see a variable. They see none that is named like a
 * credential, even if the user allows the entry to read it, and its default does not apply either (threat T13).
 */
export function isWithheldOutside(name: string, { definedIn }: ServerDefinition): boolean {
  return definedIn.scope === "project" && namesCredential(name);
}

/**
 * Whether a variable of a project's own `env` or `envFile` stays in the child's environment, because it may only rename a
 * credential that came from outside the entry.
 */
export function isHeldBack(
  name: string,
  { definedIn, env = {} }: ReferringDefinition,
  dialect: VariableDialect,
): boolean {
  if (definedIn.scope !== "project") return false;
  const text = ownMember(env, name);
  if (text === undefined) return namesCredential(name);
  const inside = [...references(text, dialect, true)].flatMap(({ reference }) => sourcesOf(reference));
  return inside.some(({ kind, name: inner }) => kind !== "place" && namesCredential(inner));
}

/** An own member of `values`; a name never reaches the prototype. */
export function ownValue(values: Environment, name: string): { readonly value: string } | undefined {
  const value = ownMember(values, name);
  return value === undefined ? undefined : { value };
}
