import {
  isRecord,
  type Listing,
  type Logger,
  namesCredential,
  type ToolDefinition,
} from "@jackfield/mcp-core";

/** Marks a parameter that is repeated in a header of the request (SEP-2243). */
const MARK = "x-mcp-header";
const PREFIX = "mcp-param-";
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

/** A marked parameter: where it stands in the arguments, and its header. */
interface Marked {
  readonly path: readonly string[];
  readonly header: string;
}

/** The marks of a tool, or what is wrong with them. */
interface Marks {
  readonly marked: readonly Marked[];
  readonly fault: string | undefined;
}

/** A cache, because looking for marks takes longer than the rest of a call. */
const KNOWN = new WeakMap<ToolDefinition, Marks>();

/** The headers that repeat marked arguments of a call. `undefined`: its tool marks none. */
export function mirroredArguments(
  tool: ToolDefinition,
  args: unknown,
): { readonly [name: string]: string } | undefined {
  const { marked } = marksOf(tool);
  if (marked.length === 0) return undefined;
  return Object.fromEntries(
    marked.flatMap(({ path, header }) => {
      const value = textOf(valueAt(args, path));
      return value === undefined ? [] : [[PREFIX + header.toLowerCase(), value] as const];
    }),
  );
}

/**
 * Leaves out tools with invalid marks: a call would send headers that the server must refuse. "Clients MUST reject tool definitions
 * with an invalid `x-mcp-header`" (MCP 2026-07-28, Streamable HTTP). The others stay.
 */
export function withoutUnmirrorableTools(listing: Listing<"tools">, log: Logger): Listing<"tools"> {
  const items = listing.items.filter((tool) => {
    const { fault } = marksOf(tool);
    if (fault !== undefined)
      log("warn", `A tool is left out: ${fault}. Report this to the server's developers.`, {
        tool: tool.name,
      });
    return fault === undefined;
  });
  return items.length === listing.items.length ? listing : { ...listing, items };
}

function marksOf(tool: ToolDefinition): Marks {
  const known = KNOWN.get(tool);
  if (known) return known;
  const marked: Marked[] = [];
  const isMarked = JSON.stringify(tool.inputSchema).includes(`"${MARK}"`);
  const fault = isMarked ? faultIn(tool.inputSchema, [], marked) : undefined;
  const marks = { marked, fault };
  KNOWN.set(tool, marks);
  return marks;
}

/** @param path - of the value in the arguments; `undefined` where it cannot be found, since more than `properties` lead there */
function faultIn(schema: unknown, path: readonly string[] | undefined, marked: Marked[]): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  let fault = isRecord(schema) && MARK in schema ? markFault(schema, path, marked) : undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === MARK || DATA_KEYWORDS.includes(keyword)) continue;
    if (!NAMED_KEYWORDS.includes(keyword)) fault ??= faultIn(value, undefined, marked);
    else if (isRecord(value))
      for (const [name, inner] of Object.entries(value))
        fault ??= faultIn(inner, keyword === "properties" ? path && [...path, name] : undefined, marked);
  }
  return fault;
}

function markFault(
  { [MARK]: header, type }: { readonly [keyword: string]: unknown },
  path: readonly string[] | undefined,
  marked: Marked[],
): string | undefined {
  if (path === undefined || path.length === 0) return `"${MARK}" is not on a parameter`;
  if (typeof header !== "string" || !FIELD_NAME.test(header)) return `"${MARK}" does not name a header`;
  if (!MARKABLE_TYPES.includes(type))
    return `"${MARK}" marks something other than a string, an integer or a boolean`;
  if (marked.some((other) => other.header.toLowerCase() === header.toLowerCase()))
    return `"${MARK}" names the same header twice`;
  marked.push({ path, header });
  return undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** What is not of a markable type is left out: the server compares the header with the argument. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;
}

/**
 * Warns of tools that make the client repeat in a header what looks like a secret. Proxies between client and server read and
 * log headers, so servers SHOULD NOT mark such parameters (MCP 2026-07-28, tools). The call is made all the same: the argument
 * would reach the server anyway. Each tool is named once; values are never inspected.
 */
export function createMirroredSecretWarning(log: Logger): (tool: ToolDefinition) => void {
  const known = new Set<string>();
  return (tool) => {
    if (known.has(tool.name)) return;
    known.add(tool.name);
    const parameters = findMirroredSecrets(tool);
    if (parameters.length === 0) return;
    const said =
      "Parameters of a tool that look like secrets are also sent as headers, which others may read.";
    log("warn", said, { tool: tool.name, parameters: parameters.join(", ") });
  };
}

/** The marked parameters of a tool whose name, or whose header's name, looks like a secret, as paths. Pure. */
export function findMirroredSecrets(tool: ToolDefinition): string[] {
  return marksOf(tool).marked.flatMap(({ path, header }) =>
    isTelling(path.at(-1) ?? "") || isTelling(header) ? [path.join(".")] : [],
  );
}

/** In a schema, a mere `key` names a record. */
function isTelling(name: string): boolean {
  return namesCredential(name) && !/^key$/i.test(name);
}
