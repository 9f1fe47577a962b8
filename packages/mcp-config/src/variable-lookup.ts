import type { ServerDefinition } from "@jackfield/mcp-core";
import { looksLikeCredential } from "./credentials.ts";
import { ownMember } from "./documents/json-value.ts";
import type { Environment } from "./safe-environment.ts";
import { references, type VariableDialect } from "./variables.ts";

/** The value; `undefined` for a variable that is unset; `withheld` for one that does not even have its default. */
export type LookupVariable = (name: string) => { readonly value: string } | "withheld" | undefined;

/** A definition in which there may be something to fill in. */
export type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

/**
 * What the values of an entry's `env` see of the environment: everything, but of a project's entry only what the user allows by
 * name (threat T13).
 */
export function ambientLookup(
  { definedIn }: ServerDefinition,
  policy: { readonly environment: Environment; readonly projectVariables: readonly string[] },
): LookupVariable {
  const isReadable = (name: string) =>
    definedIn.scope !== "project" || policy.projectVariables.includes(name);
  return (name) => (isReadable(name) ? ownValue(policy.environment, name) : undefined);
}

/**
 * What a path, url, header or argument sees. What is called like a credential reaches none of them from a project's entry, even if
 * the user allows the entry to read it, and a default does not stand in for it (threat T13).
 */
export function outwardLookup({ definedIn }: ServerDefinition, ambient: LookupVariable): LookupVariable {
  if (definedIn.scope !== "project") return ambient;
  return (name) => (looksLikeCredential(name) ? "withheld" : ambient(name));
}

/**
 * Names of a project's own `env` and `envFile` that do not get out of the child's environment: they would only be another name
 * for a credential that came from outside the entry.
 */
export function heldBackNames(
  definition: ReferringDefinition,
  dialect: VariableDialect,
): (name: string) => boolean {
  if (definition.definedIn.scope !== "project") return () => false;
  const { env = {} } = definition;
  return (name) => {
    const text = ownMember(env, name);
    if (text === undefined) return looksLikeCredential(name);
    const inside = [...references(text, dialect, true)].map(({ reference }) => reference);
    return inside.some(({ kind, name: inner }) => kind !== "place" && looksLikeCredential(inner));
  };
}

/** A variable's value where it is an own member: no name reaches a prototype. */
export function ownValue(values: Environment, name: string): { readonly value: string } | undefined {
  const value = ownMember(values, name);
  return value === undefined ? undefined : { value };
}
