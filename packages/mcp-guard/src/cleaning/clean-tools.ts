import type { ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { SCHEMA_NAMES, unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { latePattern } from "../late-pattern.ts";
import { cleanJson, cleanText, isPlainJson, isPlainJsonText } from "./clean-text.ts";
import { holdsControlCharacter } from "./control-sequences.ts";
import { findHiddenCharacters, hiddenCharacters, pointName } from "./hidden-characters.ts";

/**
 * Removes hidden characters and terminal sequences from the descriptions and schemas of tools. Names, and values that are
 * compared with arguments, are never changed, or the server would not recognise them. Instead a tool is withheld if its *name*,
 * or that of an argument or a schema keyword, hides something, since two such names look alike to a person, or if a value in
 * its schema (`enum`, `default`, `pattern`, …) holds control characters or Unicode tags.
 */
export function cleanTools(): ToolListPolicy {
  /** Of frozen definitions, which stay as they are. The same one is judged again whenever its server lists its tools. */
  const known = new WeakMap<ToolDefinition, CleanedDefinition>();
  const cleaned = (definition: ToolDefinition): CleanedDefinition => {
    const before = known.get(definition);
    if (before !== undefined) return before;
    const now = cleanedDefinition(definition);
    if (Object.isFrozen(definition)) known.set(definition, now);
    return now;
  };
  const policy: ToolListPolicy = (tool) => {
    const hidden = nameProblem(tool.originalName);
    if (hidden !== undefined) return { blocked: `its name holds ${hidden}` };
    const result = cleaned(tool.definition);
    if ("blocked" in result) return result;
    const { definition, isPlain } = result;
    if (isPlain && tool.description === definition.description) return tool;
    const description = cleanText(tool.description);
    return definition === tool.definition && description === tool.description
      ? tool
      : { ...tool, description, definition };
  };
  return Object.assign(policy, { prepare: (definition: ToolDefinition) => void cleaned(definition) });
}

type CleanedDefinition =
  | { readonly definition: ToolDefinition; readonly isPlain: boolean }
  | { readonly blocked: string };

function cleanedDefinition(definition: ToolDefinition): CleanedDefinition {
  // Every list is judged, also during a start, and most tools have nothing to clean.
  if (isPlain(definition)) return { definition, isPlain: true };
  const problem = schemaProblem(definition.inputSchema) ?? schemaProblem(definition.outputSchema);
  return problem === undefined
    ? { definition: cleanDefinition(definition), isPlain: false }
    : { blocked: problem };
}

/** Whether a definition certainly needs no cleaning, decided without parsing schemas that a catalog left unparsed. */
function isPlain(definition: ToolDefinition): boolean {
  for (const name in definition) {
    const text = isSchemaName(name) ? unparsedText(definition, name) : undefined;
    if (text === undefined ? !isPlainMember(definition, name) : !isPlainJsonText(text)) return false;
  }
  return true;
}

function isSchemaName(name: string): name is (typeof SCHEMA_NAMES)[number] {
  return name === SCHEMA_NAMES[0] || name === SCHEMA_NAMES[1];
}

function isPlainMember(definition: ToolDefinition, name: string): boolean {
  return isPlainJson(name) && isPlainJson(definition[name as keyof ToolDefinition], 1);
}

function cleanDefinition(definition: ToolDefinition): ToolDefinition {
  const { name, inputSchema, outputSchema, _meta, ...shown } = definition;
  const cleaned = cleanJson(shown);
  const input = cleanSchema(inputSchema);
  const output = outputSchema === undefined ? undefined : cleanSchema(outputSchema);
  if (cleaned === shown && input === inputSchema && output === outputSchema) return definition;
  return {
    ...definition,
    ...cleaned,
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
  };
}

/** Cleans every string except data and names, which `schemaProblem` has checked. */
function cleanSchema<T>(schema: T, depth = 0): T {
  if (typeof schema === "string") return cleanText(schema) as T;
  return cleanMembers(schema, depth, (keyword, value) => {
    if (DATA.has(keyword) || NAMES.has(keyword)) return value;
    if (!BY_NAME.has(keyword) || typeof value === "string") return cleanSchema(value, depth + 1);
    return cleanMembers(value, depth + 1, (_name, inner) =>
      Array.isArray(inner) ? inner : cleanSchema(inner, depth + 2),
    );
  });
}

/** A copy with cleaned members, or the value itself where nothing changes. */
function cleanMembers<T>(value: T, depth: number, clean: (name: string, member: unknown) => unknown): T {
  if (typeof value !== "object" || value === null || depth >= MAX_SCHEMA_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanSchema(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  const members = Object.entries(value);
  const cleaned = members.map(([name, member]): [string, unknown] => [name, clean(name, member)]);
  const isSame = cleaned.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : (Object.fromEntries(cleaned) as T);
}

/**
 * Why a schema cannot be cleaned, if it cannot: the name of an argument or a keyword holds an invisible character; a value
 * holds control characters, Unicode tags or supplementary variation selectors, which only serve to hide text; or the schema is
 * nested too deeply to check.
 */
function schemaProblem(schema: unknown, depth = 0): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if (depth >= MAX_SCHEMA_DEPTH) return depthProblem(schema);
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return everyText(value, depth + 1, valueProblem);
    if (NAMES.has(keyword)) return everyText(value, depth + 1, argumentProblem);
    const hidden = nameProblem(keyword);
    if (hidden !== undefined) return `the name of a keyword holds ${hidden}`;
    if (!BY_NAME.has(keyword) || typeof value !== "object" || value === null)
      return schemaProblem(value, depth + 1);
    return firstProblem(Object.entries(value), ([name, inner]) => {
      const problem = argumentProblem(name);
      if (problem !== undefined) return problem;
      return Array.isArray(inner)
        ? everyText(inner, depth + 2, argumentProblem)
        : schemaProblem(inner, depth + 2);
    });
  });
}

function argumentProblem(name: string): string | undefined {
  const hidden = nameProblem(name);
  return hidden && `the name of an argument holds ${hidden}`;
}

/** Unicode tags begin here, supplementary variation selectors follow. Other hidden characters may be honest typing errors. */
const FIRST_TAG = 0xe0000;

function valueProblem(text: string): string | undefined {
  if (holdsControlCharacter(text)) return "a value of an argument holds control characters";
  for (const { codePoint } of hiddenCharacters(text)) {
    if (codePoint >= FIRST_TAG)
      return `a value of an argument holds the invisible character ${pointName(codePoint)}`;
  }
  return undefined;
}

/** The first problem of all texts in a value, names of members included. */
function everyText(
  value: unknown,
  depth: number,
  problemOf: (text: string) => string | undefined,
): string | undefined {
  if (typeof value === "string") return problemOf(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_SCHEMA_DEPTH) return depthProblem(value);
  return firstProblem(Object.entries(value).flat(), (part) => everyText(part, depth + 1, problemOf));
}

/** A value that is nested too deeply to check is accepted only if its JSON is certainly plain. */
function depthProblem(value: object): string | undefined {
  try {
    if (isPlainJsonText(JSON.stringify(value))) return undefined;
  } catch {
    // It is nested too deeply to be written as JSON.
  }
  return "its schema is nested too deeply";
}

function firstProblem<T>(
  parts: readonly T[],
  problemOf: (part: T) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Keywords whose values are compared with arguments, or used as one, and so must not be changed. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "pattern"]);

/** Keywords that hold nothing but names of arguments. */
const NAMES: ReadonlySet<string> = new Set(["required", "dependentRequired"]);

/** Keywords that hold schemas by name; such a name may equal a keyword. A list in place of a schema holds names. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** The deepest nesting that is followed. */
const MAX_SCHEMA_DEPTH = 64;

const PLAIN_NAME = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters that are legitimate in a text, but not in a name. */
const inTextsOnly = latePattern(
  String.raw`[\u00ad\ufeff\u{e0000}-\u{e007f}\p{Bidi_Control}\p{Variation_Selector}]`,
  "u",
);

/**
 * Describes an invisible character in a name, if it holds one. Names are never cleaned: the server would not recognise the tool
 * or the argument, and two names could become the same.
 */
function nameProblem(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  if (CONTROL.test(name)) return "control characters";
  const [hidden] = findHiddenCharacters(name);
  if (hidden !== undefined) return `the invisible character ${hidden.codePoint}`;
  return inTextsOnly().test(name) ? "an invisible character" : undefined;
}
