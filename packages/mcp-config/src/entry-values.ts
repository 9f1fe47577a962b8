import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { looksLikeCredential, secretsOfUrls } from "./credentials.ts";
import { fieldName, type JsonPath } from "./documents/json-path.ts";
import { createMap, ownMember } from "./documents/json-value.ts";
import { homeOf, placeValues } from "./place-values.ts";
import { type Environment, layEnvironment } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { describeLocation, locationOf } from "./sources/config-problem.ts";
import { expandVariables, type VariableDialect, type VariableReference } from "./variables.ts";

/**
 * What becomes of a reference whose variable is unset and which has no default: the server `fail`s, or the reference is
 * replaced by nothing (`empty`), or it stays as written (`literal`), or whatever its own `host` does.
 */
export type MissingVariable = "fail" | "empty" | "literal" | "host";

export interface VariablePolicy {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly missingVariable: MissingVariable;
  /** What an entry of scope `project` may read of the environment (threat T13). */
  readonly projectVariables: readonly string[];
  /** Answers to what hosts would ask a person for, by id. */
  readonly inputs: { readonly [id: string]: string };
  /** The folder in which the host runs. */
  readonly cwd: string;
}

/** Where the values of one entry come from, besides the policy. */
export interface ValueSources {
  /** How the entry refers to variables. */
  readonly dialect: VariableDialect;
  /** What the files hold that the entry refers to, by path as written. */
  readonly files: ReadonlyMap<string, string>;
  /** Reads the entry's `envFile`, given by its path with variables filled in. */
  readEnvFile(path: string): Promise<TextMap>;
}

/** The values of one entry while they are being filled in. */
export interface EntryValues {
  /** The entry's own `env`, filled in, with what its `envFile` holds beneath it. */
  readonly env: { readonly [name: string]: string };
  /** What has turned out to be secret so far. */
  readonly secrets: Set<string>;
  /** Fills in one text; the path says where it stands. */
  expand(text: string, path: JsonPath): string;
  /** The same for every value of a map. */
  expandAll(texts: TextMap | undefined, path: JsonPath): { [name: string]: string };
  /** A variable that the entry names outright, if it is set; its value counts as secret. */
  lookup(name: string): string | undefined;
  /** The same, but a variable that is unset is missing. */
  require(name: string, path: JsonPath): string;
  /**
   * To be called when all is filled in.
   *
   * @throws McpError `MCP_CONFIG_VARIABLE_MISSING` with all that was missing, unless the policy puts up with it.
   */
  checkComplete(): void;
}

type TextMap = { readonly [name: string]: string };
type LookupVariable = (name: string) => string | undefined;

interface UnsetReference {
  readonly reference: VariableReference;
  /** The field it stands in, for example `headers.Authorization`. */
  readonly field: string;
}

type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

/**
 * Fills in the path of the entry's `envFile` from the environment, and its own `env` from that file and the environment;
 * where its dialect has it so, everything else then sees that `env` first.
 */
export async function createEntryValues(
  definition: ReferringDefinition,
  policy: VariablePolicy,
  sources: ValueSources,
): Promise<EntryValues> {
  const { dialect } = sources;
  const { secrets, expand, require, checkComplete } = createExpansion(definition, policy, sources);
  const ambient = ambientLookup(definition, policy);
  const envFile = expand(definition.envFile ?? "", ["envFile"], ambient);
  checkComplete();
  const lower = envFile === "" ? {} : await sources.readEnvFile(envFile);
  const beneath: LookupVariable = (name) => ownMember(lower, name) ?? ambient(name);
  const upper = mapTexts(definition.env, (text, name) => expand(text, ["env", name], beneath, true));
  const env = layEnvironment(upper, lower, policy.platform);
  for (const [name, value] of Object.entries(env)) {
    if (looksLikeCredential(name)) secrets.add(value);
    for (const secret of secretsOfUrls(value)) secrets.add(secret);
  }
  const seesOwn = dialect.ownEnv === "always" || definition.transport !== "stdio";
  const scoped: LookupVariable = (name) => (seesOwn ? ownMember(env, name) : undefined) ?? ambient(name);
  return {
    env,
    secrets,
    expand: (text, path) => expand(text, path, scoped),
    expandAll: (texts, path) => mapTexts(texts, (text, name) => expand(text, [...path, name], scoped, true)),
    lookup: (name) => {
      const value = scoped(name);
      if (value) secrets.add(value);
      return value;
    },
    require: (name, path) => require(name, path, scoped),
    checkComplete,
  };
}

/** Fills in references, and remembers what was secret and what was missing. */
function createExpansion(definition: ReferringDefinition, policy: VariablePolicy, sources: ValueSources) {
  const { dialect, files } = sources;
  const unset: UnsetReference[] = [];
  const secrets = new Set<string>();
  const home = homeOf(policy.environment, policy.platform);
  const placeValue = placeValues(definition.definedIn, policy.cwd, home);

  function lookUp({ kind, name, defaultText }: VariableReference, lookup: LookupVariable) {
    switch (kind) {
      case "environment":
        return lookup(name) ?? defaultText;
      case "place":
        return placeValue(name) ?? defaultText;
      case "input":
        return ownMember(policy.inputs, name);
      case "file":
        return files.get(name);
      case "command":
        return undefined;
    }
  }

  function fill(reference: VariableReference, path: JsonPath, lookup: LookupVariable): string {
    const { kind, name, written, platform } = reference;
    if (platform !== undefined && platform !== policy.platform) return written;
    const value = lookUp(reference, lookup);
    if (value !== undefined) {
      if (kind === "input" || kind === "file" || looksLikeCredential(name)) secrets.add(value);
      return value;
    }
    const rule = unsetRule(reference);
    if (rule === "fail") unset.push({ reference, field: fieldName(path) });
    return rule === "literal" ? written : "";
  }

  /** Only a variable may be left out; nobody means an unread file or a question without answer to be empty. */
  function unsetRule({ kind, unset: own }: VariableReference) {
    if (kind !== "environment") return "fail";
    const { missingVariable } = policy;
    return own ?? (missingVariable === "host" ? dialect.unset : missingVariable);
  }

  return {
    secrets,
    expand(text: string, path: JsonPath, lookup: LookupVariable, isValue = false): string {
      const expanded = expandVariables(text, (found) => fill(found, path, lookup), dialect, isValue);
      for (const secret of secretsOfUrls(expanded)) secrets.add(secret);
      return expanded;
    },
    require(name: string, path: JsonPath, lookup: LookupVariable): string {
      const value = lookup(name);
      if (value) secrets.add(value);
      else unset.push({ reference: { kind: "environment", name, written: name }, field: fieldName(path) });
      return value ?? "";
    },
    checkComplete(): void {
      if (unset.length > 0) throw missingVariables(definition, unset, policy);
    },
  };
}

function ambientLookup({ definedIn }: ServerDefinition, policy: VariablePolicy): LookupVariable {
  const isReadable = (name: string) =>
    definedIn.scope !== "project" || policy.projectVariables.includes(name);
  return (name) => (isReadable(name) ? ownMember(policy.environment, name) : undefined);
}

function mapTexts(texts: TextMap = {}, change: (text: string, name: string) => string) {
  const changed = createMap<string>();
  for (const name of Object.keys(texts)) changed[name] = change(texts[name] ?? "", name);
  return changed;
}

function missingVariables(
  { name, definedIn }: ServerDefinition,
  unset: readonly UnsetReference[],
  { environment }: VariablePolicy,
): McpError {
  const list = unset.map(({ reference, field }) => `${quote(reference.name)} in ${quote(field)}`).join(", ");
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) refers to ${describeKinds(unset)}: ${list}. ${nextStep(unset, environment)}`;
  return new McpError("MCP_CONFIG_VARIABLE_MISSING", message, {
    server: name,
    phase: "resolve",
    location: locationOf(definedIn),
  });
}

function describeKinds(unset: readonly UnsetReference[]): string {
  const areVariables = unset.every(({ reference }) => reference.kind === "environment");
  return areVariables ? "a variable that is not set" : "values that are not known";
}

function nextStep(unset: readonly UnsetReference[], environment: Environment): string {
  const [{ reference } = unset[0] as UnsetReference] = unset.filter(
    (found) => found.reference.kind !== "environment",
  );
  switch (reference.kind) {
    case "command":
      return "A command in a configuration is never run; set a variable to what it prints, and refer to that.";
    case "input":
      return `Give the answer in "inputs".`;
    case "file":
      return "Create the file, or correct the path; a project's entry may read files of the project only.";
    case "place":
      return "The place is not known here; write the path itself.";
    case "environment": {
      const isWithheld = unset.some(({ reference: { name } }) => ownMember(environment, name) !== undefined);
      const isSetHere = isWithheld
        ? "A project's entry sees its own env only: list the name in projectVariables if it may be read, or write a default"
        : "Set it, or write a default";
      return `${isSetHere} as in \${${reference.name}:-default}.`;
    }
  }
}
