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

/** The keywords that people and models read as prose; everything else in a schema is compared with what is sent. */
const PROSE = new Set(["title", "description", "$comment"]);
const MAX_DEPTH = 64;

function cleanSchema<T>(schema: T, depth = 0): T {
  if (typeof schema !== "object" || schema === null || depth >= MAX_DEPTH) return schema;
  if (Array.isArray(schema)) {
    const items = schema.map((item: unknown) => cleanSchema(item, depth + 1));
    return items.every((item, index) => item === schema[index]) ? schema : (items as T);
  }
  const members = Object.entries(schema);
  const cleaned = members.map(([keyword, value]): [string, unknown] => [
    keyword,
    PROSE.has(keyword) && typeof value === "string"
      ? cleanText(value)
      : cleanSchema(value as unknown, depth + 1),
  ]);
  const isSame = cleaned.every(([, value], index) => value === members[index]?.[1]);
  return isSame ? schema : (Object.fromEntries(cleaned) as T);
}
