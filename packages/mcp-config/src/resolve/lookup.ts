import {
  credentialsIn,
  credentialsInText,
  namesCredential,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { isPlainValue } from "../entry/field-texts.ts";
import { placeValues } from "../entry/place-values.ts";
import { quote } from "../entry/server-name.ts";
import { invalidServer, locationOf } from "../find/diagnostics.ts";
import { createMap, fieldName, type JsonPath, ownMember } from "../read/json-value.ts";
import { type CommandOutputs, keyOfCommand } from "./commands.ts";
import { type MissingReference, missingVariables } from "./missing-variables.ts";
import { type Environment, isCommonVariable, layEnvironment } from "./safe-environment.ts";
import {
  type Answer,
  expandVariables,
  OWN_VARIABLES,
  references,
  sourcesOf,
  type VariableDialect,
  type VariableReference,
  type VariableSource,
} from "./variables.ts";

/**
 * What happens to a reference whose variable is unset and which has no default: the server fails (`fail`), the reference becomes
 * empty (`empty`) or stays as written (`literal`), or the rule of the entry's host applies (`host`).
 */
export type MissingVariable = "fail" | "empty" | "literal" | "host";

/** What two other runtimes do with such a reference, by the names that `RETRY_PRESETS` of `jackfield` has for them. */
export const MISSING_VARIABLE_PRESETS = { sidecar: "empty", "oh-my-pi": "literal" } as const satisfies {
  readonly [runtime: string]: MissingVariable;
};

/** What the values of every entry depend on. */
export interface LookupPolicy {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  /** Names that an entry of scope `project` may read, besides those that its approval listed (threat T13). */
  readonly projectVariables: readonly string[];
  /** Answers to what hosts would ask the user for, by id. */
  readonly inputs: { readonly [id: string]: Answer };
  /** The folder in which the host runs. */
  readonly cwd: string;
  readonly missingVariable: MissingVariable;
}

/** What an entry refers to outside the environment, already read. */
export interface ReferredValues {
  /** How the entry refers to variables. */
  readonly dialect: VariableDialect;
  /** Contents of files, by path as written. */
  readonly files: ReadonlyMap<string, string>;
  readonly commandOutputs: CommandOutputs;
}

/** A definition that may contain references. */
export type ReferringDefinition = Exclude<ServerDefinition, { transport: "in-process" }>;

type TextMap = { readonly [name: string]: string };

/**
 * The kind of field that a text is in, which decides the variables that it sees. `env`: values of the entry's own `env`, which see its
 * `envFile` and the environment; `envFile`: the path of that file, which sees the environment; `other`: everything else, which may
 * see the entry's own `env` first.
 */
export type FieldKind = "env" | "envFile" | "other";

export function fieldKindOf([field]: JsonPath): FieldKind {
  return field === "env" || field === "envFile" ? field : "other";
}

/** Whether fields other than `env` see the entry's own `env` and the variables of its `envFile`. */
export function seesOwnEnv({ transport }: ReferringDefinition, { ownEnv }: VariableDialect): boolean {
  return ownEnv === "always" || transport !== "stdio";
}

/** A value for a reference. Without `source`, it comes from the entry itself, such as a default. */
interface FoundValue {
  readonly value: Answer;
  readonly source?: VariableSource | undefined;
}

/** Looks up and fills in the references of one entry for one attempt, and remembers what was secret and what was missing. */
export class EntryValues {
  /** The credentials among the values so far. */
  readonly secrets = new Set<string>();
  /** What was left out, because its command failed or printed what the server has refused. */
  readonly omitted: string[] = [];
  /** The entry's own `env` with its references filled in, on top of the variables of its `envFile`. */
  env: TextMap = {};
  #envFileVariables: TextMap = {};
  readonly #definition: ReferringDefinition;
  readonly #policy: LookupPolicy;
  readonly #referred: ReferredValues;
  readonly #missing: MissingReference[] = [];
  #placeValue: ReturnType<typeof placeValues> | undefined;

  constructor(definition: ReferringDefinition, policy: LookupPolicy, referred: ReferredValues) {
    this.#definition = definition;
    this.#policy = policy;
    this.#referred = referred;
  }

  /**
   * Fills in the path of the `envFile` and then the `env`, which the other fields may refer to.
   *
   * @param read - called with the path, if the entry has one
   */
  async fillEnv(read: (path: string) => Promise<TextMap>): Promise<void> {
    const { envFile = "", env } = this.#definition;
    const path = this.expand(envFile, ["envFile"]);
    this.checkComplete();
    if (path !== "") this.#envFileVariables = await read(path);
    this.env = layEnvironment(this.expandAll(env, "env"), this.#envFileVariables, this.#policy.platform);
    for (const [name, value] of Object.entries(this.env)) this.#keepFrom(name, value);
  }

  /** Fills in one text; the path is that of its field. */
  expand(text: string, path: JsonPath, isValue = false): string {
    const { dialect } = this.#referred;
    const expanded = expandVariables(text, (found) => this.#fill(found, path), dialect, isValue);
    for (const credential of credentialsInText(expanded)) this.secrets.add(credential);
    return expanded;
  }

  /** The same for an argument: one that consists of an `input` reference becomes an argument for each answer. */
  expandArgument(text: string, path: JsonPath): readonly string[] {
    const [first] = references(text, this.#referred.dialect, false);
    const isWholeInput = first?.reference.kind === "input" && first.reference.written === text;
    const found = isWholeInput ? this.valueOf(first.reference, path) : undefined;
    if (found === undefined || typeof found.value === "string") return [this.expand(text, path)];
    for (const value of found.value) this.#remember(value, found, first?.reference.name ?? "");
    return found.value;
  }

  /** The same for every value of a map. One that consists of a failed command is left out, as oh-my-pi does. */
  expandAll(texts: TextMap = {}, field: "env" | "headers"): { [name: string]: string } {
    const filled = createMap<string>();
    for (const [name, text] of Object.entries(texts)) {
      const isValue = !isPlainValue(this.#definition, field, name);
      if (isValue && this.#isFailedCommand(text, [field, name])) this.omitted.push(name);
      else filled[name] = this.expand(text, [field, name], isValue);
    }
    return filled;
  }

  /** The variables that the host sets for its children. What was written for no other host than Jackfield has none. */
  ofHost(): { readonly [name: string]: string } {
    const { dialect } = this.#referred;
    const isForOthers = dialect !== OWN_VARIABLES || this.#definition.definedIn.scope === "project";
    const given = createMap<string>();
    for (const name of isForOthers ? (dialect.childVariables ?? []) : []) {
      const value = this.#placeOf(name);
      if (value !== undefined) given[name] = value;
    }
    return given;
  }

  /** A variable that is passed on to the child, if it is set. */
  passOn(name: string): string | undefined {
    return this.#read(name, "env");
  }

  /** A variable that a header takes its value from, if it is set. */
  lookup(name: string): string | undefined {
    return this.#read(name, "other");
  }

  /** The variable of a token: an unset or empty one counts as missing. The path is that of the field that names it. */
  require(name: string, path: JsonPath | undefined): string {
    const value = this.#read(name, "other");
    if (value) {
      this.secrets.add(value);
      return value;
    }
    const rule = { whenUnset: "fail", passesOverEmpty: true } as const;
    const reference = { kind: "environment", name, written: name, ...rule } as const;
    this.#miss(reference, path, true);
    return "";
  }

  /**
   * Must be called once everything is filled in.
   *
   * @throws McpError `MCP_CONFIG_VARIABLE_MISSING` with everything that is missing, unless the policy tolerates it.
   */
  checkComplete(): void {
    if (this.#missing.length > 0)
      throw missingVariables(this.#definition, this.#missing, this.#referred.dialect);
  }

  #fill(reference: VariableReference, path: JsonPath): string {
    const { name, written, platform } = reference;
    if (platform !== undefined && platform !== this.#policy.platform) return written;
    const found = this.valueOf(reference, path);
    if (found) {
      const value = this.#onlyText(found.value, name, path);
      this.#remember(value, found, name);
      return value;
    }
    const rule = this.#unsetRule(reference, path);
    if (rule === "fail") this.#miss(reference, path, false);
    return rule === "literal" ? written : "";
  }

  #miss(reference: VariableReference, path: JsonPath | undefined, isNamed: boolean): void {
    const kind = fieldKindOf(path ?? []);
    const refused = sourcesOf(reference).filter(({ name }) => !this.#mayRead(name, kind));
    this.#missing.push({ reference, field: path && fieldName(path), refused, isNamed });
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
    const { isSecret } = this.#referred.dialect;
    const isTold = ["input", "file", "command"].includes(source.kind) || isSecret?.(source, this.#definition);
    if (isTold && value !== "") this.secrets.add(value);
  }

  #keepFrom(name: string, value: string): void {
    for (const credential of credentialsIn(name, value)) this.secrets.add(credential);
  }

  /** The value of a variable that a field names directly. */
  #read(name: string, kind: FieldKind): string | undefined {
    const value = this.find(name, kind);
    if (value) this.#keepFrom(name, value);
    return value;
  }

  /** The rule covers variables only; any other reference without a value fails. */
  #unsetRule({ kind, whenUnset: own }: VariableReference, [field]: JsonPath) {
    if (kind !== "environment") return "fail";
    const { missingVariable } = this.#policy;
    if (own !== undefined || missingVariable !== "host") return own ?? missingVariable;
    const { whenUnset, whenUnsetInValues = whenUnset } = this.#referred.dialect;
    return field === "env" || field === "headers" ? whenUnsetInValues : whenUnset;
  }

  #isFailedCommand(text: string, path: JsonPath): boolean {
    const { dialect, commandOutputs } = this.#referred;
    if (commandOutputs.size === 0) return false;
    const [first] = references(text, dialect, true);
    const { kind, name, written } = first?.reference ?? {};
    if (kind !== "command" || name === undefined || written !== text) return false;
    const key = keyOfCommand(name, path, this.#definition.definedIn);
    return commandOutputs.has(key) && commandOutputs.get(key) === undefined;
  }

  /** The value of a variable, as a field of that kind sees it. */
  find(name: string, kind: FieldKind): string | undefined {
    const { dialect } = this.#referred;
    if (kind === "env") return ownMember(this.#envFileVariables, name) ?? this.#ambient(name, kind);
    const sees = kind === "other" && seesOwnEnv(this.#definition, dialect);
    const own = sees ? ownMember(this.env, name) : undefined;
    if (own !== undefined) return this.#isForChildOnly(name) ? undefined : own;
    if (this.#definition.transport !== "stdio" && dialect.emptyInRemote?.includes(name)) return "";
    return this.#ambient(name, kind);
  }

  /** The value of the reference in the field at a path. */
  valueOf(reference: VariableReference, path: JsonPath): FoundValue | undefined {
    const { kind, name, defaultText, passesOverEmpty, whenUnset } = reference;
    let empty: FoundValue | undefined;
    for (const source of sourcesOf(reference)) {
      if (!this.#refersTo(source, path)) return { value: reference.written };
      const value = this.#valueFrom(source, path);
      if (value === undefined) continue;
      if (!passesOverEmpty || value.length > 0) return { value, source };
      empty ??= { value, source };
    }
    const value = defaultText ?? (kind === "input" ? this.#unanswered(name) : undefined);
    if (value !== undefined) return { value };
    // A required reference does not accept an empty value.
    return whenUnset === "fail" ? undefined : empty;
  }

  /** Whether the entry may read a name: any of the user's own may; a project's may if its approval or the user names it. */
  #mayRead(name: string, kind: FieldKind): boolean {
    if (this.#definition.definedIn.scope !== "project") return true;
    if (this.#isGranted(name)) return true;
    return this.#policy.projectVariables.includes(name) && (kind === "env" || !namesCredential(name));
  }

  #isGranted(name: string): boolean {
    return this.#definition.variables?.includes(name) ?? false;
  }

  #ambient(name: string, kind: FieldKind): string | undefined {
    return this.#mayRead(name, kind) ? ownMember(this.#policy.environment, name) : undefined;
  }

  /**
   * Whether a variable of a project's own `env` or `envFile` stays in the environment of its child, because it may only rename a
   * credential that no approval has listed (threat T13).
   */
  #isForChildOnly(name: string): boolean {
    const { definedIn, env = {} } = this.#definition;
    if (definedIn.scope !== "project") return false;
    const text = ownMember(env, name);
    const inside = text === undefined ? [] : [...references(text, this.#referred.dialect, true)];
    const sources = inside.flatMap(({ reference }) => sourcesOf(reference));
    const names = sources.filter(({ kind }) => kind !== "place").map((source) => source.name);
    return (text === undefined ? [name] : names).some(
      (inner) => namesCredential(inner) && !this.#isGranted(inner),
    );
  }

  #refersTo(source: VariableSource, path: JsonPath): boolean {
    const { remoteOnly, refersTo } = this.#referred.dialect;
    if (remoteOnly && fieldKindOf(path) !== "other") return false;
    return refersTo?.(source, this.#definition) ?? true;
  }

  #valueFrom({ kind, name }: VariableSource, path: JsonPath): Answer | undefined {
    const { files, commandOutputs } = this.#referred;
    switch (kind) {
      case "environment":
        return this.find(name, fieldKindOf(path));
      case "place":
        return this.#placeOf(name);
      case "input":
        return this.#mayRead(name, fieldKindOf(path)) ? ownMember(this.#policy.inputs, name) : undefined;
      case "file":
        return files.get(name);
      case "command":
        return commandOutputs.get(keyOfCommand(name, path, this.#definition.definedIn));
    }
  }

  #placeOf(name: string): string | undefined {
    this.#placeValue ??= placeValues(this.#definition.definedIn, this.#policy.cwd, this.#policy);
    return this.#placeValue(name);
  }

  /** The host's value for an `input` without an answer. */
  #unanswered(id: string): Answer | undefined {
    const { dialect } = this.#referred;
    const answer = dialect.unanswered?.(id, this.#definition);
    const place = ({ kind, name, written }: VariableReference) =>
      (kind === "place" ? this.#placeOf(name) : undefined) ?? written;
    const filled = (text: string) => expandVariables(text, place, dialect);
    return typeof answer === "string" ? filled(answer) : answer?.map(filled);
  }
}
