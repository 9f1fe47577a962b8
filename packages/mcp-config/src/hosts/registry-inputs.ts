import { isCredential, isRecord } from "@jackfield/mcp-core";
import { isLiteralSecret } from "../lint/credential-values.ts";
import { createMap, type JsonMap, type JsonPath, ownMember } from "../read/json-value.ts";

/** A value, and the names of what it still needs. */
export interface FilledIn<T> {
  readonly value: T;
  /** Required inputs without a value. */
  readonly missing: readonly string[];
  /** Variables in braces without a value, which stay in the text and must be given. */
  readonly variables: readonly string[];
  /** Parts that are left out unless their variables are given. */
  readonly optional: readonly OptionalPart[];
}

/** An argument, a header or a variable of the environment that is left out if nothing is given for it. */
export interface OptionalPart {
  /** The words of the argument, or the name of the header or variable. */
  readonly part: readonly string[];
  readonly variables: readonly string[];
}

/** A member of a record; older files write `registry_type` where newer ones write `registryType`. */
export function member(record: JsonMap, name: string): unknown {
  return ownMember(record, name) ?? ownMember(record, withUnderscores(name));
}

/** The spelling of a member's name in a record. */
export function memberName(record: JsonMap, name: string): string {
  return ownMember(record, name) === undefined && Object.hasOwn(record, withUnderscores(name))
    ? withUnderscores(name)
    : name;
}

function withUnderscores(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A member, if it is a text that is not empty. */
export function textMember(record: JsonMap, name: string): string | undefined {
  const value = member(record, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Fills in `{name}` in a text from the values and defaults of its variables. All others are needed: no part of the text can be left out. */
export function fillVariables(text: string, variables: unknown): Omit<FilledIn<string>, "optional"> {
  const { value, left } = fillText(text, variables);
  return { value, missing: [], variables: left.map(({ name }) => name) };
}

function fillText(text: string, variables: unknown) {
  const left: { readonly name: string; readonly isRequired: boolean }[] = [];
  const value = text.replace(/\{([A-Za-z_][\w.-]*)\}/g, (written, name: string) => {
    const variable = isRecord(variables) ? ownMember(variables, name) : undefined;
    const found = isRecord(variable) ? scalarOf(variable) : undefined;
    if (found === undefined && isRecord(variable)) left.push({ name, isRequired: isRequired(variable) });
    return found ?? written;
  });
  return { value, left };
}

/** Variables of the environment or headers: a list of inputs, each with a name. */
export function readNamedInputs(list: unknown): FilledIn<JsonMap> {
  const value = createMap();
  const { missing, variables, optional, add } = needs();
  for (const input of inputsOf(list)) {
    const name = textMember(input, "name");
    if (name === undefined) continue;
    const text = add(input, [name], name);
    if (text !== undefined) value[name] = text;
  }
  return { value, missing, variables, optional };
}

/** Arguments in their order: positional ones are their value, named ones their name and value, and flags their name alone. */
export function readArguments(list: unknown): FilledIn<readonly string[]> {
  const value: string[] = [];
  const { missing, variables, optional, add } = needs();
  for (const input of inputsOf(list)) {
    const name = textMember(input, "name");
    const before = name === undefined ? [] : [name];
    if (isFlag(input)) {
      value.push(...before);
      continue;
    }
    const text = add(input, before, name ?? textMember(input, "valueHint") ?? "argument", true);
    if (text !== undefined) value.push(...before, text);
  }
  return { value, missing, variables, optional };
}

/** Collects what inputs need. */
function needs() {
  const missing: string[] = [];
  const variables: string[] = [];
  const optional: OptionalPart[] = [];
  /** Returns the text of an input with its variables filled in; `undefined` if the file has none. */
  const add = (input: JsonMap, part: readonly string[], title: string, isArgument = false) => {
    const text = scalarOf(input);
    if (text === undefined) {
      if (isRequired(input)) missing.push(title);
      return undefined;
    }
    const { value, left } = fillText(text, input.variables);
    const names = left.map(({ name }) => name);
    const isOptional = !isRequired(input) && left.every((variable) => !variable.isRequired);
    if (!isOptional) variables.push(...names);
    else if (names.length > 0)
      optional.push({ part: isArgument ? [...part, value] : part, variables: names });
    return value;
  };
  return { missing, variables, optional, add };
}

/** What a named argument has that a user is asked for. */
const OF_ASKED = "value default variables choices placeholder valueHint isSecret format".split(" ");

/**
 * Whether a named argument is a flag, which has no value: one about which the file says nothing that concerns a value. One that the
 * file calls a boolean, or not required, is the user's to switch on, and a required one with a description asks for a value.
 */
function isFlag(input: JsonMap): boolean {
  if (textMember(input, "name") === undefined || member(input, "isRequired") === false) return false;
  if (member(input, "format") === "boolean") return scalarOf(input) === undefined && isRequired(input);
  const isDescribed = isRequired(input) && textMember(input, "description") !== undefined;
  return (
    !isDescribed && OF_ASKED.every((name) => [undefined, null, ""].includes(member(input, name) as undefined))
  );
}

/** The path in a list to the value of the input with this name, or with this text as its value. */
export function placeOfInput(
  list: unknown,
  { name, text }: { name?: unknown; text?: unknown },
): JsonPath | undefined {
  if (!Array.isArray(list)) return undefined;
  const inputs: readonly unknown[] = list;
  const index = inputs.findLastIndex((input) => {
    if (!isRecord(input)) return false;
    return name === undefined ? readInput(input)?.value === text : input.name === name && readInput(input);
  });
  const input = inputs[index];
  return isRecord(input) ? [index, valueField(input)] : undefined;
}

/** The paths in a list to values that are marked as secret and written out, and that no rule for all hosts finds. */
export function placesOfSecrets(list: readonly unknown[]): readonly JsonPath[] {
  return list.flatMap((input, index) =>
    isRecord(input) && isWrittenSecret(input) ? [[index, valueField(input)]] : [],
  );
}

function isWrittenSecret(input: JsonMap): boolean {
  if (member(input, "isSecret") !== true) return false;
  const filled = readInput(input);
  if (filled?.variables.length !== 0 || !isLiteralSecret(filled.value)) return false;
  return !isCredential(textMember(input, "name") ?? "", filled.value);
}

function valueField(input: JsonMap): "value" | "default" {
  return (ownMember(input, "value") ?? "") === "" ? "default" : "value";
}

function inputsOf(list: unknown): readonly JsonMap[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function readInput(input: JsonMap) {
  const text = scalarOf(input);
  return text === undefined ? undefined : fillVariables(text, input.variables);
}

/** What the file gives as a value, else as a default. */
function scalarOf(input: JsonMap): string | undefined {
  const isGiven = (found: unknown) => found !== undefined && found !== null && found !== "";
  const found = [ownMember(input, "value"), ownMember(input, "default")].find(isGiven);
  const isScalar = typeof found === "string" || typeof found === "number" || typeof found === "boolean";
  return isScalar ? String(found) : undefined;
}

function isRequired(input: JsonMap): boolean {
  return member(input, "isRequired") === true;
}
