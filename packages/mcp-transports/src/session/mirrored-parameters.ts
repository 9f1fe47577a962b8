import type { Listing, Logger, ToolDefinition } from "@jackfield/mcp-core";

/** Marks a parameter that is repeated in a header of the request (SEP-2243). */
const MARK = "x-mcp-header";
/** Types that may be repeated. `number` may not, because a number can be written in many ways. */
const MARKABLE_TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** A field name of HTTP (RFC 9110, section 5.1). */
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Keywords whose value is data, so nothing inside is a mark. */
const DATA_KEYWORDS: readonly string[] = ["default", "const", "enum", "examples"];
/** Keywords that hold schemas by name: the names of their members are not keywords. */
const NAMED_KEYWORDS: readonly string[] = [
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
];

type Schema = { readonly [keyword: string]: unknown };

/**
 * Leaves out tools with invalid marks: a call would send headers that the server must refuse. "Clients MUST reject tool definitions
 * with an invalid `x-mcp-header`" (MCP 2026-07-28, Streamable HTTP). The others stay.
 */
export function withoutUnmirrorableTools(
  listing: Listing<"tools">,
  { server, log }: { readonly server: string; readonly log: Logger },
): Listing<"tools"> {
  const items = listing.items.filter((tool) => {
    const fault = mirrorFault(tool);
    if (fault !== undefined)
      log("warn", `A tool is left out: ${fault}. Report this to the server's developers.`, {
        server,
        tool: tool.name,
      });
    return fault === undefined;
  });
  return items.length === listing.items.length ? listing : { ...listing, items };
}

/** Whether a tool marks any parameter. */
export function hasMarks({ inputSchema }: ToolDefinition): boolean {
  return JSON.stringify(inputSchema).includes(`"${MARK}"`);
}

/** What is wrong with a tool's marks, if anything. Pure. */
export function mirrorFault(tool: ToolDefinition): string | undefined {
  if (!hasMarks(tool)) return undefined;
  const seen = new Set<string>();
  return faultIn(tool.inputSchema, { isReachable: true, isRoot: true }, seen);
}

interface Position {
  /** Only `properties` lie between the root and here, so the value can be found in the arguments. */
  readonly isReachable: boolean;
  readonly isRoot?: boolean;
}

function faultIn(schema: unknown, position: Position, seen: Set<string>): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if (Array.isArray(schema)) return firstFault(schema, { isReachable: false }, seen);
  const fault = MARK in schema ? markFault(schema as Schema, position, seen) : undefined;
  if (fault !== undefined) return fault;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === MARK || DATA_KEYWORDS.includes(keyword)) continue;
    const isReachable = position.isReachable && keyword === "properties";
    const inner = NAMED_KEYWORDS.includes(keyword)
      ? firstFault(Object.values(value ?? {}), { isReachable }, seen)
      : faultIn(value, { isReachable: false }, seen);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function firstFault(schemas: readonly unknown[], position: Position, seen: Set<string>): string | undefined {
  for (const schema of schemas) {
    const fault = faultIn(schema, position, seen);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function markFault(
  { [MARK]: name, type }: Schema,
  { isReachable, isRoot }: Position,
  seen: Set<string>,
): string | undefined {
  if (!isReachable || isRoot) return `"${MARK}" is not on a parameter`;
  if (typeof name !== "string" || !FIELD_NAME.test(name)) return `"${MARK}" does not name a header`;
  if (!MARKABLE_TYPES.includes(type))
    return `"${MARK}" marks something other than a string, an integer or a boolean`;
  if (seen.has(name.toLowerCase())) return `"${MARK}" names the same header twice`;
  seen.add(name.toLowerCase());
  return undefined;
}
