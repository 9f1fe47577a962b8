import type { ToolDefinition } from "@jackfield/mcp-core";
import { markUnparsed, SCHEMA_NAMES, type SchemaName } from "@jackfield/mcp-tools/unparsed-schema";

/** Tools as they are written: in the place of each schema stands the length of its text, and the texts are a JSON array. */
export interface OutlinedTools {
  readonly outlines: readonly object[];
  readonly schemas: string;
}

/** Takes the schemas out of tools. A number is no schema and must not be taken for a length later: it is written as `null`. */
export function outlineTools(tools: readonly ToolDefinition[]): OutlinedTools {
  const texts: string[] = [];
  const outlines = tools.map((tool) => {
    const outline: Record<string, unknown> = { ...tool };
    for (const name of SCHEMA_NAMES) {
      const schema = outline[name];
      if (typeof schema === "number") outline[name] = null;
      if (typeof schema !== "object" || schema === null || Array.isArray(schema)) continue;
      const text = JSON.stringify(schema);
      texts.push(text);
      outline[name] = text.length;
    }
    return outline;
  });
  return { outlines, schemas: `[${texts.join()}]` };
}

/** The schema of a tool. */
interface Place {
  readonly tool: object;
  readonly name: SchemaName;
}

/**
 * Puts the schemas back, so that the outlines become the tools they were made of. Only who prints a tool can tell that its
 * schemas have not been parsed yet; `unparsedText` of `@jackfield/mcp-tools` tells who wants to know. Most of a catalog is schemas, and
 * few of them are ever looked at: those of a server are parsed when one of them is, and those of frozen tools come frozen.
 *
 * @returns whether the text is one of the schemas that belong to the outlines, as far as their lengths tell
 */
export function restoreTools(outlines: readonly object[], schemas: string): boolean {
  const places: Place[] = [];
  const accessors = createAccessors(places, schemas);
  let length = "[]".length;
  for (const tool of outlines as readonly { readonly [name in SchemaName]?: unknown }[]) {
    for (const name of SCHEMA_NAMES) {
      const own = tool[name];
      if (typeof own !== "number") continue;
      length += own + (places.length === 0 ? 0 : ",".length);
      places.push({ tool, name });
      Object.defineProperty(tool, name, accessors[name]);
    }
  }
  return schemas.length === length && schemas.startsWith("[");
}

type Accessors = { readonly [name in SchemaName]: PropertyDescriptor };

/** What stands in the place of every schema until one is looked at. That all tools share it makes it cheap. */
function createAccessors(places: readonly Place[], schemas: string): Accessors {
  /** Parsed schemas of tools that somebody had frozen by then. */
  const ofFrozen = new Map<object, { [name in SchemaName]?: unknown }>();
  let isParsed = false;
  const parse = (): void => {
    if (isParsed) return;
    isParsed = true;
    const values: unknown[] = JSON.parse(schemas);
    for (const [index, { tool, name }] of places.entries()) {
      if (!Object.hasOwn(tool, name) || define(tool, name, values[index])) continue;
      ofFrozen.set(tool, { ...ofFrozen.get(tool), [name]: deepFrozen(values[index]) });
    }
  };
  const accessor = (name: SchemaName): PropertyDescriptor => ({
    enumerable: true,
    configurable: true,
    get: markUnparsed(function (this: object) {
      parse();
      return ofFrozen.get(this)?.[name] ?? Object.getOwnPropertyDescriptor(this, name)?.value;
    }, schemas),
    set(this: object, value: unknown) {
      parse();
      define(this, name, value);
    },
  });
  return { inputSchema: accessor("inputSchema"), outputSchema: accessor("outputSchema") };
}

/** Nobody may change for others what all who look at a tool share. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const name in value) deepFrozen(value[name]);
  return Object.freeze(value);
}

/** Makes a schema a property like any other. Fails if the tool is frozen. */
function define(tool: object, name: SchemaName, value: unknown): boolean {
  return Reflect.defineProperty(tool, name, { value, writable: true, enumerable: true, configurable: true });
}
