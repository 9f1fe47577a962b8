import { credentialsIn, credentialsInText } from "@jackfield/mcp-core";
import { fieldName, type JsonPath } from "./documents/json-path.ts";
import { createMap } from "./documents/json-value.ts";
import { type MissingReference, missingVariables } from "./missing-variables.ts";
import { isPlainValue } from "./plain-values.ts";
import { keyOfCommand } from "./referenced-commands.ts";
import { isCommonVariable, layEnvironment } from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { invalidServer, locationOf } from "./sources/config-problem.ts";
import { ambientVariable, type FoundVariable, type ReferringDefinition } from "./variable-lookup.ts";
import {
  createVariableValues,
  type FieldKind,
  type FoundValue,
  type LookupPolicy,
  type LookupSources,
  type VariableValues,
} from "./variable-values.ts";
import { type Answer, expandVariables, mayRefer, references, type VariableReference } from "./variables.ts";

/**
 * What happens to a reference whose variable is unset and which has no default: the server fails (`fail`), the reference becomes
 * empty (`empty`) or stays as written (`literal`), or the rule of the entry's host applies (`host`).
 */
export type MissingVariable = "fail" | "empty" | "literal" | "host";

/** What two other runtimes do with such a reference, by the names that `RETRY_PRESETS` of `jackfield` has for them. */
export const MISSING_VARIABLE_PRESETS = { sidecar: "empty", "oh-my-pi": "literal" } as const satisfies {
  readonly [runtime: string]: MissingVariable;
};

export interface VariablePolicy extends LookupPolicy {
  readonly missingVariable: MissingVariable;
}

/** Where the values of one entry come from, besides the policy. */
export interface ValueSources extends LookupSources {
  /** Reads the entry's `envFile`, given by its path with variables filled in. */
  readEnvFile(path: string): Promise<TextMap>;
}

/** The values of one entry while they are being filled in. */
export interface EntryValues {
  /** The entry's own `env`, expanded, on top of the variables of its `envFile`. */
  readonly env: { readonly [name: string]: string };
  /** The credentials among the values so far. */
  readonly secrets: Set<string>;
  /** Fills in one text; the path is that of its field. */
  expand(text: string, path: JsonPath): string;
  /** The same for an argument: one that consists of an `input` reference becomes an argument for each answer. */
  expandArgument(text: string, path: JsonPath): readonly string[];
  /** The same for every value of a map. */
  expandAll(texts: TextMap | undefined, path: readonly ["headers"]): { [name: string]: string };
  /** A variable that is passed on to a child, if it is set. */
  passOn(name: string): string | undefined;
  /** A variable that a header takes its value from, if it is set. */
  lookup(name: string): string | undefined;
  /** The variable of a token: an unset or empty one counts as missing. The path is that of the field that names it. */
  require(name: string, path: JsonPath | undefined): string;
  /**
   * Must be called once everything is filled in.
   *
   * @throws McpError `MCP_CONFIG_VARIABLE_MISSING` with everything that is missing, unless the policy tolerates it.
   */
  checkComplete(): void;
}

type TextMap = { readonly [name: string]: string };

/**
 * Fills in the path of the entry's `envFile` from the environment, and the entry's own `env` from that file and the environment. If
 * the dialect says so, the other fields then see that `env` first.
 */
export async function createEntryValues(
  definition: ReferringDefinition,
  policy: VariablePolicy,
  sources: ValueSources,
): Promise<EntryValues> {
  const values = new Values(definition, policy, sources);
  const envFile = values.expandEnvFile();
  values.fillEnv(envFile === "" ? {} : await sources.readEnvFile(envFile));
  return values;
}

/** Fills in references, and remembers what was secret and what was missing. */
class Values implements EntryValues {
  readonly secrets = new Set<string>();
  env: TextMap = {};
  readonly #definition: ReferringDefinition;
  readonly #policy: VariablePolicy;
  readonly #sources: ValueSources;
  readonly #missing: MissingReference[] = [];
  /** The variables of the `envFile`. */
  #envFileVariables: TextMap = {};
  readonly #values: VariableValues;

  constructor(definition: ReferringDefinition, policy: VariablePolicy, sources: ValueSources) {
    this.#definition = definition;
    this.#policy = policy;
    this.#sources = sources;
    const own = () => ({ env: this.env, envFileVariables: this.#envFileVariables });
    this.#values = createVariableValues(definition, policy, sources, own);
  }

  expandEnvFile(): string {
    const path = this.#expand(this.#definition.envFile ?? "", ["envFile"], "envFile");
    this.checkComplete();
    return path;
  }

  /** @param envFileVariables - what the `envFile` holds */
  fillEnv(envFileVariables: TextMap): void {
    this.#envFileVariables = envFileVariables;
    const ownVariables = this.#fillAll(this.#definition.env, "env", "env");
    this.env = layEnvironment(ownVariables, envFileVariables, this.#policy.platform);
    for (const name of Object.keys(this.env)) this.#keepFrom(name, this.env[name] as string);
  }

  expand(text: string, path: JsonPath): string {
    return this.#expand(text, path, "other");
  }

  expandArgument(text: string, path: JsonPath): readonly string[] {
    const { dialect } = this.#sources;
    const [first] = references(text, dialect, false);
    const isWholeInput = first?.reference.kind === "input" && first.reference.written === text;
    const found = isWholeInput ? this.#values.lookUp(first.reference, "other", path) : undefined;
    if (found === undefined || "withheld" in found || typeof found.value === "string")
      return [this.expand(text, path)];
    for (const value of found.value) this.#remember(value, found, first?.reference.name ?? "");
    return found.value;
  }

  expandAll(texts: TextMap | undefined, [field]: readonly ["headers"]): { [name: string]: string } {
    return this.#fillAll(texts, field, "other");
  }

  passOn(name: string): string | undefined {
    return this.#read(name, ambientVariable(name, this.#definition, this.#policy));
  }

  lookup(name: string): string | undefined {
    return this.#read(name, this.#values.find(name, "other"));
  }

  require(name: string, path: JsonPath | undefined): string {
    const found = this.#values.find(name, "other");
    const value = this.#read(name, found);
    if (value) {
      this.secrets.add(value);
      return value;
    }
    const rule = { whenUnset: "fail", passesOverEmpty: true } as const;
    const reference = { kind: "environment", name, written: name, ...rule } as const;
    const withheld = found === "withheld" ? reference : undefined;
    this.#missing.push({ reference, field: path && fieldName(path), withheld, isNamed: true });
    return "";
  }

  checkComplete(): void {
    if (this.#missing.length > 0)
      throw missingVariables(this.#definition, this.#missing, this.#policy, this.#sources.dialect);
  }

  /** Omits values that consist of a failed command, as oh-my-pi does. */
  #fillAll(texts: TextMap = {}, field: "env" | "headers", fieldKind: FieldKind): { [name: string]: string } {
    const filled = createMap<string>();
    for (const name of Object.keys(texts)) {
      const text = texts[name] ?? "";
      const isValue = !isPlainValue(this.#definition, field, name);
      if (isValue && this.#isFailedCommand(text, [field, name])) continue;
      filled[name] = this.#expand(text, [field, name], fieldKind, isValue);
    }
    return filled;
  }

  #expand(text: string, path: JsonPath, fieldKind: FieldKind, isValue = false): string {
    const { dialect } = this.#sources;
    const expanded = mayRefer(text, dialect, isValue)
      ? expandVariables(text, (found) => this.#fill(found, path, fieldKind), dialect, isValue)
      : text;
    for (const credential of credentialsInText(expanded)) this.secrets.add(credential);
    return expanded;
  }

  #fill(reference: VariableReference, path: JsonPath, fieldKind: FieldKind): string {
    const { name, written, platform } = reference;
    if (platform !== undefined && platform !== this.#policy.platform) return written;
    const found = this.#values.lookUp(reference, fieldKind, path);
    if (found && "value" in found) {
      const value = this.#onlyText(found.value, name, path);
      this.#remember(value, found, name);
      return value;
    }
    const rule = this.#unsetRule(reference, path);
    if (rule === "fail") this.#missing.push({ reference, field: fieldName(path), withheld: found?.withheld });
    return rule === "literal" ? written : "";
  }

  /** A text takes one answer at most: nothing says how to separate several. */
  #onlyText(value: Answer, id: string, path: JsonPath): string {
    if (typeof value === "string") return value;
    if (value.length <= 1) return value[0] ?? "";
    const { name, definedIn } = this.#definition;
    const fault = `${quote(fieldName(path))} takes one answer to ${quote(id)}, but there are ${value.length}; give one.`;
    throw invalidServer(name, locationOf(definedIn), fault, "resolve");
  }

  /** What a person was asked for, a file for a secret and the output of a command are credentials; of all else, name and value decide. */
  #remember(value: string, { source }: FoundValue, name: string): void {
    // Folders, and what every process knows, are no credentials.
    const isCommon =
      source?.kind === "place" || (source && isCommonVariable(source.name, this.#policy.platform));
    if (isCommon) return;
    for (const telling of new Set([name, source?.name ?? name])) this.#keepFrom(telling, value);
    if (source === undefined) return;
    const { isSecret } = this.#sources.dialect;
    const isTold = ["input", "file", "command"].includes(source.kind) || isSecret?.(source, this.#definition);
    if (isTold && value !== "") this.secrets.add(value);
  }

  #keepFrom(name: string, value: string): void {
    for (const credential of credentialsIn(name, value)) this.secrets.add(credential);
  }

  /** The value of a variable that a field names directly. */
  #read(name: string, found: FoundVariable): string | undefined {
    const value = typeof found === "object" ? found.value : undefined;
    if (value) this.#keepFrom(name, value);
    return value;
  }

  /** The rule covers variables only; any other reference without a value fails. */
  #unsetRule({ kind, whenUnset: own }: VariableReference, [field]: JsonPath) {
    if (kind !== "environment") return "fail";
    const { missingVariable } = this.#policy;
    if (own !== undefined || missingVariable !== "host") return own ?? missingVariable;
    const { whenUnset, whenUnsetInValues = whenUnset } = this.#sources.dialect;
    return field === "env" || field === "headers" ? whenUnsetInValues : whenUnset;
  }

  #isFailedCommand(text: string, path: JsonPath): boolean {
    const { dialect, commandOutputs } = this.#sources;
    if (commandOutputs.size === 0) return false;
    const [first] = references(text, dialect, true);
    const { kind, name, written } = first?.reference ?? {};
    if (kind !== "command" || name === undefined || written !== text) return false;
    const key = keyOfCommand(name, path, this.#definition.definedIn);
    return commandOutputs.has(key) && commandOutputs.get(key) === undefined;
  }
}
