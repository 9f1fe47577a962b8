import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { type PromptValues, readPromptValues } from "./prompt-values.ts";

/** Arguments for a tool, and the required ones for which the prompt holds no value. */
export interface FilledArguments {
  readonly args: JsonObject;
  readonly missing: readonly string[];
}

interface Filling {
  readonly root: JsonObject;
  readonly values: PromptValues;
  readonly missing: string[];
}

/** Schemas may refer to themselves; nothing sensible is written by hand this deep. */
const DEEPEST = 8;
const NOTHING = Symbol("no value in the prompt");

/**
 * Fills a tool's arguments from a prompt, by rule: required properties, and optional ones that are named. A string is
 * the text written for its property (`path "x"`, `path: x`), else the next quoted text; a number likewise; an enum
 * the value named in the prompt, else the first; an array gets one element, an object its own properties.
 */
export function fillArguments(schema: JsonObject, prompt: string): FilledArguments {
  const values = readPromptValues(prompt, [...propertyNames(schema)]);
  const filling: Filling = { root: schema, values, missing: [] };
  return { args: fillObject(schema, filling, 0), missing: filling.missing };
}

function fillObject(schema: JsonObject, filling: Filling, depth: number): JsonObject {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const filled: [string, unknown][] = [];
  for (const [name, property] of Object.entries(asObject(schema.properties))) {
    if (!required.has(name) && !filling.values.isNamed(name)) continue;
    const value = fillValue(asObject(property), name, filling, depth + 1);
    if (value !== NOTHING) filled.push([name, value]);
    else if (required.has(name)) filling.missing.push(name);
  }
  return Object.fromEntries(filled);
}

function fillValue(written: JsonObject, name: string, filling: Filling, depth: number): unknown {
  if (depth > DEEPEST) return NOTHING;
  const schema = simplify(written, filling.root);
  const { values } = filling;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return pickEnum(schema, values.prompt);
  const fallback = schema.default ?? NOTHING;
  switch (typeOf(schema)) {
    case "object":
      return fillObject(schema, filling, depth);
    case "array": {
      const element = fillValue(asObject(schema.items), name, filling, depth + 1);
      return element === NOTHING ? fallback : [element];
    }
    case "number":
      return values.takeNumber(name, { integer: false }) ?? fallback;
    case "integer":
      return values.takeNumber(name, { integer: true }) ?? fallback;
    case "boolean":
      return values.takeBoolean(name) ?? schema.default ?? false;
    case "null":
      return null;
    case "string":
      return values.takeText(name) ?? fallback;
    default:
      return values.takeText(name) ?? values.takeNumber(name, { integer: false }) ?? fallback;
  }
}

function pickEnum(schema: JsonObject, prompt: string): unknown {
  const options: unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  const lowercasePrompt = prompt.toLowerCase();
  const named = options.find((option) => lowercasePrompt.includes(String(option).toLowerCase()));
  return named ?? schema.default ?? options[0];
}

/** Follows local references, and takes the first branch of a choice that is not `null`. */
function simplify(written: JsonObject, root: JsonObject): JsonObject {
  let schema = written;
  for (let step = 0; step < DEEPEST; step += 1) {
    const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
    const branches = [anyOf, oneOf, allOf].find(Array.isArray);
    if (typeof $ref === "string") schema = { ...rest, ...lookUp($ref, root) };
    else if (branches === undefined) return schema;
    else schema = { ...rest, ...branches.map(asObject).find((branch) => branch.type !== "null") };
  }
  return schema;
}

function lookUp(reference: string, root: JsonObject): JsonObject {
  const steps = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
  return steps.reduce((at: JsonObject, step) => asObject(at[step]), steps.length > 0 ? root : {});
}

function typeOf(schema: JsonObject): unknown {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== "null");
  if (schema.type !== undefined) return schema.type;
  if (schema.properties !== undefined) return "object";
  return schema.items === undefined ? undefined : "array";
}

/** Every property name in the schema, at any depth. */
function propertyNames(root: JsonObject): Set<string> {
  const names = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (written: JsonObject): void => {
    if (seen.has(written)) return;
    seen.add(written);
    const schema = simplify(written, root);
    for (const [name, property] of Object.entries(asObject(schema.properties))) {
      names.add(name);
      visit(asObject(property));
    }
    visit(asObject(schema.items));
  };
  visit(root);
  return names;
}

const EMPTY: JsonObject = {};

function asObject(value: unknown): JsonObject {
  return isRecord(value) ? value : EMPTY;
}
