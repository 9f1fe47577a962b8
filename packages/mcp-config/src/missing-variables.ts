import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { ownMember } from "./documents/json-value.ts";
import { isCredentialAsName } from "./entries/credential-values.ts";
import type { Environment } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { describeLocation, locationOf } from "./sources/config-problem.ts";
import {
  expandVariables,
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
  /** The source of a value that this field of a project's entry may not see. */
  readonly withheld?: VariableSource | undefined;
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

/** A text in which references are cut after their names: the rest, such as a default, may be a credential. */
export function withoutDefaults(text: string, dialect: VariableDialect): string {
  const shown = expandVariables(text, shownReference, dialect);
  let cut = "";
  let from = 0;
  for (const { index, 0: beginning } of shown.matchAll(FOREIGN_DEFAULT)) {
    const to = index + beginning.length;
    // It lies in text that is already cut.
    if (index < from) continue;
    cut += `${shown.slice(from, to)}…`;
    from = endOfBraces(shown, to);
  }
  return cut + shown.slice(from);
}

/**
 * The beginning of what another dialect would read as a reference with a default. Ids and paths may contain a hyphen; variables
 * never do.
 */
const FOREIGN_DEFAULT = /\$\{(?:[^{}]*?:[-=+?]|(?:env:)?[A-Za-z_]\w*[-=+?])/g;

/**
 * The position of the brace that closes one opened before `from`; nested pairs are skipped. The end of the text if there is none.
 */
function endOfBraces(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && depth === 0) return at;
    else if (text[at] === "}") depth -= 1;
  }
  return text.length;
}

function shownReference({ kind, name, written }: VariableReference): string {
  if (kind === "command") return "…";
  const from = written.indexOf(name);
  const rest = written.slice(from + name.length);
  const [mark] = /^\s*(?:\||:?[-=+?])/.exec(rest) ?? [];
  return written.slice(0, from) + shownName(kind, name) + (mark === undefined ? rest : `${mark}…}`);
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

/** What decides which variables an entry is given. */
interface GivingPolicy {
  readonly environment: Environment;
  readonly projectVariables: readonly string[];
}

/** The error that names everything an entry lacks, and what to do about it. */
export function missingVariables(
  { name, definedIn }: ServerDefinition,
  missing: readonly MissingReference[],
  policy: GivingPolicy,
  dialect: VariableDialect,
): McpError {
  const list = missing
    .map((found) => `${describeSources(lackingIn(found))} ${describePlace(found)}`)
    .join(", ");
  const isOfProject = definedIn.scope === "project";
  const lacks = missing.flatMap((found) =>
    lackingIn(found).map((source) => lackOf(source, found, isOfProject, policy)),
  );
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) refers to ${describeKinds(lacks)}: ${list}. ${nextStep(lacks, dialect)}`;
  return new McpError("MCP_CONFIG_VARIABLE_MISSING", message, {
    server: name,
    phase: "resolve",
    location: locationOf(definedIn),
  });
}

function describePlace({ field }: MissingReference): string {
  return field === undefined ? "as the variable of the bearer token" : `in ${quote(field)}`;
}

/** The sources in which a value was looked for. */
function lackingIn({ reference, withheld }: MissingReference): readonly VariableSource[] {
  return withheld ? [withheld] : sourcesOf(reference);
}

interface Lack {
  readonly source: VariableSource;
  /** There is no value. */
  readonly isUnset: boolean;
  /** The entry is a project's and may not see the value. */
  readonly isRefused: boolean;
  readonly isWithheld: boolean;
  /** An empty value counts as missing. */
  readonly isNeverEmpty: boolean;
  /** Another source would do. */
  readonly isOneOfSeveral: boolean;
  readonly isNamed: boolean;
}

function lackOf(
  source: VariableSource,
  { reference, withheld, isNamed = false }: MissingReference,
  isOfProject: boolean,
  { environment, projectVariables }: GivingPolicy,
): Lack {
  const isWithheld = withheld !== undefined;
  const isNeverEmpty = reference.passesOverEmpty === true && reference.whenUnset === "fail";
  const value = ownMember(environment, source.name);
  const isSet = isWithheld || (isNeverEmpty ? Boolean(value) : value !== undefined);
  return {
    source,
    isUnset: !isSet,
    isRefused: isWithheld || (isOfProject && !projectVariables.includes(source.name)),
    isWithheld,
    isNeverEmpty,
    isOneOfSeveral: !isWithheld && reference.otherwise !== undefined,
    isNamed,
  };
}

function describeKinds(lacks: readonly Lack[]): string {
  if (lacks.some(({ source }) => source.kind !== "environment")) return "values that are not known";
  const notSet = lacks.some(({ isNeverEmpty }) => isNeverEmpty) ? "not set, or empty" : "not set";
  if (!lacks.some(({ isRefused }) => isRefused)) return `a variable that is ${notSet}`;
  if (!lacks.some(({ isUnset }) => isUnset)) return "a variable that is not given to a project's entry";
  return lacks.every(({ isUnset, isRefused }) => isUnset && isRefused)
    ? `a variable that is ${notSet}, and not given to a project's entry either`
    : `variables that are ${notSet}, or not given to a project's entry`;
}

function nextStep(lacks: readonly Lack[], dialect: VariableDialect): string {
  if (lacks.some(({ isWithheld }) => isWithheld)) {
    return "A project's entry gets variables named like credentials only in the env of a child process; put the entry into your own configuration if you trust it.";
  }
  const [{ source, isOneOfSeveral, isNamed } = lacks[0] as Lack] = lacks.filter(
    (lack) => lack.source.kind !== "environment",
  );
  switch (source.kind) {
    case "command":
      return 'Its command was not run, or failed. Only commands in your own files are run, and only with "runCommands"; otherwise set a variable to the output, and refer to that.';
    case "input":
      return `Give the answer in "inputs"; for a project's entry, list its id in "projectVariables" as well.`;
    case "file":
      return "Create the file, or correct the path; a project's entry cannot read files.";
    case "place":
      return "Jackfield does not know this path; write it out. If you cannot change the entry, copy it into your own configuration first.";
    case "environment": {
      const written = `\${${source.name}:-default}`;
      const isShown = shownName("environment", source.name) === source.name;
      const withDefault =
        isShown && !isOneOfSeveral && !isNamed && hasDefaults(dialect, written)
          ? `, or write a default as in ${written}`
          : "";
      if (!lacks.some(({ isRefused }) => isRefused))
        return `Set ${isOneOfSeveral ? "one of them" : "it"}${withDefault}.`;
      const andSet = lacks.some(({ isUnset }) => isUnset) ? ", and set it" : "";
      return `If you trust the entry, pass its file with "--config FILE" on the command line, or list the variable in "projectVariables" of openMcp${andSet}${withDefault}.`;
    }
  }
}

/** Some hosts know no defaults and would read one as text. */
function hasDefaults(dialect: VariableDialect, written: string): boolean {
  const found = [...references(written, dialect, true)];
  return found.some(({ reference }) => reference.defaultText === "default");
}
