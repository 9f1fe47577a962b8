import type { ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { SCHEMA_NAMES, unparsedText } from "@jackfield/mcp-tools/unparsed-schema";
import { cleanJson, cleanText, isPlainJson, isPlainJsonText } from "./clean-text.ts";
import { nameProblem } from "./name-problem.ts";
import { BY_NAME, DATA, MAX_SCHEMA_DEPTH, NAMES } from "./schema-keywords.ts";
import { schemaProblem } from "./schema-problem.ts";

/**
 * Removes hidden characters and terminal sequences from the descriptions and schemas of tools. Names, and values that are
 * compared with arguments, are never changed, or the server would not recognise them. Instead a tool is withheld if its *name*,
 * or that of an argument or a schema keyword, hides something, since two such names look alike to a person, or if a value in
 * its schema (`enum`, `default`, `pattern`, …) holds control characters or Unicode tags.
 */
export function cleanTools(): ToolListPolicy {
  const isPlain = createPlainCheck();
  return (tool) => {
    const hidden = nameProblem(tool.originalName);
    if (hidden !== undefined) return { blocked: `its name holds ${hidden}` };
    // Every list is judged, also during a start, and most tools have nothing to clean.
    if (isPlain(tool.definition) && isPlainJson(tool.description)) return tool;
    const problem = schemaProblem(tool.definition.inputSchema) ?? schemaProblem(tool.definition.outputSchema);
    if (problem !== undefined) return { blocked: problem };
    const definition = cleanDefinition(tool.definition);
    const description = cleanText(tool.description);
    return definition === tool.definition && description === tool.description
      ? tool
      : { ...tool, description, definition };
  };
}

/** Whether a tool certainly needs no cleaning, decided without parsing schemas that a catalog left unparsed. */
function createPlainCheck(): (definition: ToolDefinition) => boolean {
  /** The tools of one server come in sequence and share one schema text, so the last answer is kept. */
  let last = "";
  let lastIsPlain = true;
  const isPlainText = (text: string) => {
    if (text !== last) {
      last = text;
      lastIsPlain = isPlainJsonText(text);
    }
    return lastIsPlain;
  };
  return (definition) => {
    for (const name in definition) {
      const text = isSchemaName(name) ? unparsedText(definition, name) : undefined;
      if (text === undefined ? !isPlainMember(definition, name) : !isPlainText(text)) return false;
    }
    return true;
  };
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
