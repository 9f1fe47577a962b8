import { isRecord, type JsonObject } from "@jackfield/mcp-core";

/**
 * What the APIs of models refuse in the schema of a tool, each rule from the text of an error in a public report or from the API's
 * documentation; docs/decisions/0032 names them. Gemini is not sent `additionalProperties`: every framework takes it away.
 */
export const API_RULES: Readonly<Record<string, (schema: unknown) => readonly string[]>> = {
  "OpenAI Responses": openAi,
  "OpenAI Chat Completions": openAi,
  xAI: openAi,
  Anthropic: anthropic,
  "Amazon Bedrock": (schema) =>
    isRecord(schema) && schema.type === "object" ? [] : ["the root is no object"],
  Gemini: (schema) => gemini(schema, false),
  "Vertex AI": (schema) => gemini(schema, true),
  Moonshot: moonshot,
};

/** What any of the APIs refuses in a schema. */
export function refusals(schema: unknown): readonly string[] {
  return Object.entries(API_RULES).flatMap(([api, rule]) => rule(schema).map((why) => `${api}: ${why}`));
}

const LOOKAROUND = /\(\?<?[=!]/;

function schemasIn(schema: unknown, path = ""): readonly (readonly [path: string, schema: JsonObject])[] {
  if (!isRecord(schema)) return [];
  const within = (keyword: string, part: unknown): ReturnType<typeof schemasIn> => {
    if (Array.isArray(part))
      return part.flatMap((item, index) => schemasIn(item, `${path}/${keyword}/${index}`));
    return schemasIn(part, `${path}/${keyword}`);
  };
  return [
    [path, schema],
    ...["properties", "$defs", "definitions", "patternProperties"].flatMap((keyword) =>
      isRecord(schema[keyword])
        ? Object.entries(schema[keyword]).flatMap(([name, part]) => within(`${keyword}/${name}`, part))
        : [],
    ),
    ...[
      "items",
      "additionalProperties",
      "not",
      "if",
      "contains",
      "anyOf",
      "oneOf",
      "allOf",
      "prefixItems",
    ].flatMap((keyword) => within(keyword, schema[keyword])),
  ];
}

function openAi(schema: unknown): readonly string[] {
  if (!isRecord(schema) || schema.type !== "object" || !isRecord(schema.properties))
    return ["the root is no object with properties"];
  const unions = ["oneOf", "anyOf", "allOf", "enum", "not"].filter(
    (keyword) => schema[keyword] !== undefined,
  );
  return [
    ...unions.map((keyword) => `${keyword} at the root`),
    ...schemasIn(schema).flatMap(([path, part]) => [
      ...([part.type].flat().includes("array") && part.items === undefined
        ? [`${path}: an array without items`]
        : []),
      ...(Array.isArray(part.items) ? [`${path}: a list in items`] : []),
      ...(typeof part.pattern === "string" && LOOKAROUND.test(part.pattern) ? [`${path}: lookaround`] : []),
      ...(isRecord(part.propertyNames) && part.propertyNames.type !== "string"
        ? [`${path}: propertyNames`]
        : []),
    ]),
  ];
}

function anthropic(schema: unknown): readonly string[] {
  if (!isRecord(schema) || schema.type !== "object") return ["the root is no object"];
  const unions = ["oneOf", "anyOf", "allOf"].filter((keyword) => schema[keyword] !== undefined);
  return [
    ...unions.map((keyword) => `${keyword} at the root`),
    ...schemasIn(schema).flatMap(([path, part]) => [
      ...Object.keys(isRecord(part.properties) ? part.properties : {})
        .filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
        .map((name) => `${path}: the name ${name}`),
      ...(Array.isArray(part.items) ? [`${path}: a list in items`] : []),
    ]),
  ];
}

const GEMINI_FIELDS = new Set([
  ...[
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
  ],
  ...[
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
  ],
  ...["title", "type"],
]);

function gemini(schema: unknown, isVertex: boolean): readonly string[] {
  return schemasIn(schema).flatMap(([path, { additionalProperties: _, ...part }]) => {
    const { type, enum: values, properties, required, format, anyOf } = part;
    const found = Object.keys(part)
      .filter((key) => !GEMINI_FIELDS.has(key))
      .map((key) => `the field ${key}`);
    if (Array.isArray(type)) found.push("several types");
    if (
      Array.isArray(values) &&
      (values.some((value) => typeof value !== "string" || value === "") || type !== "string")
    )
      found.push("enum");
    if (type === "string" && typeof format === "string" && !["enum", "date-time"].includes(format))
      found.push(`the format ${format}`);
    const names = Object.keys(isRecord(properties) ? properties : {});
    if (Array.isArray(required) && required.some((name) => !names.includes(name))) found.push("required");
    if (type === "array" && part.items === undefined) found.push("an array without items");
    if (typeof part.pattern === "string" && LOOKAROUND.test(part.pattern)) found.push("lookaround");
    if (isVertex && anyOf !== undefined && Object.keys(part).length > 1) found.push("fields beside anyOf");
    if (isVertex && anyOf === undefined && type === undefined) found.push("no type");
    return found.map((why) => `${path}: ${why}`);
  });
}

function moonshot(schema: unknown): readonly string[] {
  return schemasIn(schema).flatMap(([path, part]) => {
    const { anyOf, type, $ref } = part;
    const isTyped = (option: unknown) =>
      isRecord(option) && [option.type, option.$ref, option.anyOf].some((value) => value !== undefined);
    return [
      ...(anyOf !== undefined && type !== undefined ? [`${path}: a type beside anyOf`] : []),
      ...(Array.isArray(anyOf) && !anyOf.every(isTyped) ? [`${path}: an alternative without a type`] : []),
      ...(typeof $ref === "string" && !$ref.startsWith("#/$defs/") ? [`${path}: a reference elsewhere`] : []),
    ];
  });
}
