/** The members of a tool that hold a schema. */
export const SCHEMA_NAMES = ["inputSchema", "outputSchema"] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The same in every copy of this package: who parses late and who wants to know need not have the same one. */
const TEXT = Symbol.for("jackfield.unparsedSchema");

type Getter = () => unknown;

/**
 * Marks the getter of a schema that is parsed when it is first read, as a catalog's are, so that whoever has to judge every tool of
 * a start need not have them all parsed.
 *
 * @param getter - its object may be frozen; what it then gives is frozen to the last member
 * @param text - JSON that the schema is a part of, as `JSON.stringify` writes it
 * @returns the getter
 */
export function markUnparsed<G extends Getter>(getter: G, text: string): G {
  return Object.defineProperty(getter, TEXT, { value: text });
}

/** The text of which a tool's schema will be a part once it is read; `undefined` if it has been parsed, as most have. */
export function unparsedText(tool: object, name: SchemaName): string | undefined {
  const getter = Object.getOwnPropertyDescriptor(tool, name)?.get as
    | (Getter & { readonly [TEXT]?: string })
    | undefined;
  return getter?.[TEXT];
}
