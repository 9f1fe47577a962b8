import type { JsonPath } from "./documents/json-path.ts";
import { ownMember } from "./documents/json-value.ts";
import { placeValues } from "./place-values.ts";
import { type CommandOutputs, keyOfCommand } from "./referenced-commands.ts";
import type { Environment } from "./safe-environment.ts";
import {
  ambientVariable,
  type FoundVariable,
  isHeldBack,
  isWithheldOutside,
  ownValue,
  type ReferringDefinition,
  seesOwnEnv,
} from "./variable-lookup.ts";
import {
  type Answer,
  expandVariables,
  sourcesOf,
  type VariableDialect,
  type VariableReference,
  type VariableSource,
} from "./variables.ts";

/** What the values of every entry depend on. */
export interface LookupPolicy {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  /** Environment variables that an entry of scope `project` may read (threat T13). */
  readonly projectVariables: readonly string[];
  /** Answers to what hosts would ask the user for, by id. */
  readonly inputs: { readonly [id: string]: Answer };
  /** The folder in which the host runs. */
  readonly cwd: string;
}

/** Where the values of one entry come from, besides the policy. */
export interface LookupSources {
  /** How the entry refers to variables. */
  readonly dialect: VariableDialect;
  /** Contents of the files that the entry refers to, by path as written. */
  readonly files: ReadonlyMap<string, string>;
  /** Outputs of the commands that the entry refers to. */
  readonly commandOutputs: CommandOutputs;
}

/** Variables that the entry itself sets, as far as they are known so far. */
export interface OwnVariables {
  /** Its expanded `env`, on top of the variables of its `envFile`. */
  readonly env: Environment;
  /** The variables of its `envFile`. */
  readonly envFileVariables: Environment;
}

/**
 * The kind of field that a text is in, which decides the variables that it sees. `env`: values of the entry's own `env`, which see its
 * `envFile` and the environment; `envFile`: the path of that file, which sees the environment; `other`: everything else, which may
 * see the entry's own `env` first.
 */
export type FieldKind = "env" | "envFile" | "other";

/** A value for a reference. Without `source`, it comes from the entry itself, such as a default. */
export interface FoundValue {
  readonly value: Answer;
  readonly source?: VariableSource | undefined;
}

/** The values of one entry's references. */
export interface VariableValues {
  /** A variable of the entry or the environment. */
  find(name: string, fieldKind: FieldKind): FoundVariable;
  /** The value of a reference in the field at a path. */
  lookUp(
    reference: VariableReference,
    fieldKind: FieldKind,
    path: JsonPath,
  ): FoundValue | WithheldValue | undefined;
}

/** A reference whose value this field of a project's entry may not see. */
export interface WithheldValue {
  /** The source of that value. */
  readonly withheld: VariableSource;
}

/** @param own - called at each lookup */
export function createVariableValues(
  definition: ReferringDefinition,
  policy: LookupPolicy,
  sources: LookupSources,
  own: () => OwnVariables,
): VariableValues {
  return new Lookup(definition, policy, sources, own);
}

class Lookup implements VariableValues {
  readonly #definition: ReferringDefinition;
  readonly #policy: LookupPolicy;
  readonly #sources: LookupSources;
  readonly #own: () => OwnVariables;
  #placeValue: ReturnType<typeof placeValues> | undefined;

  constructor(
    definition: ReferringDefinition,
    policy: LookupPolicy,
    sources: LookupSources,
    own: () => OwnVariables,
  ) {
    this.#definition = definition;
    this.#policy = policy;
    this.#sources = sources;
    this.#own = own;
  }

  find(name: string, fieldKind: FieldKind): FoundVariable {
    const definition = this.#definition;
    const { dialect } = this.#sources;
    if (fieldKind === "env") {
      return ownValue(this.#own().envFileVariables, name) ?? ambientVariable(name, definition, this.#policy);
    }
    const seesOwn = fieldKind === "other" && seesOwnEnv(definition, dialect);
    const own = seesOwn ? ownValue(this.#own().env, name) : undefined;
    if (own) return isHeldBack(name, definition, dialect) ? "withheld" : own;
    if (isWithheldOutside(name, definition)) return "withheld";
    if (definition.transport !== "stdio" && dialect.emptyInRemote?.includes(name)) return { value: "" };
    return ambientVariable(name, definition, this.#policy);
  }

  lookUp(
    reference: VariableReference,
    fieldKind: FieldKind,
    path: JsonPath,
  ): FoundValue | WithheldValue | undefined {
    const { kind, name, defaultText, passesOverEmpty, whenUnset } = reference;
    let empty: FoundValue | undefined;
    for (const source of sourcesOf(reference)) {
      if (!this.#refersTo(source, fieldKind)) return { value: reference.written };
      const found = this.#valueFrom(source, fieldKind, path);
      if (found === "withheld") return { withheld: source };
      const isPassedOver = passesOverEmpty && found?.value.length === 0;
      if (found && !isPassedOver) return { value: found.value, source };
      if (found) empty ??= { value: found.value, source };
    }
    const value = defaultText ?? (kind === "input" ? this.#unanswered(name) : undefined);
    if (value !== undefined) return { value };
    // A required reference does not accept an empty value.
    return whenUnset === "fail" ? undefined : empty;
  }

  #refersTo(source: VariableSource, fieldKind: FieldKind): boolean {
    const { remoteOnly, refersTo } = this.#sources.dialect;
    if (remoteOnly && fieldKind !== "other") return false;
    return refersTo?.(source, this.#definition) ?? true;
  }

  #valueFrom(
    { kind, name }: VariableSource,
    fieldKind: FieldKind,
    path: JsonPath,
  ): { value: Answer } | "withheld" | undefined {
    switch (kind) {
      case "environment":
        return this.find(name, fieldKind);
      case "place":
        return found(this.#placeOf(name));
      case "input":
        return this.#answerTo(name, fieldKind);
      case "file":
        return found(this.#sources.files.get(name));
      case "command":
        return found(this.#sources.commandOutputs.get(keyOfCommand(name, path, this.#definition.definedIn)));
    }
  }

  #placeOf(name: string): string | undefined {
    this.#placeValue ??= placeValues(this.#definition.definedIn, this.#policy.cwd, this.#policy);
    return this.#placeValue(name);
  }

  /** The answer to an `input`. A project's entry gets it only if it may read a variable of that name. */
  #answerTo(id: string, fieldKind: FieldKind): { value: Answer } | "withheld" | undefined {
    const { projectVariables, inputs } = this.#policy;
    if (this.#definition.definedIn.scope === "project" && !projectVariables.includes(id)) return undefined;
    return this.find(id, fieldKind) === "withheld" ? "withheld" : found(ownMember(inputs, id));
  }

  /** The dialect's value for an `input` without an answer. */
  #unanswered(id: string): Answer | undefined {
    const { dialect } = this.#sources;
    const answer = dialect.unanswered?.(id, this.#definition);
    const place = ({ kind, name, written }: VariableReference) =>
      (kind === "place" ? this.#placeOf(name) : undefined) ?? written;
    const filled = (text: string) => expandVariables(text, place, dialect);
    return typeof answer === "string" ? filled(answer) : answer?.map(filled);
  }
}

function found(value: Answer | undefined): { value: Answer } | undefined {
  return value === undefined ? undefined : { value };
}
