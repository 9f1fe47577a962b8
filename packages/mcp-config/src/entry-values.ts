import { looksLikeCredential, secretsOfUrls } from "./credentials.ts";
import { fieldName, type JsonPath } from "./documents/json-path.ts";
import { createMap, ownMember } from "./documents/json-value.ts";
import { missingVariables, type UnsetReference } from "./missing-variables.ts";
import { homeOf, placeValues } from "./place-values.ts";
import type { CommandOutputs } from "./referenced-commands.ts";
import { type Environment, isCommonVariable, layEnvironment } from "./safe-environment.ts";
import {
  ambientLookup,
  heldBackNames,
  type LookupVariable,
  outwardLookup,
  ownValue,
  type ReferringDefinition,
} from "./variable-lookup.ts";
import { expandVariables, references, type VariableDialect, type VariableReference } from "./variables.ts";

/**
 * What becomes of a reference whose variable is unset and which has no default: the server `fail`s, or the reference is
 * replaced by nothing (`empty`), or it stays as written (`literal`), or whatever its own `host` does.
 */
export type MissingVariable = "fail" | "empty" | "literal" | "host";

/** What becomes of such a reference in two other runtimes, by the names that `RETRY_PRESETS` of `jackfield` has for them. */
export const MISSING_VARIABLE_PRESETS = { sidecar: "empty", "oh-my-pi": "literal" } as const satisfies {
  readonly [runtime: string]: MissingVariable;
};

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
  /** What the commands printed that the entry refers to. */
  readonly commands: CommandOutputs;
  /** Reads the entry's `envFile`, given by its path with variables filled in. */
  readEnvFile(path: string): Promise<TextMap>;
}

/** The values of one entry while they are being filled in. */
export interface EntryValues {
  /** The entry's own `env`, filled in, with what its `envFile` holds beneath it. */
  readonly env: { readonly [name: string]: string };
  /** What has turned out to be secret so far. */
  readonly secrets: Set<string>;
  /** Every value so far that came from outside the entry. */
  readonly filledIn: Set<string>;
  /** Fills in one text; the path says where it stands. */
  expand(text: string, path: JsonPath): string;
  /** The same for every value of a map. */
  expandAll(texts: TextMap | undefined, path: JsonPath): { [name: string]: string };
  /** A variable that is handed on to a child, if it is set; its value counts as secret. */
  passOn(name: string): string | undefined;
  /** A variable that a header takes its value from, if it is set; its value counts as secret. */
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
  const expansion = createExpansion(definition, policy, sources);
  const { secrets, filledIn, expand, read, require, checkComplete } = expansion;
  const ambient = ambientLookup(definition, policy);
  const outward = outwardLookup(definition, ambient);
  const envFile = expand(definition.envFile ?? "", ["envFile"], outward);
  checkComplete();
  const lower = envFile === "" ? {} : await sources.readEnvFile(envFile);
  const beneath: LookupVariable = (name) => ownValue(lower, name) ?? ambient(name);
  const upper = mapTexts(definition.env, (text, name) => expand(text, ["env", name], beneath, true), sources);
  const env = layEnvironment(upper, lower, policy.platform);
  for (const [name, value] of Object.entries(env)) {
    if (looksLikeCredential(name)) secrets.add(value);
    for (const secret of secretsOfUrls(value)) secrets.add(secret);
  }
  for (const value of Object.values(lower)) filledIn.add(value);
  const seesOwn = dialect.ownEnv === "always" || definition.transport !== "stdio";
  const isHeldBack = heldBackNames(definition, dialect);
  const scoped: LookupVariable = (name) => {
    const own = seesOwn ? ownValue(env, name) : undefined;
    return own && isHeldBack(name) ? "withheld" : (own ?? outward(name));
  };
  return {
    env,
    secrets,
    filledIn,
    expand: (text, path) => expand(text, path, scoped),
    expandAll: (texts, path) =>
      mapTexts(texts, (text, name) => expand(text, [...path, name], scoped, true), sources),
    passOn: (name) => read(ambient(name)),
    lookup: (name) => read(scoped(name)),
    require: (name, path) => require(name, path, scoped),
    checkComplete,
  };
}

/** Stands for a value that this field of a project's entry may not have. */
const WITHHELD = Symbol("withheld");

/** Fills in references, and remembers what was secret and what was missing. */
function createExpansion(definition: ReferringDefinition, policy: VariablePolicy, sources: ValueSources) {
  const { dialect, files, commands } = sources;
  const unset: UnsetReference[] = [];
  const secrets = new Set<string>();
  const filledIn = new Set<string>();
  const home = homeOf(policy.environment, policy.platform);
  const placeValue = placeValues(definition.definedIn, policy.cwd, home);

  function lookUp({ kind, name, defaultText }: VariableReference, lookup: LookupVariable) {
    switch (kind) {
      case "environment": {
        const found = lookup(name);
        return typeof found === "object" ? found.value : found === "withheld" ? WITHHELD : defaultText;
      }
      case "place":
        return placeValue(name) ?? defaultText;
      case "input":
        return answerTo(name, lookup);
      case "file":
        return files.get(name);
      case "command":
        return commands.get(name);
    }
  }

  /** Answers are given for the user's own entries; a project's entry gets one only if it could read a variable of that name. */
  function answerTo(id: string, lookup: LookupVariable) {
    const { definedIn } = definition;
    if (definedIn.scope === "project" && !policy.projectVariables.includes(id)) return undefined;
    return lookup(id) === "withheld" ? WITHHELD : ownMember(policy.inputs, id);
  }

  function fill(reference: VariableReference, path: JsonPath, lookup: LookupVariable): string {
    const { kind, name, written, platform } = reference;
    if (platform !== undefined && platform !== policy.platform) return written;
    const value = lookUp(reference, lookup);
    const isWithheld = value === WITHHELD;
    if (value !== undefined && !isWithheld) {
      if (["input", "file", "command"].includes(kind) || looksLikeCredential(name)) secrets.add(value);
      const isFromOutside = kind !== "place" && value !== reference.defaultText;
      if (isFromOutside && !isCommonVariable(name, policy.platform)) filledIn.add(value);
      return value;
    }
    const rule = unsetRule(reference);
    if (rule === "fail") unset.push({ reference, field: fieldName(path), isWithheld });
    return rule === "literal" ? written : "";
  }

  /** The value of a variable that is named outright, which is always taken for a secret. */
  function read(found: ReturnType<LookupVariable>): string | undefined {
    const value = typeof found === "object" ? found.value : undefined;
    if (value) {
      secrets.add(value);
      filledIn.add(value);
    }
    return value;
  }

  /** Only a variable may be left out; nobody means an unread file or a question without answer to be empty. */
  function unsetRule({ kind, unset: own }: VariableReference) {
    if (kind !== "environment") return "fail";
    const { missingVariable } = policy;
    return own ?? (missingVariable === "host" ? dialect.unset : missingVariable);
  }

  return {
    secrets,
    filledIn,
    expand(text: string, path: JsonPath, lookup: LookupVariable, isValue = false): string {
      const expanded = expandVariables(text, (found) => fill(found, path, lookup), dialect, isValue);
      for (const secret of secretsOfUrls(expanded)) secrets.add(secret);
      return expanded;
    },
    read,
    require(name: string, path: JsonPath, lookup: LookupVariable): string {
      const found = lookup(name);
      const value = read(found);
      if (value) return value;
      const reference = { kind: "environment", name, written: name } as const;
      unset.push({ reference, field: fieldName(path), isWithheld: found === "withheld" });
      return "";
    },
    checkComplete(): void {
      if (unset.length > 0) throw missingVariables(definition, unset, policy.environment);
    },
  };
}

/** A value that is nothing but a command which failed is left out with its name, as oh-my-pi does. */
function mapTexts(
  texts: TextMap = {},
  change: (text: string, name: string) => string,
  { dialect, commands }: ValueSources,
) {
  const changed = createMap<string>();
  for (const name of Object.keys(texts)) {
    const text = texts[name] ?? "";
    if (!isFailedCommand(text, dialect, commands)) changed[name] = change(text, name);
  }
  return changed;
}

function isFailedCommand(text: string, dialect: VariableDialect, commands: CommandOutputs): boolean {
  if (commands.size === 0) return false;
  const [first] = references(text, dialect, true);
  const { kind, name, written } = first?.reference ?? {};
  if (kind !== "command" || name === undefined || written !== text) return false;
  return commands.has(name) && commands.get(name) === undefined;
}
