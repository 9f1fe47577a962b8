import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { ownMember } from "./documents/json-value.ts";
import type { Environment } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { describeLocation, locationOf } from "./sources/config-problem.ts";
import {
  references,
  type VariableDialect,
  type VariableReference,
  type VariableSource,
} from "./variables.ts";

/** A reference without a value. */
export interface UnsetReference {
  readonly reference: VariableReference;
  /** The field it stands in, for example `headers.Authorization`. */
  readonly field: string;
  /** It has a value that this field of a project's entry may not have. */
  readonly isWithheld?: boolean | undefined;
}

/**
 * What a message calls a reference. What stands behind the name of a variable, for example a default in a dialect that knows none, may
 * be a credential; so may a part of a command.
 */
export function describeSource({ kind, name }: VariableSource): string {
  return kind === "command" ? "a command" : quote(shownName(kind, name));
}

function shownName(kind: VariableSource["kind"], name: string): string {
  const beginning = kind === "environment" ? NAME_OF_VARIABLE : NAME_OF_OTHERS;
  const [shown] = beginning.exec(name) ?? [""];
  return shown.length === name.length ? name : `${shown}…`;
}

/** With the mark of a default, so that nobody takes it for the whole name. Windows has parentheses in some. */
const NAME_OF_VARIABLE = /^[\p{L}\p{N}_.()/]*(?::?[-=+?]|:)?/u;

/** Answers, files and places may be called anything. */
const NAME_OF_OTHERS = /^.*?(?::[-=+?]|$)/s;

/** What decides which variables an entry is given. */
interface GivingPolicy {
  readonly environment: Environment;
  readonly projectVariables: readonly string[];
}

/** The error that names everything an entry lacks, and what to do about it. */
export function missingVariables(
  { name, definedIn }: ServerDefinition,
  unset: readonly UnsetReference[],
  policy: GivingPolicy,
  dialect: VariableDialect,
): McpError {
  const list = unset
    .map(({ reference, field }) => `${describeSource(reference)} in ${quote(field)}`)
    .join(", ");
  const lacks = unset.map((found) => lackOf(found, definedIn.scope === "project", policy));
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) refers to ${describeKinds(unset, lacks)}: ${list}. ${nextStep(unset, lacks, dialect)}`;
  return new McpError("MCP_CONFIG_VARIABLE_MISSING", message, {
    server: name,
    phase: "resolve",
    location: locationOf(definedIn),
  });
}

interface Lack {
  /** There is no value. */
  readonly isUnset: boolean;
  /** Only a project's entry is refused one. */
  readonly isRefused: boolean;
}

function lackOf(
  { reference, isWithheld = false }: UnsetReference,
  isOfProject: boolean,
  { environment, projectVariables }: GivingPolicy,
): Lack {
  const isSet = isWithheld || ownMember(environment, reference.name) !== undefined;
  return {
    isUnset: !isSet,
    isRefused: isWithheld || (isOfProject && !projectVariables.includes(reference.name)),
  };
}

function describeKinds(unset: readonly UnsetReference[], lacks: readonly Lack[]): string {
  if (unset.some(({ reference }) => reference.kind !== "environment")) return "values that are not known";
  if (!lacks.some(({ isRefused }) => isRefused)) return "a variable that is not set";
  if (!lacks.some(({ isUnset }) => isUnset)) return "a variable that is not given to a project's entry";
  return lacks.every(({ isUnset, isRefused }) => isUnset && isRefused)
    ? "a variable that is not set, and not given to a project's entry either"
    : "variables that are not set, or not given to a project's entry";
}

function nextStep(
  unset: readonly UnsetReference[],
  lacks: readonly Lack[],
  dialect: VariableDialect,
): string {
  if (unset.some(({ isWithheld }) => isWithheld)) {
    return "Whatever is called like a credential is filled into nothing but the env of a project's child process; put the entry into your own configuration if you trust it.";
  }
  const [{ reference } = unset[0] as UnsetReference] = unset.filter(
    (found) => found.reference.kind !== "environment",
  );
  switch (reference.kind) {
    case "command":
      return "Its command was not run, or failed. Only those of your own files are run, and only if that was asked for; else set a variable to what it prints, and refer to that.";
    case "input":
      return `Give the answer in "inputs"; for a project's entry, list its id in "projectVariables" as well.`;
    case "file":
      return "Create the file, or correct the path; a project's entry reads no files.";
    case "place":
      return "The place is not known here; write the path itself. An entry that is not yours to change can be copied into your own configuration first.";
    case "environment": {
      const written = `\${${reference.name}:-default}`;
      const isShown = shownName("environment", reference.name) === reference.name;
      const withDefault =
        isShown && hasDefaults(dialect, written) ? `, or write a default as in ${written}` : "";
      if (!lacks.some(({ isRefused }) => isRefused)) return `Set it${withDefault}.`;
      const andSet = lacks.some(({ isUnset }) => isUnset) ? ", and set it" : "";
      return `If you trust the entry, name its file with "--config FILE" on the command line, or the variable in "projectVariables" of openMcp${andSet}${withDefault}.`;
    }
  }
}

/** Not every host knows defaults; one that does not would take them for text. */
function hasDefaults(dialect: VariableDialect, written: string): boolean {
  const found = [...references(written, dialect, true)];
  return found.some(({ reference }) => reference.defaultText === "default");
}
