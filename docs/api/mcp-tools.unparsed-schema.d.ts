declare const SCHEMA_NAMES: readonly [
    "inputSchema",
    "outputSchema"
];
type SchemaName = (typeof SCHEMA_NAMES)[number];
interface UnparsedSchemas {
    textOf(name: SchemaName): string;
}
declare function markUnparsed<T extends object>(tool: T, schemas: UnparsedSchemas): T;
declare function unparsedSchemas(tool: object): UnparsedSchemas | undefined;
declare function unparsedText(tool: object, name: SchemaName): string | undefined;
export { SCHEMA_NAMES, markUnparsed, unparsedSchemas, unparsedText };
export type { SchemaName, UnparsedSchemas };
