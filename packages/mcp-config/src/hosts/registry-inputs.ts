import { isCredential, isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import { isLiteralSecret } from "../entries/credential-values.ts";

/** A value, and the names of what it still needs. */
export interface FilledIn<T> {
  readonly value: T;
  /** Required inputs without a value. */
  readonly missing: readonly string[];
  /** Variables in braces without a value, which stay in the text. */
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

/** Fills in `{name}` in a text from the values and defaults of its variables. */
export function fillVariables(text: string, variables: unknown): FilledIn<string> {
  const left: string[] = [];
  const value = text.replace(/\{([A-Za-z_][\w.-]*)\}/g, (written, name: string) => {
    const variable = isRecord(variables) ? ownMember(variables, name) : undefined;
    const found = isRecord(variable) ? scalarOf(variable) : undefined;
    if (found === undefined && isRecord(variable)) left.push(name);
    return found ?? written;
  });
  return { value, missing: [], variables: left };
}

/** Variables of the environment or headers: a list of inputs, each with a name. */
export function readNamedInputs(list: unknown): FilledIn<JsonMap> {
  const value = createMap();
  const missing: string[] = [];
  const variables: string[] = [];
  for (const input of inputsOf(list)) {
    const name = textMember(input, "name");
    if (name === undefined) continue;
    const filled = readInput(input);
    if (filled) {
      value[name] = filled.value;
      variables.push(...filled.variables);
    } else if (isRequired(input)) missing.push(name);
  }
  return { value, missing, variables };
}

/** Arguments in their order: positional ones are their value, named ones their name and value. */
export function readArguments(list: unknown): FilledIn<readonly string[]> {
  const value: string[] = [];
  const missing: string[] = [];
  const variables: string[] = [];
  for (const input of inputsOf(list)) {
    const name = textMember(input, "name");
    const filled = readInput(input);
    if (filled) {
      value.push(...(name === undefined ? [] : [name]), filled.value);
      variables.push(...filled.variables);
    } else if (isRequired(input)) missing.push(name ?? textMember(input, "valueHint") ?? "argument");
  }
  return { value, missing, variables };
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
  return ownMember(input, "value") === undefined ? "default" : "value";
}

function inputsOf(list: unknown): readonly JsonMap[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function readInput(input: JsonMap): FilledIn<string> | undefined {
  const text = scalarOf(input);
  return text === undefined ? undefined : fillVariables(text, input.variables);
}

/** What the file gives as a value, else as a default. */
function scalarOf(input: JsonMap): string | undefined {
  const found = [ownMember(input, "value"), ownMember(input, "default")].find((given) => given !== undefined);
  const isScalar = typeof found === "string" || typeof found === "number" || typeof found === "boolean";
  return isScalar ? String(found) : undefined;
}

function isRequired(input: JsonMap): boolean {
  return member(input, "isRequired") === true;
}
