import { McpError, namesCredential, type ServerDefinition } from "@jackfield/mcp-core";
import { quote } from "../entry/server-name.ts";
import { describeLocation, locationOf } from "../find/diagnostics.ts";
import { isCredentialAsName } from "../lint/credential-values.ts";
import {
  references,
  sourcesOf,
  type VariableDialect,
  type VariableReference,
  type VariableSource,
} from "./variables.ts";

/** A reference without a value. */
export interface MissingReference {
  readonly reference: VariableReference;
  /** The field it is in, for example `headers.Authorization`; missing for a bearer token whose field has several names. */
  readonly field: string | undefined;
  /** Those of its sources that this field of a project's entry may not read. */
  readonly refused: readonly VariableSource[];
  /** The field holds the name of the variable and nothing else, so that no default can be written there. */
  readonly isNamed?: boolean | undefined;
}

/**
 * How a message names a source. Text after a variable's name, for example a default in a dialect without defaults, may be a
 * credential; so may part of a command, and what was written in place of the name.
 */
function describeSource({ kind, name }: VariableSource): string {
  return kind === "command" ? "a command" : quote(shownName(kind, name));
}

/** How a message names the sources of a value. */
export function describeSources(sources: readonly VariableSource[]): string {
  return sources.map(describeSource).join(" or ");
}

function shownName(kind: VariableSource["kind"], name: string): string {
  const beginning = kind === "environment" ? new RegExp(NAME_OF_VARIABLE, "u") : NAME_OF_OTHERS;
  const [shown] = beginning.exec(name) ?? [""];
  if (kind === "environment" && isCredentialAsName(shown)) return "…";
  return shown.length === name.length ? name : `${shown}…`;
}

/**
 * A variable's name with the mark of a default, which shows that something follows. Some names on Windows contain parentheses. It is the
 * source of a pattern: a set of Unicode characters is built as soon as its literal is read.
 */
const NAME_OF_VARIABLE = String.raw`^[\p{L}\p{N}_.()/]*(?::?[-=+?]|:)?`;

/** Names of inputs, files and places may contain anything. */
const NAME_OF_OTHERS = /^.*?(?::[-=+?]|$)/s;

/** The error that names everything an entry lacks, and what to do about it. */
export function missingVariables(
  { name, definedIn }: ServerDefinition,
  missing: readonly MissingReference[],
  dialect: VariableDialect,
): McpError {
  const list = missing.map(
    ({ reference, field }) => `${describeSources(sourcesOf(reference))} ${describePlace(field)}`,
  );
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) refers to ${describeKinds(missing)}: ${list.join(", ")}. ${nextStep(missing, dialect)}`;
  return new McpError("MCP_CONFIG_VARIABLE_MISSING", message, {
    server: name,
    phase: "resolve",
    location: locationOf(definedIn),
  });
}

function describePlace(field: string | undefined): string {
  return field === undefined ? "as the variable of the bearer token" : `in ${quote(field)}`;
}

function describeKinds(missing: readonly MissingReference[]): string {
  const isOther = ({ kind }: VariableSource) => kind !== "environment";
  if (missing.some(({ reference }) => sourcesOf(reference).some(isOther))) return "values that are not known";
  if (missing.some(({ refused }) => refused.length > 0))
    return "variables that are not set, or not given to a project's entry";
  // An empty value does not do for these.
  const isRequired = ({ reference }: MissingReference) =>
    reference.passesOverEmpty === true && reference.whenUnset === "fail";
  return `a variable that is not set${missing.some(isRequired) ? ", or empty" : ""}`;
}

function nextStep(missing: readonly MissingReference[], dialect: VariableDialect): string {
  const sources = missing.flatMap(({ reference }) => sourcesOf(reference));
  const refused = missing.flatMap((found) => found.refused);
  const kind = sources.find((source) => source.kind !== "environment")?.kind ?? "environment";
  switch (kind) {
    case "command":
      return 'Its command was not run, or failed. Only commands in your own files are run, and only with "runCommands"; otherwise set a variable to the output, and refer to that.';
    case "input":
      return `Give the answer in option "inputs"${refused.length > 0 ? `, and list its id in option "projectVariables"` : ""}.`;
    case "file":
      return "Create the file, or correct the path; a project's entry cannot read files.";
    case "place":
      return "Jackfield does not know this path; write it out.";
    case "environment":
      return stepForVariable(missing, refused, dialect);
  }
}

function stepForVariable(
  missing: readonly MissingReference[],
  refused: readonly VariableSource[],
  dialect: VariableDialect,
): string {
  if (refused.some(({ name }) => namesCredential(name)))
    return `Option "projectVariables" gives a variable that is named like a credential only to the env of a child process; the approval of the entry, which lists its variables, gives it to all fields.`;
  const [{ reference, isNamed = false } = missing[0] as MissingReference] = missing;
  const written = `\${${reference.name}:-default}`;
  const isShown = shownName("environment", reference.name) === reference.name;
  const isOneOfSeveral = reference.otherwise !== undefined;
  const canHave = isShown && !isOneOfSeveral && !isNamed && hasDefaults(dialect, written);
  const orDefault = canHave ? `, or write a default as in ${written}` : "";
  return refused.length > 0
    ? `A project's entry gets what its approval lists. Otherwise set the variable, and list it in option "projectVariables"${orDefault}.`
    : `Set ${isOneOfSeveral ? "one of them" : "it"}${orDefault}.`;
}

/** Some hosts know no defaults and would read one as text. */
function hasDefaults(dialect: VariableDialect, written: string): boolean {
  const found = [...references(written, dialect, true)];
  return found.some(({ reference }) => reference.defaultText === "default");
}
