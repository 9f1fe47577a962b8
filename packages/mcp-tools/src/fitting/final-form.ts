import { isRecord, type JsonObject, type JsonValue, type ToolInputSchema } from "@jackfield/mcp-core";
import type { ChangeReport } from "../schema/schema-change.ts";
import {
  escapePointer,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "../schema/subschemas.ts";
import { withNote } from "./lone-unions.ts";
import type { ProfileRules } from "./schema-profile.ts";

/** A schema in its final form, and the way back from what a model gives to what the server wants. */
export interface FinalForm {
  readonly schema: ToolInputSchema;
  /** Gives arguments their own names, takes out what `null` stands for, and reads JSON that was asked for as text. */
  restore(args: unknown): unknown;
}

/** What must be undone at a place. */
interface Note {
  /** The server's names by the shown ones. */
  names?: ReadonlyMap<string, string>;
  /** Properties that may be left out, and are `null` instead. */
  nulls?: ReadonlySet<string>;
  /** The value is JSON in a text. */
  isText?: true;
}

/** What is the same for all places of one schema. */
interface Tools {
  readonly rules: Pick<ProfileRules, "unionsAlone" | "isStrict">;
  readonly report: ChangeReport;
  /** The shown name of each property that has another one. */
  readonly shown: ReadonlyMap<string, string>;
  readonly isWellFormed: boolean;
  readonly notes: Map<object, Note>;
}

/**
 * The last step of fitting, for the whole schema: names that an API refuses are replaced, every text is well-formed, every schema has a
 * type where an API wants that, strict tools are closed. The same object if there is nothing to do.
 */
export function finalForm(
  schema: ToolInputSchema,
  rules: ProfileRules | undefined,
  report: ChangeReport,
): FinalForm {
  const shown = shownNames(schema, rules?.names);
  const { unionsAlone = false, isStrict = false } = rules ?? {};
  const isSound = isWellFormed(schema);
  if (!unionsAlone && !isStrict && shown.size === 0 && isSound) return { schema, restore: (args) => args };
  const tools: Tools = {
    rules: { unionsAlone, isStrict },
    report,
    shown,
    isWellFormed: isSound,
    notes: new Map(),
  };
  const root = finish(schema, "", tools, true) as ToolInputSchema;
  const { notes } = tools;
  return {
    schema: root,
    restore: notes.size === 0 ? (args) => args : (args) => restored(args, root, { root, notes }),
  };
}

// ------------------------------------------------------------------------------------------------------------------ names

/** The shown names of all properties that need another one, the same for all places, and different from every other name. */
function shownNames(schema: JsonObject, pattern: RegExp | undefined): ReadonlyMap<string, string> {
  const all = new Set<string>();
  visit(schema, ({ properties }) => {
    for (const name of Object.keys(isRecord(properties) ? properties : {})) all.add(name);
  });
  const isShown = (name: string) => name.isWellFormed() && (pattern === undefined || pattern.test(name));
  const renamed = new Map<string, string>();
  for (const name of [...all].filter((each) => !isShown(each)).sort()) {
    const plain =
      name
        .replace(/[^a-zA-Z0-9_.-]+/g, "_")
        .replace(/^_+|_+$/g, "")
        .slice(0, 56) || "argument";
    let other = plain;
    for (let count = 2; all.has(other); count += 1) other = `${plain}_${count}`;
    all.add(other);
    renamed.set(name, other);
  }
  return renamed;
}

function visit(schema: unknown, see: (schema: JsonObject) => void): void {
  if (!isRecord(schema)) return;
  see(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isRecord(value))
      for (const part of Object.values(value)) visit(part, see);
    else if (Array.isArray(value) && SCHEMA_LIST_KEYWORDS.has(keyword))
      for (const part of value) visit(part, see);
    else if (SCHEMA_KEYWORDS.has(keyword)) visit(value, see);
  }
}

/** A list that is inlined in many places is read once. */
function isWellFormed(value: unknown, read = new Set<object>()): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null || read.has(value)) return true;
  read.add(value);
  if (Array.isArray(value)) return value.every((item) => isWellFormed(item, read));
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member, read));
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  );
}

// ------------------------------------------------------------------------------------------------------------------ each place

function finish(given: unknown, pointer: string, tools: Tools, isRoot = false): unknown {
  if (!isRecord(given)) return given;
  const { unionsAlone, isStrict } = tools.rules;
  const typed = unionsAlone && !isRoot ? typedSchema(given, isStrict) : given;
  if (isStrict) {
    const note = textNote(typed, isRoot);
    if (note !== undefined) {
      const made = { type: "string", description: withNote(typed.description, note) };
      tools.notes.set(made, { isText: true });
      tools.report.add({
        pointer,
        kind: "rewritten",
        message: "What a strict tool cannot describe is asked for as JSON.",
      });
      return made;
    }
  }
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(typed))
    result[keyword] = finishKeyword(keyword, value, `${pointer}/${escapePointer(keyword)}`, tools);
  renameAt(result, pointer, tools);
  if (isStrict && [result.type].flat().includes("object")) closeAt(result, tools);
  return result;
}

function finishKeyword(keyword: string, value: unknown, pointer: string, tools: Tools): unknown {
  if (SCHEMA_MAP_KEYWORDS.has(keyword) && isRecord(value) && keyword !== "dependencies")
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        finish(part, `${pointer}/${escapePointer(name)}`, tools),
      ]),
    );
  if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value))
    return value.map((part, index) => finish(part, `${pointer}/${index}`, tools));
  // Names are replaced by the caller, which needs them as they are.
  if (NAMING.has(keyword)) return value;
  if (SCHEMA_KEYWORDS.has(keyword)) return finish(value, pointer, tools);
  return tools.isWellFormed ? value : wellFormed(value);
}

const NAMING = new Set(["required", "dependentRequired"]);

/** Shows the properties of an object, and the lists that name them, under their shown names. */
function renameAt(schema: JsonObject, pointer: string, { shown, notes, report }: Tools): void {
  if (shown.size === 0) return;
  const nameOf = (name: unknown) => (typeof name === "string" ? (shown.get(name) ?? name) : name);
  if (Array.isArray(schema.required)) schema.required = schema.required.map(nameOf);
  for (const keyword of ["dependentRequired", "dependentSchemas"]) {
    const value = schema[keyword];
    if (!isRecord(value)) continue;
    const entries = Object.entries(value).map(([name, demand]) => [
      nameOf(name),
      Array.isArray(demand) ? demand.map(nameOf) : demand,
    ]);
    schema[keyword] = Object.fromEntries(entries);
  }
  if (!isRecord(schema.properties)) return;
  const names = new Map<string, string>();
  const entries = Object.entries(schema.properties).map(([name, part]) => {
    const other = shown.get(name);
    if (other === undefined) return [name, part] as const;
    names.set(other, name);
    const message = `The name is not supported: ${JSON.stringify(name.slice(0, 128))} is shown as "${other}" and given back to the server.`;
    report.add({ pointer: `${pointer}/properties/${escapePointer(name)}`, kind: "rewritten", message });
    return [other, part] as const;
  });
  if (names.size === 0) return;
  schema.properties = Object.fromEntries(entries);
  notes.set(schema, { ...notes.get(schema), names });
}

// ------------------------------------------------------------------------------------------------------------------ unions and types

const TYPICAL: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "minItems", "maxItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** A schema with a type: the one that its keywords are about, or a union of all. */
function typedSchema(schema: JsonObject, isStrict: boolean): JsonObject {
  if (schema.type !== undefined || schema.anyOf !== undefined || schema.$ref !== undefined) return schema;
  const [type] =
    TYPICAL.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined)) ?? [];
  if (type !== undefined) return { type, ...schema };
  if (isStrict) return schema;
  const { title, description, default: byDefault } = schema;
  const notes = Object.entries({ title, description }).filter(([, note]) => note !== undefined);
  const options = [...SCALARS, { type: "array", items: { anyOf: SCALARS } }];
  return {
    anyOf: options.map((option, index) => ({
      ...option,
      ...(index === 0 ? Object.fromEntries(notes) : {}),
      ...(byDefault !== undefined && option.type === typeOfValue(byDefault) ? { default: byDefault } : {}),
    })),
  };
}

const SCALARS = ["string", "number", "boolean", "object"].map((type) => ({ type }));

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// ------------------------------------------------------------------------------------------------------------------ strict tools

/** How a strict tool asks for what it cannot describe: open objects, and values of any kind. */
function textNote(schema: JsonObject, isRoot: boolean): string | undefined {
  if (isRoot || schema.anyOf !== undefined || schema.$ref !== undefined) return undefined;
  if (schema.type === undefined) return "Any value; an object or a list is written as JSON.";
  const isEmpty = !isRecord(schema.properties) || Object.keys(schema.properties).length === 0;
  return schema.type === "object" && isEmpty ? "A JSON object, written as text." : undefined;
}

/** Closes an object, and requires every property: one that may be left out may be `null`. */
function closeAt(schema: JsonObject, { notes }: Tools): void {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const nulls = new Set<string>();
  for (const [name, part] of Object.entries(properties)) {
    if (required.has(name) || !isRecord(part) || acceptsNull(part)) continue;
    nulls.add(name);
    properties[name] = orNull(part, notes);
  }
  schema.properties = properties;
  schema.required = Object.keys(properties);
  schema.additionalProperties = false;
  if (nulls.size > 0) notes.set(schema, { ...notes.get(schema), nulls });
}

function acceptsNull({ type, anyOf }: JsonObject): boolean {
  return (
    [type].flat().includes("null") ||
    (Array.isArray(anyOf) && anyOf.some((part) => isRecord(part) && acceptsNull(part)))
  );
}

function orNull(schema: JsonObject, notes: Map<object, Note>): JsonObject {
  const { anyOf, type, enum: values } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  const made = {
    ...schema,
    type: [type, "null"].flat(),
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
  const note = notes.get(schema);
  if (note !== undefined) notes.set(made, note);
  return made;
}

// ------------------------------------------------------------------------------------------------------------------ the way back

interface Way {
  readonly root: JsonObject;
  readonly notes: ReadonlyMap<object, Note>;
}

function restored(value: unknown, schema: unknown, way: Way): unknown {
  if (!isRecord(schema)) return value;
  if (way.notes.get(schema)?.isText === true) return typeof value === "string" ? readText(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const target = typeof schema.$ref === "string" ? definition(schema.$ref, way.root) : undefined;
  if (target !== undefined) return restored(value, target, way);
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const parts = schema[keyword];
    if (!Array.isArray(parts)) continue;
    const [fitting] = parts.filter((part) => mayFit(value, part));
    if (fitting !== undefined) return restoredHere(restored(value, fitting, way), schema, way);
  }
  return restoredHere(value, schema, way);
}

function restoredHere(value: unknown, schema: JsonObject, way: Way): unknown {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(value)) return isRecord(items) ? value.map((item) => restored(item, items, way)) : value;
  if (!isRecord(value)) return value;
  const { names, nulls } = way.notes.get(schema) ?? {};
  const known = isRecord(properties) ? properties : {};
  const entries = Object.entries(value).flatMap(([name, member]) => {
    if (member === null && nulls?.has(name)) return [];
    const part = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    return [[names?.get(name) ?? name, restored(member, part, way)] as const];
  });
  return Object.fromEntries(entries);
}

/** Whether an alternative may be the one that a value was written for. */
function mayFit(value: object, part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (typeof part.$ref === "string" || Array.isArray(part.anyOf)) return true;
  const types = part.type === undefined ? [] : [part.type].flat();
  if (types.length > 0 && !types.includes(typeOfValue(value))) return false;
  return !Array.isArray(part.required) || part.required.every((name) => Object.hasOwn(value, String(name)));
}

function definition(reference: string, { $defs }: JsonObject): unknown {
  return isRecord($defs) ? $defs[reference.slice("#/$defs/".length)] : undefined;
}

/** What a text that stands for an object or a list holds; the text itself if it is something else. */
function readText(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
