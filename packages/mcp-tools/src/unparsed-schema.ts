/** The members of a tool that hold a schema. */
export const SCHEMA_NAMES = ["inputSchema", "outputSchema"] as const;

/** The name of such a member. */
export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** What the schemas of a tool are parsed from when one of them is first read. */
export interface UnparsedSchemas {
  /** JSON that they are a part of, as `JSON.stringify` writes it. */
  readonly text: string;
}

/** The same in every copy of this package: who parses late and who wants to know need not have the same one. */
const SCHEMAS = Symbol.for("jackfield.unparsedSchemas");

/**
 * Marks a tool whose schemas are getters until one is read, as a catalog's are, so that whoever has to judge every tool of a start
 * need not have them all parsed. No copy of the tool has the mark.
 *
 * @param tool - if somebody freezes it, what its getters then give must be frozen to the last member
 * @returns the tool
 */
export function markUnparsed<T extends object>(tool: T, schemas: UnparsedSchemas): T {
  return Object.defineProperty(tool, SCHEMAS, { value: schemas });
}

/** What a tool was marked with, if it was. */
export function unparsedSchemas(tool: object): UnparsedSchemas | undefined {
  return (tool as { readonly [SCHEMAS]?: UnparsedSchemas })[SCHEMAS];
}

/** The text of which a tool's schema will be a part once it is read; `undefined` if it has been parsed, as most have. */
export function unparsedText(tool: object, name: SchemaName): string | undefined {
  const schemas = unparsedSchemas(tool);
  if (schemas === undefined || Object.getOwnPropertyDescriptor(tool, name)?.get === undefined)
    return undefined;
  return schemas.text;
}
