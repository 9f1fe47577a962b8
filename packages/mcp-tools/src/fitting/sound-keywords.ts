import type { JsonObject } from "@jackfield/mcp-core";
import {
  isObject,
  isSchema,
  isTypeName,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from "../schema/subschemas.ts";
import type { ChangeReport } from "./schema-change.ts";

/** What of a keyword's value may stand there; the value itself if it is right, `undefined` if nothing may. */
type Form = (value: unknown) => unknown;

/**
 * Gives schemas without what no schema may say: a provider refuses a whole request for one such keyword in one tool. The check of
 * arguments takes no demand from them either, so nothing becomes stricter. Schemas are looked at in the words of 2020-12.
 */
export function createKeywordCheck(
  report: ChangeReport,
): (schema: JsonObject, pointer: string) => JsonObject {
  // A schema that is inlined in many places may hold a long list, which is read once.
  const known = new Map<object, unknown>();
  const soundValue = (keyword: string, value: unknown): unknown => {
    const form = FORMS.get(keyword);
    if (form === undefined || value === undefined) return value;
    if (!LONG.has(form) || typeof value !== "object" || value === null) return form(value);
    if (!known.has(value)) known.set(value, form(value));
    return known.get(value);
  };
  return (schema, pointer) => {
    const result: JsonObject = { ...schema };
    let isSound = true;
    const put = (keyword: string, value: unknown, message: string, isLost = true) => {
      isSound = false;
      if (value === undefined) delete result[keyword];
      else Object.assign(result, { [keyword]: value });
      report.add({ pointer, kind: isLost ? "removed" : "rewritten", keyword, message });
    };
    for (const [keyword, value] of Object.entries(schema)) {
      const sound = soundValue(keyword, value);
      if (sound === value) continue;
      if (sound === undefined) put(keyword, sound, `The value of \`${keyword}\` is none that it may have.`);
      else put(keyword, sound, `\`${keyword}\` kept what it may hold, once each.`, hasLost(value, sound));
    }
    // Without its own number `contains` demands one item, which is more than a number that nobody understands.
    const isUncounted = schema.minContains !== undefined && result.minContains === undefined;
    if (isUncounted && result.contains !== undefined)
      put("contains", undefined, "How many items `contains` demands is not told.");
    return isSound ? schema : result;
  };
}

/** Whether anything is missing but what stood there twice. */
function hasLost(value: unknown, sound: unknown): boolean {
  return !Array.isArray(value) || !Array.isArray(sound) || new Set(value).size > sound.length;
}

function when(isRight: (value: unknown) => boolean): Form {
  return (value) => (isRight(value) ? value : undefined);
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

const typeNames: Form = (type) => {
  if (!Array.isArray(type)) return isTypeName(type) ? type : undefined;
  const kept = new Set(type.filter(isTypeName));
  if (kept.size === 0) return undefined;
  return kept.size === type.length ? type : [...kept];
};

const names: Form = (list) => {
  if (!Array.isArray(list)) return undefined;
  const kept = new Set(list.filter(isText));
  return kept.size === list.length ? list : [...kept];
};

const namesByName: Form = (lists) => {
  if (!isObject(lists)) return undefined;
  const entries = Object.entries(lists).map(([name, list]) => [name, names(list)] as const);
  if (entries.every(([name, list]) => list === lists[name])) return lists;
  return Object.fromEntries(entries.filter(([, list]) => list !== undefined));
};

/** Those that look at each of many values. */
const LONG: ReadonlySet<Form> = new Set([typeNames, names, namesByName]);

const FORMS: ReadonlyMap<string, Form> = new Map(
  (
    [
      [typeNames, ["type"]],
      [names, ["required"]],
      [namesByName, ["dependentRequired"]],
      // Its older form was rewritten before.
      [() => undefined, ["dependencies"]],
      [when(isSchema), [...SCHEMA_KEYWORDS, "contentSchema"]],
      [when(isObject), [...SCHEMA_MAP_KEYWORDS].filter((keyword) => keyword !== "dependencies")],
      [when((value) => Array.isArray(value) && value.length > 0), ["allOf", "anyOf", "oneOf", "prefixItems"]],
      [when(Array.isArray), ["enum", "examples"]],
      [
        when(isText),
        [
          ...["$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema"],
          ...["contentEncoding", "contentMediaType", "description", "format", "pattern", "title"],
        ],
      ],
      [when((value) => typeof value === "boolean"), ["deprecated", "readOnly", "uniqueItems", "writeOnly"]],
      [when(Number.isFinite), ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"]],
      [when((value) => Number.isFinite(value) && (value as number) > 0), ["multipleOf"]],
      [
        when(isCount),
        ["Contains", "Items", "Length", "Properties"].flatMap((what) => [`max${what}`, `min${what}`]),
      ],
    ] satisfies [Form, string[]][]
  ).flatMap(([form, keywords]) => keywords.map((keyword): [string, Form] => [keyword, form])),
);
