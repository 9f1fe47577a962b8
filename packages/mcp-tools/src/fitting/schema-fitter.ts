import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { createModernKeywords, type ModernKeywords } from "../schema/modern-keywords.ts";
import type { ChangeReport, SchemaChange } from "../schema/schema-change.ts";
import type { ReferenceTarget, SchemaIndex } from "../schema/schema-index.ts";
import { createKeywordCheck } from "../schema/sound-keywords.ts";
import {
  escapePointer,
  isSchema,
  type JsonSchema,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "../schema/subschemas.ts";
import { requireDeclared } from "./declared-names.ts";
import { loneUnions, withNote } from "./lone-unions.ts";
import { plainTypes } from "./plain-types.ts";
import type { ProfileRules } from "./schema-profile.ts";

/** Maximum number of schemas in a fitted schema; a reference that would go beyond stays a reference, or is cut. */
const MAX_FITTED_SCHEMAS = 2_000;

/** Keywords that name or address schemas, and mean nothing once references are inlined. */
const ADDRESSES = new Set(["$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"]);
const CONTAINERS = new Set(["$defs", "$vocabulary", "contentSchema", "definitions"]);
const NOTES = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];

/** A schema in a form that a provider takes. */
export interface FittedParts {
  readonly root: JsonSchema;
  /** The definitions that recursion needs, by name; the root must hold them as `$defs`. */
  readonly definitions: JsonObject;
}

/**
 * Rewrites a schema for a provider. Valid values stay valid: a keyword that the provider does not accept is dropped, and a
 * keyword that excludes or counts is dropped or softened if something within it was.
 */
export function fitSchemaParts(index: SchemaIndex, rules: ProfileRules, report: ChangeReport): FittedParts {
  const fitter = new SchemaFitter(index, rules, report);
  const fitted = fitter.fit(index.root, "");
  const rest = (schema: JsonSchema, pointer: string) => {
    const alone = rules.unionsAlone ? loneUnions(schema, pointer, report) : schema;
    return rules.declaredNames ? requireDeclared(alone, report) : alone;
  };
  const definitions = Object.entries(fitter.definitions).map(([name, schema]) => [
    name,
    rest(schema as JsonSchema, `/$defs/${name}`),
  ]);
  return { root: rest(fitted, ""), definitions: Object.fromEntries(definitions) };
}

class SchemaFitter {
  readonly definitions: JsonObject = {};
  readonly #index: SchemaIndex;
  readonly #rules: ProfileRules;
  readonly #report: ChangeReport;
  readonly #modern: ModernKeywords;
  readonly #sound: (schema: JsonObject, pointer: string) => JsonObject;
  /** The schemas that are being inlined, outermost first. */
  readonly #inlining: JsonObject[] = [];
  readonly #names = new Map<JsonObject, string>();
  #fitted = 0;

  constructor(index: SchemaIndex, rules: ProfileRules, report: ChangeReport) {
    this.#index = index;
    this.#rules = rules;
    this.#report = report;
    this.#modern = createModernKeywords(index.dialect, report);
    this.#sound = createKeywordCheck(report);
  }

  fit(schema: unknown, pointer: string): JsonSchema {
    this.#fitted += 1;
    if (!isSchema(schema)) return this.#fitNothing(pointer);
    if (!isRecord(schema)) return this.#fitBoolean(schema, pointer);
    if (typeof schema.$ref === "string") return this.#fitReference(schema, schema.$ref, pointer);
    const before = this.#report.weakened;
    const own = this.#withoutNames(schema, pointer);
    const modern = this.#modern(own, pointer);
    const plain = this.#plain(this.#fitParts(this.#sound(modern, pointer), pointer), pointer);
    return this.#withoutRest(this.#fitKeywords(plain, pointer), pointer, before);
  }

  #plain(schema: JsonObject, pointer: string): JsonObject {
    if (!this.#rules.plainTypes) return schema;
    const fitKeywords = (alternative: JsonObject) => this.#fitKeywords(alternative, pointer);
    return plainTypes(schema, { pointer, report: this.#report, fitKeywords });
  }

  #fitNothing(pointer: string): JsonSchema {
    this.#remove(pointer, undefined, "This is not a schema.");
    return {};
  }

  #fitBoolean(schema: boolean, pointer: string): JsonSchema {
    if (!this.#rules.plainTypes) return schema;
    if (!schema) this.#remove(pointer, undefined, "A schema that nothing matches is not supported.");
    return {};
  }

  #withoutNames(schema: JsonObject, pointer: string): JsonObject {
    const isName = ([keyword, value]: [string, unknown]) =>
      CONTAINERS.has(keyword) || keyword === "__proto__" || (ADDRESSES.has(keyword) && !isRecord(value));
    const entries = Object.entries(schema);
    const kept = entries.filter((entry) => !isName(entry));
    if (kept.length === entries.length) return schema;
    for (const [keyword] of entries.filter(isName)) {
      const message = `\`${keyword}\` names or holds schemas, and has no effect by itself.`;
      this.#note({ pointer, kind: "rewritten", keyword, message });
    }
    return Object.fromEntries(kept);
  }

  #fitReference(schema: JsonObject, reference: string, pointer: string): JsonSchema {
    const target = this.#index.resolve(reference, schema);
    const { $ref: _, ...beside } = schema;
    const kept = this.#index.dialect === "draft-7" ? pick(beside, NOTES) : beside;
    const own = this.#withoutNames(kept, pointer);
    const before = this.#report.weakened;
    const inlined = this.#inline(target, reference, pointer);
    if (Object.keys(own).length === 0) return inlined;
    if (isRecord(inlined) && Object.keys(own).every((keyword) => NOTES.includes(keyword)))
      return { ...inlined, ...this.#sound(own, pointer) };
    const fitted = this.fit(own, pointer);
    if (!isRecord(fitted)) return fitted;
    const all = { ...fitted, allOf: [...(Array.isArray(fitted.allOf) ? fitted.allOf : []), inlined] };
    const plain = this.#plain(all, pointer);
    // Merged parts may disagree: a format of numbers may stand beside a text.
    return this.#withoutRest(
      this.#rules.plainTypes ? this.#fitKeywords(plain, pointer) : plain,
      pointer,
      before,
    );
  }

  #inline(target: ReferenceTarget | undefined, reference: string, pointer: string): JsonSchema {
    if (target === undefined) {
      this.#remove(pointer, "$ref", `The reference ${shown(reference)} points outside the schema.`);
      return {};
    }
    const { schema } = target;
    if (!isRecord(schema)) return this.fit(schema, pointer);
    if (this.#inlining.includes(schema) || this.#fitted >= MAX_FITTED_SCHEMAS)
      return this.#leave(schema, reference, pointer);
    this.#note({ pointer, kind: "inlined", keyword: "$ref", message: `${shown(reference)} was inlined.` });
    this.#inlining.push(schema);
    try {
      return this.fit(schema, pointer);
    } finally {
      this.#inlining.pop();
    }
  }

  /** Handles a reference that cannot be inlined, because it is recursive or the schema would become too large. */
  #leave(schema: JsonObject, reference: string, pointer: string): JsonSchema {
    if (!this.#rules.references) {
      const message = `${shown(reference)} is recursive or too large, and was cut here.`;
      this.#remove(pointer, "$ref", message);
      return {};
    }
    const known = this.#names.get(schema);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = this.#nameFor(reference);
    this.#names.set(schema, name);
    this.definitions[name] = {};
    // Within its own definition, the schema stays a reference.
    this.#inlining.push(schema);
    this.definitions[name] = this.fit(schema, `/$defs/${name}`);
    this.#inlining.pop();
    return { $ref: `#/$defs/${name}` };
  }

  #nameFor(reference: string): string {
    const last =
      (reference.split(/[/#]/).pop() ?? "").replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 48) || "root";
    const names = new Set(this.#names.values());
    let name = last;
    for (let count = 2; names.has(name) || name === "__proto__"; count += 1) name = `${last}_${count}`;
    return name;
  }

  /** Fits the subschemas, and drops keywords that must not rest on a weakened one. */
  #fitParts(schema: JsonObject, pointer: string): JsonObject {
    const result: JsonObject = {};
    const weakened: string[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      const before = this.#report.weakened;
      result[keyword] = this.#fitKeyword(keyword, value, `${pointer}/${escapePointer(keyword)}`);
      if (this.#report.weakened > before) weakened.push(keyword);
    }
    for (const keyword of weakened) this.#weaken(keyword, result, pointer);
    if (result.if === undefined) {
      delete result.then;
      delete result.else;
    }
    return result;
  }

  #fitKeyword(keyword: string, value: unknown, pointer: string): unknown {
    if (this.#rules.keywords?.has(keyword) === false && !COMBINED.has(keyword)) return value;
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value))
      return value.map((item, index) => this.fit(item, `${pointer}/${index}`));
    if (keyword === "additionalProperties" && typeof value === "boolean") return value;
    if (SCHEMA_KEYWORDS.has(keyword) && isSchema(value)) return this.fit(value, pointer);
    if (!SCHEMA_MAP_KEYWORDS.has(keyword) || !isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        this.fit(item, `${pointer}/${escapePointer(name)}`),
      ]),
    );
  }

  /** Handles a keyword whose subschemas got weaker: one that would get stricter by that is removed or softened. */
  #weaken(keyword: string, schema: JsonObject, pointer: string): void {
    const reason = "because part of it is not supported";
    if (keyword === "not" || keyword === "if") {
      delete schema[keyword];
      this.#remove(pointer, keyword, `\`${keyword}\` was removed ${reason}.`);
    } else if (keyword === "oneOf") {
      this.#softenOneOf(schema, pointer, reason);
    }
  }

  #softenOneOf(schema: JsonObject, pointer: string, reason: string): void {
    const { oneOf } = schema;
    delete schema.oneOf;
    if (schema.anyOf !== undefined) {
      this.#remove(pointer, "oneOf", `\`oneOf\` was removed ${reason}.`);
      return;
    }
    schema.anyOf = oneOf;
    this.#remove(pointer, "oneOf", `\`oneOf\` became \`anyOf\` ${reason}.`);
  }

  /** Drops the keywords that the provider does not take. */
  #fitKeywords(schema: JsonObject, pointer: string): JsonObject {
    const result: JsonObject = { ...schema };
    const remove = (keyword: string, message: string) => {
      if (result[keyword] === undefined) return;
      delete result[keyword];
      this.#remove(pointer, keyword, message);
    };
    if (this.#rules.plainTypes && result.oneOf !== undefined)
      this.#softenOneOf(result, pointer, "because it is not supported");
    if (this.#rules.keywords !== undefined && result.prefixItems !== undefined)
      remove("items", "`items` applies to the items after `prefixItems`, which is not supported.");
    remove("$dynamicRef", "`$dynamicRef` is not supported.");
    remove("$recursiveRef", "`$recursiveRef` is not supported.");
    if (this.#rules.plainTypes) tellDemands(result, this.#rules);
    for (const keyword of Object.keys(result))
      if (this.#rules.keywords?.has(keyword) === false || this.#rules.refused?.has(keyword) === true)
        remove(keyword, `\`${keyword}\` is not supported.`);
    this.#fitText(result, remove);
    const mayBeList = [result.type].flat().includes("array");
    if (isRecord(result.properties) && Object.keys(result.properties).length === 0 && this.#rules.plainTypes)
      delete result.properties;
    if (this.#rules.listsHaveItems && mayBeList && result.items === undefined) {
      result.items = {};
      this.#note({ pointer, kind: "added", keyword: "items", message: "Items of any kind were allowed." });
    }
    return result;
  }

  /** Drops `maxContains` and `unevaluated…` keywords if any other demand was dropped since. */
  #withoutRest(schema: JsonObject, pointer: string, before: number): JsonObject {
    const found = REST_KEYWORDS.filter((keyword) => schema[keyword] !== undefined);
    if (found.length === 0 || this.#report.weakened === before) return schema;
    const { maxContains: _, unevaluatedItems: __, unevaluatedProperties: ___, ...rest } = schema;
    for (const keyword of found)
      this.#remove(pointer, keyword, `\`${keyword}\` was removed because a keyword beside it was lost.`);
    return rest;
  }

  #fitText(schema: JsonObject, remove: (keyword: string, message: string) => void): void {
    const { formats, plainPatterns } = this.#rules;
    if (typeof schema.format === "string" && !isTaken(schema.format, schema.type, formats))
      remove("format", `The format ${shown(schema.format)} is not supported.`);
    if (plainPatterns) dropPatterns(schema, remove);
  }

  #remove(pointer: string, keyword: string | undefined, message: string): void {
    this.#note({ pointer, kind: "removed", keyword, message });
  }

  #note(change: SchemaChange): void {
    this.#report.add(change);
  }
}

const REST_KEYWORDS = ["maxContains", "unevaluatedItems", "unevaluatedProperties"];
/** Combinations that are rewritten before unsupported keywords are dropped, so their parts are fitted too. */
const COMBINED = new Set(["allOf", "oneOf"]);

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 128));
}

/** Says in the description what a demand means whose keyword the provider does not take. */
function tellDemands(schema: JsonObject, { keywords, formats }: ProfileRules): void {
  const isLost = (keyword: string) => keywords?.has(keyword) === false && schema[keyword] !== undefined;
  const { exclusiveMinimum, exclusiveMaximum, multipleOf, uniqueItems, format, default: byDefault } = schema;
  const isWhole = schema.type === "integer";
  const notes: string[] = [];
  if (isLost("exclusiveMinimum")) {
    if (isWhole && Number.isInteger(exclusiveMinimum)) schema.minimum ??= Number(exclusiveMinimum) + 1;
    else notes.push(`More than ${String(exclusiveMinimum)}.`);
  }
  if (isLost("exclusiveMaximum")) {
    if (isWhole && Number.isInteger(exclusiveMaximum)) schema.maximum ??= Number(exclusiveMaximum) - 1;
    else notes.push(`Less than ${String(exclusiveMaximum)}.`);
  }
  if (isLost("multipleOf")) notes.push(`A multiple of ${String(multipleOf)}.`);
  if (isLost("uniqueItems") && uniqueItems === true) notes.push("No item twice.");
  if (typeof format === "string" && !isTaken(format, schema.type, formats))
    notes.push(`Format: ${format.slice(0, 64)}.`);
  const shownDefault = isLost("default") && byDefault !== null ? JSON.stringify(byDefault) : "";
  if (shownDefault !== "" && shownDefault.length <= 64) notes.push(`Default: ${shownDefault}.`);
  if (notes.length > 0) schema.description = withNote(schema.description, notes.join(" "));
}

const NUMERIC_FORMATS = new Set(["double", "float", "int32", "int64"]);

/** Whether an API takes a format beside a type: those of numbers with numbers alone. */
function isTaken(format: string, type: unknown, formats: ProfileRules["formats"]): boolean {
  if (formats === undefined) return true;
  const isNumber = type === "number" || type === "integer";
  return formats.has(format) && NUMERIC_FORMATS.has(format) === isNumber;
}

const LOOKS_AROUND = /\(\?<?[=!]|\\[1-9]|\\k</;
const NOT_TAKEN = "A pattern with lookaround or a backreference is not supported.";

/** Drops patterns with lookarounds or back-references, and the keywords that judge names that no pattern matches. */
function dropPatterns(schema: JsonObject, remove: (keyword: string, message: string) => void): void {
  if (typeof schema.pattern === "string" && LOOKS_AROUND.test(schema.pattern)) remove("pattern", NOT_TAKEN);
  if (!isRecord(schema.patternProperties)) return;
  const entries = Object.entries(schema.patternProperties);
  const kept = entries.filter(([pattern]) => !LOOKS_AROUND.test(pattern));
  if (kept.length === entries.length) return;
  remove("patternProperties", NOT_TAKEN);
  if (kept.length > 0) schema.patternProperties = Object.fromEntries(kept);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"])
    remove(keyword, "A property that matches an unsupported pattern must stay allowed.");
}
