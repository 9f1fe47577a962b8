import { createTimeSlices, deepFreeze, isRecord, type ToolDefinition } from "@jackfield/mcp-core";
import {
  markUnparsed,
  SCHEMA_NAMES,
  type SchemaName,
  type UnparsedSchemas,
  unparsedSchemas,
  unparsedText,
} from "@jackfield/mcp-tools/unparsed-schema";

/** The clock is asked after so many tools. */
const TOOLS_A_LOOK = 32;

/** A longer list begins in a turn of its own. */
const SHORT_LIST = 200;

/** Tools as stored, as the items of two JSON arrays: each schema is replaced by the length of its text, and the texts stand apart. */
export interface OutlinedTools {
  readonly outlines: readonly string[];
  readonly schemas: readonly string[];
}

/**
 * Takes the schemas out of tools, in slices of time. A number in place of a schema is written as `null`, so that it is not taken for a
 * length later.
 */
export async function outlineTools(tools: readonly ToolDefinition[]): Promise<OutlinedTools> {
  const texts: string[] = [];
  const outlines: string[] = [];
  const slices = createTimeSlices();
  if (tools.length > SHORT_LIST) await slices.next();
  for (const [index, tool] of tools.entries()) {
    const outline: Record<string, unknown> = {};
    for (const name of Object.keys(tool) as (keyof ToolDefinition)[]) {
      const text = isSchemaName(name) ? schemaText(tool, name) : undefined;
      if (text !== undefined) texts.push(text);
      const value = text === undefined ? tool[name] : text.length;
      const written = text === undefined && isSchemaName(name) && typeof value === "number" ? null : value;
      if ((name as string) === "__proto__")
        Object.defineProperty(outline, name, { ...MEMBER, value: written });
      else outline[name] = written;
    }
    outlines.push(JSON.stringify(outline));
    if (index % TOOLS_A_LOOK === TOOLS_A_LOOK - 1 && slices.isOver()) await slices.next();
  }
  return { outlines, schemas: texts };
}

function schemaText(tool: ToolDefinition, name: SchemaName): string | undefined {
  const unparsed = unparsedText(tool, name); // As it was written before, it is neither parsed nor written again.
  if (unparsed !== undefined) return unparsed;
  const schema: unknown = tool[name];
  return isRecord(schema) ? JSON.stringify(schema) : undefined;
}

function isSchemaName(name: string): name is SchemaName {
  return name === SCHEMA_NAMES[0] || name === SCHEMA_NAMES[1];
}

/**
 * Replaces each outline with the tool it was made of, in slices of time. Most of a catalog is schemas, and few of them are ever read. So
 * each schema is a getter, which parses it when it is first read; those of frozen tools are frozen too. Only printing a tool, or
 * `unparsedText` of `@jackfield/mcp-tools`, shows that a schema is not parsed yet.
 *
 * @returns whether the text matches the outlines, judged by where each schema begins and ends
 */
export async function restoreTools(outlines: object[], schemas: string): Promise<boolean> {
  const slices = createTimeSlices();
  if (outlines.length > SHORT_LIST) await slices.next();
  let at = "[".length;
  // There may be ten thousand tools, so nothing is allocated but the tools themselves, and where their schemas are.
  for (let index = 0; index < outlines.length; index += 1) {
    const outline = outlines[index] as { readonly [name in SchemaName]?: unknown };
    if (typeof outline.inputSchema === "number" || typeof outline.outputSchema === "number") {
      const source = new DeferredSchemas(schemas);
      outlines[index] = restoredTool(outline, source, at);
      if (source.end === undefined) return false;
      at = source.end;
    }
    if (index % TOOLS_A_LOOK === TOOLS_A_LOOK - 1 && slices.isOver()) await slices.next();
  }
  return schemas.length === Math.max("[]".length, at) && schemas.startsWith("[");
}

/**
 * Copies the members in their order, which a tool's bytes depend on. Replacing an existing member with a getter would make the
 * engine keep each tool in a hash table of its own, which takes five times the memory.
 */
function restoredTool(outline: object, source: DeferredSchemas, from: number): object {
  let at = from;
  const tool: Record<string, unknown> = {};
  for (const name in outline) {
    const value: unknown = outline[name as keyof typeof outline];
    const getter = typeof value === "number" ? GETTERS.get(name) : undefined;
    if (getter !== undefined) {
      at = source.add(name as SchemaName, at, value as number);
      Object.defineProperty(tool, name, getter);
    } else if (name === "__proto__") {
      Object.defineProperty(tool, name, { ...MEMBER, value });
    } else {
      tool[name] = value;
    }
  }
  return markUnparsed(tool, source);
}

/** The schemas of one tool, neither of which is parsed until it is read. */
class DeferredSchemas implements UnparsedSchemas {
  /** The schemas of all tools of the server. */
  readonly #all: string;
  /** Where the schemas of the next tool begin; `undefined` if those of this one are not where they should be. */
  end: number | undefined;
  /** Where each schema begins and ends. */
  #input = 0;
  #inputEnd = 0;
  #output = 0;
  #outputEnd = 0;
  /** The parsed schemas of a tool that was frozen before parsing. */
  #frozen: { [name in SchemaName]?: unknown } | undefined;

  constructor(all: string) {
    this.#all = all;
  }

  /** Assigns the next schema of the text. @returns where the one after it begins */
  add(name: SchemaName, at: number, length: number): number {
    const next = at + length + ",".length;
    const isWhole = Number.isSafeInteger(length) && this.#all[at] === "{" && this.#all[next - 2] === "}";
    const isEnded = this.#all[next - 1] === "," || (this.#all[next - 1] === "]" && next === this.#all.length);
    this.end = isWhole && isEnded ? next : undefined;
    if (name === "inputSchema") {
      this.#input = at;
      this.#inputEnd = at + length;
    } else {
      this.#output = at;
      this.#outputEnd = at + length;
    }
    return this.end ?? Number.NaN;
  }

  textOf(name: SchemaName): string {
    return name === "inputSchema"
      ? this.#all.slice(this.#input, this.#inputEnd)
      : this.#all.slice(this.#output, this.#outputEnd);
  }

  /** The value of a getter: an ordinary member replaces it, except in a frozen tool. */
  read(tool: object, name: SchemaName): unknown {
    const known = this.#frozen?.[name];
    if (known !== undefined) return known;
    const schema: unknown = JSON.parse(this.textOf(name));
    if (define(tool, name, schema)) return schema;
    // All readers of a frozen tool share its schemas.
    this.#frozen = { ...this.#frozen, [name]: deepFreeze(schema) };
    return schema;
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
        define(this, name, value);
      },
    },
  ]),
);

function sourceOf(tool: object): DeferredSchemas | undefined {
  return unparsedSchemas(tool) as DeferredSchemas | undefined;
}

/** Makes a schema an ordinary property. Returns `false` if the tool is frozen. */
function define(tool: object, name: SchemaName, value: unknown): boolean {
  return Reflect.defineProperty(tool, name, { ...MEMBER, value });
}

/** What an ordinary member is. */
const MEMBER = { writable: true, enumerable: true, configurable: true };
