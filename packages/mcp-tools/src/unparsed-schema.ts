/** The members of a tool that hold a schema. */
export const SCHEMA_NAMES = ["inputSchema", "outputSchema"] as const;

/** The name of such a member. */
export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The source that a tool's schemas are parsed from when they are first read. */
export interface UnparsedSchemas {
  /** The JSON text of one schema, as `JSON.stringify` writes it. */
  textOf(name: SchemaName): string;
}

/** A registered symbol, so that different copies of this package recognise each other's marks. */
const SCHEMAS = Symbol.for("jackfield.unparsedSchemas");

/**
 * Marks a tool whose schemas are getters until one is read, such as a catalog's, so that code that judges every tool at start
 * need not parse them all. A copy of the tool does not have the mark.
 *
 * @param tool - if it is frozen, its getters must give deeply frozen schemas
 * @returns the tool
 */
export function markUnparsed<T extends object>(tool: T, schemas: UnparsedSchemas): T {
  return Object.defineProperty(tool, SCHEMAS, { value: schemas });
}

/** The source that a tool was marked with, if any. */
export function unparsedSchemas(tool: object): UnparsedSchemas | undefined {
  return (tool as { readonly [SCHEMAS]?: UnparsedSchemas })[SCHEMAS];
}

/** The text that a tool's schema will be parsed from; `undefined` if there is none or the schema has been parsed, as most have. */
export function unparsedText(tool: object, name: SchemaName): string | undefined {
  const schemas = unparsedSchemas(tool);
  if (schemas === undefined || Object.getOwnPropertyDescriptor(tool, name)?.get === undefined)
    return undefined;
  return schemas.textOf(name);
}
