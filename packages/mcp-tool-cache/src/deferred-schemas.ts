import type { ToolDefinition } from "@jackfield/mcp-core";
import {
  markUnparsed,
  SCHEMA_NAMES,
  type SchemaName,
  type UnparsedSchemas,
  unparsedSchemas,
} from "@jackfield/mcp-tools/unparsed-schema";

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

/**
 * Puts the schemas back: in the place of each outline stands then the tool it was made of. Only who prints a tool can tell that its
 * schemas have not been parsed yet; `unparsedText` of `@jackfield/mcp-tools` tells who wants to know. Most of a catalog is schemas, and
 * few of them are ever looked at: those of a server are parsed when one of them is, and those of frozen tools come frozen.
 *
 * @returns whether the text is one of the schemas that belong to the outlines, as far as their lengths tell
 */
export function restoreTools(outlines: object[], schemas: string): boolean {
  const source = new DeferredSchemas(schemas);
  let length = "[]".length;
  // There may be ten thousand of them: nothing is made for a tool but the tool.
  for (let index = 0; index < outlines.length; index += 1) {
    const outline = outlines[index] as { readonly [name in SchemaName]?: unknown };
    const before = length;
    for (const name of SCHEMA_NAMES) {
      const size = outline[name];
      if (typeof size === "number") length += size + ",".length;
    }
    if (length > before) outlines[index] = restoredTool(outline, source);
  }
  return schemas.length === Math.max("[]".length, length - ",".length) && schemas.startsWith("[");
}

/**
 * The members in their order, which the bytes of a tool depend on. A getter in the place of a member that was there would make the
 * engine keep each tool in a table of its own, which takes five times the memory.
 */
function restoredTool(outline: object, source: DeferredSchemas): object {
  const tool: Record<string, unknown> = {};
  for (const name in outline) {
    const value: unknown = outline[name as keyof typeof outline];
    const getter = typeof value === "number" ? GETTERS.get(name) : undefined;
    if (getter !== undefined) {
      source.add(tool, name as SchemaName);
      Object.defineProperty(tool, name, getter);
    } else if (name === "__proto__") {
      Object.defineProperty(tool, name, { value, writable: true, enumerable: true, configurable: true });
    } else {
      tool[name] = value;
    }
  }
  return markUnparsed(tool, source);
}

/** The schemas of one server's tools, until one of them is looked at. */
class DeferredSchemas implements UnparsedSchemas {
  readonly text: string;
  readonly #places: { readonly tool: object; readonly name: SchemaName }[] = [];
  /** Parsed schemas of tools that somebody had frozen by then. */
  readonly #ofFrozen = new Map<object, { [name in SchemaName]?: unknown }>();
  #isParsed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The next schema of the text is this one. */
  add(tool: object, name: SchemaName): void {
    this.#places.push({ tool, name });
  }

  /** Makes ordinary members of all schemas of the server. */
  parse(): void {
    if (this.#isParsed) return;
    this.#isParsed = true;
    const values: unknown[] = JSON.parse(this.text);
    for (const [index, { tool, name }] of this.#places.entries()) {
      if (!Object.hasOwn(tool, name) || define(tool, name, values[index])) continue;
      this.#ofFrozen.set(tool, { ...this.#ofFrozen.get(tool), [name]: deepFrozen(values[index]) });
    }
  }

  /** What a getter gives: of a tool that is not frozen, the member that has taken its place. */
  read(tool: object, name: SchemaName): unknown {
    this.parse();
    return this.#ofFrozen.get(tool)?.[name] ?? Object.getOwnPropertyDescriptor(tool, name)?.value;
  }
}

/** What stands in the place of every schema until one is looked at. That all tools share it makes it cheap. */
const GETTERS: ReadonlyMap<string, PropertyDescriptor> = new Map(
  SCHEMA_NAMES.map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: object) {
        return sourceOf(this)?.read(this, name);
      },
      set(this: object, value: unknown) {
        sourceOf(this)?.parse();
        define(this, name, value);
      },
    },
  ]),
);

function sourceOf(tool: object): DeferredSchemas | undefined {
  return unparsedSchemas(tool) as DeferredSchemas | undefined;
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
