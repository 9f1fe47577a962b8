import { isRecord, type JsonObject, type JsonValue } from "@jackfield/mcp-core";
import type { ChangeReport } from "./schema-change.ts";
import { isSchema, isTypeName, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "./subschemas.ts";

const TEXT_NOTES = [
  ...["$anchor", "$comment", "$dynamicAnchor", "$id", "$schema"],
  ...["contentEncoding", "contentMediaType", "description", "format", "title"],
];
const FLAG_NOTES = ["deprecated", "readOnly", "writeOnly"];

/** Keywords that demand nothing of a value, such as annotations. */
const NOTE_KEYWORDS: ReadonlySet<string> = new Set([
  ...[...TEXT_NOTES, ...FLAG_NOTES],
  ...["$defs", "contentSchema", "default", "definitions", "examples"],
]);

/** The valid part of a keyword's value: the value itself if it is right, `undefined` if nothing is. */
type Form = (value: unknown) => unknown;

/**
 * Removes malformed keywords from schemas: a provider refuses a whole request for one of them in one tool. Validation reads
 * schemas without them too, so nothing becomes stricter. Expects schemas in the keywords of 2020-12.
 */
export function createKeywordCheck(
  report: Pick<ChangeReport, "add">,
): (schema: JsonObject, pointer: string) => JsonObject {
  // A schema that is inlined in many places may hold a long list, which is read once.
  const known = new Map<object, unknown>();
  const soundValue = (keyword: string, value: unknown): unknown => {
    const form = FORMS.get(keyword);
    if (form === undefined) return value;
    if (!LONG.has(form) || typeof value !== "object" || value === null) return form(value);
    if (!known.has(value)) known.set(value, form(value));
    return known.get(value);
  };
  return (schema, pointer) => {
    const result: JsonObject = { ...schema };
    const put = (keyword: string, value: unknown, message: string, isLost: boolean) => {
      if (value === undefined) delete result[keyword];
      else result[keyword] = value as JsonValue;
      report.add({ pointer, kind: isLost ? "removed" : "rewritten", keyword, message });
    };
    for (const [keyword, value] of Object.entries(schema)) {
      const sound = soundValue(keyword, value);
      if (sound === value) continue;
      const isLost = !NOTE_KEYWORDS.has(keyword) && !isMissing(keyword, value) && hasLost(value, sound);
      put(keyword, sound, `Invalid values of \`${keyword}\` were removed.`, isLost);
    }
    // Without `minContains`, `contains` demands one item, which may be more than the malformed number meant.
    const isUncounted = !isMissing("minContains", schema.minContains) && result.minContains === undefined;
    if (isUncounted && result.contains !== undefined)
      put("contains", undefined, "The number of items that `contains` requires is invalid.", true);
    return result;
  };
}

/** Programs write `null` for a missing value. For `type`, it may mean the type of that name. */
function isMissing(keyword: string, value: unknown): boolean {
  return value === undefined || (value === null && keyword !== "type");
}

/** Whether anything but duplicates was lost. */
function hasLost(value: unknown, sound: unknown): boolean {
  return !Array.isArray(value) || !Array.isArray(sound) || new Set(value).size > sound.length;
}

function when(isRight: (value: unknown) => boolean): Form {
  return (value) => (isRight(value) ? value : undefined);
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

const typeNames: Form = (type) => {
  // An unknown type may stand for any: dropping only that name would demand more than the server does.
  const types = new Set([type].flat());
  if (types.size === 0 || ![...types].every(isTypeName)) return undefined;
  return Array.isArray(type) && types.size < type.length ? [...types] : type;
};

const names: Form = (list) => {
  if (!Array.isArray(list)) return undefined;
  const kept = new Set(list.filter(isText));
  return kept.size === list.length ? list : [...kept];
};

const namesByName: Form = (lists) => {
  if (!isRecord(lists)) return undefined;
  const entries = Object.entries(lists).map(([name, list]) => [name, names(list)] as const);
  if (entries.every(([name, list]) => list === lists[name])) return lists;
  return Object.fromEntries(entries.filter(([, list]) => list !== undefined));
};

/** Forms that read many values each, so their results are cached. */
const LONG: ReadonlySet<Form> = new Set([typeNames, names, namesByName]);

const FORMS: ReadonlyMap<string, Form> = new Map(
  (
    [
      [typeNames, ["type"]],
      [names, ["required"]],
      [namesByName, ["dependentRequired"]],
      // Well-formed `dependencies` were rewritten before.
      [() => undefined, ["dependencies"]],
      [when(isSchema), [...SCHEMA_KEYWORDS]],
      [when(isRecord), [...SCHEMA_MAP_KEYWORDS].filter((keyword) => keyword !== "dependencies")],
      [when((value) => Array.isArray(value) && value.length > 0), ["allOf", "anyOf", "oneOf", "prefixItems"]],
      [when(Array.isArray), ["enum", "examples"]],
      [when(isText), ["$dynamicRef", "$ref", "pattern", ...TEXT_NOTES]],
      [when((value) => typeof value === "boolean"), ["uniqueItems", ...FLAG_NOTES]],
      [when(Number.isFinite), ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"]],
      [when((value) => Number.isFinite(value) && (value as number) > 0), ["multipleOf"]],
      [
        when(isCount),
        ["Contains", "Items", "Length", "Properties"].flatMap((what) => [`max${what}`, `min${what}`]),
      ],
    ] satisfies [Form, string[]][]
  ).flatMap(([form, keywords]) => keywords.map((keyword): [string, Form] => [keyword, form])),
);
