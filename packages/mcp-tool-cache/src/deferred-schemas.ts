import { isRecord, type ToolDefinition } from "@jackfield/mcp-core";
import {
  markUnparsed,
  SCHEMA_NAMES,
  type SchemaName,
  type UnparsedSchemas,
  unparsedSchemas,
} from "@jackfield/mcp-tools/unparsed-schema";

/** Tools as stored: each schema is replaced by the length of its text, and the texts are joined to a JSON array. */
export interface OutlinedTools {
  readonly outlines: readonly object[];
  readonly schemas: string;
}

/** Takes the schemas out of tools. A number in place of a schema is written as `null`, so that it is not taken for a length later. */
export function outlineTools(tools: readonly ToolDefinition[]): OutlinedTools {
  const texts: string[] = [];
  const outlines = tools.map((tool) => {
    const outline: Record<string, unknown> = { ...tool };
    for (const name of SCHEMA_NAMES) {
      const schema = outline[name];
      if (typeof schema === "number") outline[name] = null;
      if (!isRecord(schema)) continue;
      const text = JSON.stringify(schema);
      texts.push(text);
      outline[name] = text.length;
    }
    return outline;
  });
  return { outlines, schemas: `[${texts.join()}]` };
}

/**
 * Replaces each outline with the tool it was made of. Most of a catalog is schemas, and few of them are ever read. So each schema
 * is a getter, and the first read of one parses all schemas of that server; those of frozen tools are frozen too. Only printing a
 * tool, or `unparsedText` of `@jackfield/mcp-tools`, shows that its schemas are not parsed yet.
 *
 * @returns whether the text matches the outlines, judged by its length
 */
export function restoreTools(outlines: object[], schemas: string): boolean {
  const source = new DeferredSchemas(schemas);
  let length = "[]".length;
  // There may be ten thousand tools, so nothing is allocated but the tools themselves.
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
 * Copies the members in their order, which a tool's bytes depend on. Replacing an existing member with a getter would make the
 * engine keep each tool in a hash table of its own, which takes five times the memory.
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

/** The schemas of one server's tools, not parsed until one of them is read. */
class DeferredSchemas implements UnparsedSchemas {
  readonly text: string;
  readonly #places: { readonly tool: object; readonly name: SchemaName }[] = [];
  /** The parsed schemas of tools that were frozen before parsing. */
  readonly #ofFrozen = new Map<object, { [name in SchemaName]?: unknown }>();
  #isParsed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Assigns the next schema of the text to a tool. */
  add(tool: object, name: SchemaName): void {
    this.#places.push({ tool, name });
  }

  /** Parses all schemas of the server and makes them ordinary members. */
  parse(): void {
    if (this.#isParsed) return;
    this.#isParsed = true;
    const values: unknown[] = JSON.parse(this.text);
    for (const [index, { tool, name }] of this.#places.entries()) {
      if (!Object.hasOwn(tool, name) || define(tool, name, values[index])) continue;
      this.#ofFrozen.set(tool, { ...this.#ofFrozen.get(tool), [name]: deepFrozen(values[index]) });
    }
  }

  /** The value of a getter: the ordinary member that has replaced it, or the parsed schema of a frozen tool. */
  read(tool: object, name: SchemaName): unknown {
    this.parse();
    return this.#ofFrozen.get(tool)?.[name] ?? Object.getOwnPropertyDescriptor(tool, name)?.value;
  }
}

/** The getters in place of unread schemas. All tools share them, which makes them cheap. */
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

/** Freezes a value deeply, because all readers of a frozen tool share its schemas. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const name in value) deepFrozen(value[name]);
  return Object.freeze(value);
}

/** Makes a schema an ordinary property. Returns `false` if the tool is frozen. */
function define(tool: object, name: SchemaName, value: unknown): boolean {
  return Reflect.defineProperty(tool, name, { value, writable: true, enumerable: true, configurable: true });
}
