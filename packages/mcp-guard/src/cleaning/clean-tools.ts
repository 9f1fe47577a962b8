import type { ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { cleanJson, cleanText } from "./clean-text.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

/**
 * Offers every tool with a description and schemas in which nothing is hidden and nothing can reach a terminal. A tool
 * whose *name* hides something is not offered at all: two such names look alike to a person. The name on the wire and the
 * names of arguments in the schema are never changed, or the server would not know them.
 */
export function cleanTools(): ToolListPolicy {
  return (tool) => {
    const reason = nameProblem(tool.originalName);
    if (reason !== undefined) return { blocked: reason };
    const definition = cleanDefinition(tool.definition);
    const description = cleanText(tool.description);
    return definition === tool.definition && description === tool.description
      ? tool
      : { ...tool, description, definition };
  };
}

function nameProblem(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return "its name holds control characters";
  const [hidden] = findHiddenCharacters(name);
  return hidden === undefined ? undefined : `its name holds the invisible character ${hidden.codePoint}`;
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

/** The keywords that people and models read as prose. */
const PROSE = new Set(["title", "description", "$comment"]);
/** What is compared with arguments, or is one: a changed value would be another value. */
const DATA = new Set(["const", "enum", "default", "examples", "pattern"]);
/** Their members are schemas by name, and a name may be that of a keyword. */
const BY_NAME = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const MAX_DEPTH = 64;

function cleanSchema<T>(schema: T, depth = 0): T {
  return cleanMembers(schema, depth, (keyword, value) => {
    if (PROSE.has(keyword) && typeof value === "string") return cleanText(value);
    if (DATA.has(keyword)) return value;
    if (!BY_NAME.has(keyword)) return cleanSchema(value, depth + 1);
    return cleanMembers(value, depth + 1, (_name, inner) => cleanSchema(inner, depth + 2));
  });
}

/** A copy with cleaned members, or the value itself where nothing changes. */
function cleanMembers<T>(value: T, depth: number, clean: (name: string, member: unknown) => unknown): T {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanSchema(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  const members = Object.entries(value);
  const cleaned = members.map(([name, member]): [string, unknown] => [name, clean(name, member)]);
  const isSame = cleaned.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : (Object.fromEntries(cleaned) as T);
}
