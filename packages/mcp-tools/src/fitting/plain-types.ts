import { isRecord, isSameJson, type JsonObject } from "@jackfield/mcp-core";
import type { ChangeReport } from "../schema/schema-change.ts";
import { mergeParts } from "./merged-parts.ts";

/** The place of a schema, and what is needed to rewrite it. */
export interface PlainPlace {
  readonly pointer: string;
  readonly report: ChangeReport;
  /** Applies the provider's keyword rules to an alternative, as to every schema. */
  fitKeywords(alternative: JsonObject): JsonObject;
}

/**
 * Rewrites a schema for an API that supports one `type` for each schema, an `enum` of strings, and `anyOf`: several types
 * become alternatives, `const` an `enum` of one, and the parts of `allOf` are merged. Subschemas are left as they are.
 */
export function plainTypes(schema: JsonObject, { pointer, report, fitKeywords }: PlainPlace): JsonObject {
  const merged = mergeAll(schema, pointer, report);
  const named = constAsEnum(merged, pointer, report);
  if (!Array.isArray(named.type)) return textEnum(named, pointer, report);
  if (named.type.length === 1) return textEnum({ ...named, type: named.type[0] }, pointer, report);
  const { title, description, default: byDefault, type, ...demands } = named;
  const notes = { title, description, default: byDefault };
  const alternatives = (type as readonly unknown[])
    .map((name) => alternative(String(name), demands, pointer, report))
    .filter((option) => option !== undefined);
  if (alternatives.length === 0) {
    report.add({
      pointer,
      kind: "removed",
      keyword: "type",
      message: "Types that nothing matches are not supported.",
    });
    return withoutUndefined(notes);
  }
  report.add({ pointer, kind: "rewritten", keyword: "type", message: "Several types became alternatives." });
  return withoutUndefined({ ...notes, anyOf: alternatives.map(fitKeywords) });
}

function constAsEnum(schema: JsonObject, pointer: string, report: ChangeReport): JsonObject {
  if (!Object.hasOwn(schema, "const")) return schema;
  const { const: value, ...rest } = schema;
  report.add({ pointer, kind: "rewritten", keyword: "const", message: "`const` became an `enum` of one." });
  if (!Array.isArray(rest.enum)) return { ...rest, enum: [value] };
  return { ...rest, enum: rest.enum.filter((allowed) => isSameJson(allowed, value)) };
}

function textEnum(schema: JsonObject, pointer: string, report: ChangeReport): JsonObject {
  const { enum: values, ...rest } = schema;
  if (!Array.isArray(values)) return schema;
  const areTexts = values.length > 0 && values.every((value) => typeof value === "string");
  const typed = areTexts ? { type: "string", ...rest } : rest;
  if (areTexts && typed.type === "string" && !values.includes(""))
    return rest.type === undefined ? { ...schema, type: "string" } : schema;
  const message =
    "An `enum` that is empty or has values other than strings is not supported; the values are in the description.";
  report.add({ pointer, kind: "removed", keyword: "enum", message });
  if (values.length === 0) return rest;
  const choices = `One of: ${JSON.stringify(values).slice(1, -1).slice(0, 512)}.`;
  const description = typeof rest.description === "string" ? `${rest.description} ${choices}` : choices;
  return { ...typed, description };
}

/** The schema for one of the types; `undefined` if the `enum` has no value of that type. */
function alternative(
  type: string,
  allDemands: JsonObject,
  pointer: string,
  report: ChangeReport,
): JsonObject | undefined {
  const demands = demandsOn(type, allDemands);
  if (!Array.isArray(demands.enum)) return { ...demands, type };
  const values = demands.enum.filter((value) => typeOf(value) === type || isWhole(value, type));
  if (values.length === 0) return undefined;
  if (type === "null") return { type };
  return textEnum({ ...demands, type, enum: values }, pointer, report);
}

/** Keywords that apply to some types only. Every other keyword applies to all types. */
const CONCERNED: readonly (readonly [types: readonly string[], keywords: readonly string[]])[] = [
  [["string"], ["contentEncoding", "contentMediaType", "maxLength", "minLength", "pattern"]],
  [
    ["integer", "number"],
    ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  ],
  [["string", "integer", "number"], ["format"]],
  [
    ["array"],
    [
      "contains",
      "items",
      "maxContains",
      "maxItems",
      "minContains",
      "minItems",
      "prefixItems",
      "unevaluatedItems",
      "uniqueItems",
    ],
  ],
  [
    ["object"],
    [
      "additionalProperties",
      "dependentRequired",
      "dependentSchemas",
      "maxProperties",
      "minProperties",
      "patternProperties",
      "properties",
      "propertyNames",
      "required",
      "unevaluatedProperties",
    ],
  ],
];

function demandsOn(type: string, demands: JsonObject): JsonObject {
  const others = CONCERNED.filter(([types]) => !types.includes(type)).flatMap(([, keywords]) => keywords);
  return Object.fromEntries(Object.entries(demands).filter(([keyword]) => !others.includes(keyword)));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isWhole(value: unknown, type: string): boolean {
  return type === "integer" && Number.isInteger(value);
}

/** Merges the parts of `allOf`. */
function mergeAll(schema: JsonObject, pointer: string, report: ChangeReport): JsonObject {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  report.add({ pointer, kind: "rewritten", keyword: "allOf", message: "The parts of `allOf` became one." });
  const parts = allOf.filter(isRecord).map((part) => mergeAll(part, pointer, report));
  return mergeParts([own, ...parts], pointer, report);
}

function withoutUndefined(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
