import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { isSchema, type JsonSchema, subschemasOf, unescapePointer } from "./subschemas.ts";

/** The rules a schema follows. MCP's default is 2020-12 (SEP-1613). */
export type SchemaDialect = "draft-7" | "2020-12";

/** A schema that a reference leads to. */
export interface ReferenceTarget {
  readonly schema: JsonSchema;
  /** The address of the document it stands in. */
  readonly base: string;
}

/** An index of a schema, so that references within it can be followed. Nothing is ever fetched. */
export interface SchemaIndex {
  readonly root: JsonSchema;
  readonly dialect: SchemaDialect;
  /** Whether the schema uses `unevaluatedProperties` or `unevaluatedItems` anywhere. */
  readonly hasUnevaluated: boolean;
  /** The address of the document a schema stands in. */
  baseOf(schema: JsonObject): string;
  /** Where a reference leads, or `undefined` if that is not within the schema. */
  resolve(reference: string, from: JsonObject): ReferenceTarget | undefined;
  /** The schema that a document names with `$dynamicAnchor`. */
  dynamicAnchor(base: string, name: string): JsonObject | undefined;
}

/** A schema is too deep, has too many parts, or holds an address that is too long. */
export class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

/** The most schemas within one schema. */
const MAX_SUBSCHEMAS = 10_000;
/** The deepest nesting of schemas. */
const MAX_SCHEMA_DEPTH = 128;

/** The longest address: it is parsed again for each reference beneath it. */
const MAX_ADDRESS_LENGTH = 2_048;

const ROOT_BASE = "json-schema:///";

/** @throws SchemaTooLarge */
export function createSchemaIndex(root: JsonSchema): SchemaIndex {
  return new IndexedSchema(root);
}

class IndexedSchema implements SchemaIndex {
  readonly root: JsonSchema;
  readonly dialect: SchemaDialect;
  hasUnevaluated = false;
  readonly #documents = new Map<string, JsonSchema>();
  readonly #anchors = new Map<string, JsonObject>();
  readonly #dynamicAnchors = new Map<string, JsonObject>();
  readonly #bases = new Map<JsonObject, string>();
  readonly #resolved = new Map<JsonObject, Map<string, ReferenceTarget | undefined>>();

  constructor(root: JsonSchema) {
    this.root = root;
    this.dialect = dialectOf(root);
    this.#documents.set(ROOT_BASE, root);
    this.#add(root, ROOT_BASE, 0);
  }

  baseOf(schema: JsonObject): string {
    return this.#bases.get(schema) ?? ROOT_BASE;
  }

  resolve(reference: string, from: JsonObject): ReferenceTarget | undefined {
    const known = this.#resolved.get(from) ?? new Map<string, ReferenceTarget | undefined>();
    if (known.has(reference)) return known.get(reference);
    const target = reference.length > MAX_ADDRESS_LENGTH ? undefined : this.#find(reference, from);
    this.#resolved.set(from, known.set(reference, target));
    return target;
  }

  dynamicAnchor(base: string, name: string): JsonObject | undefined {
    return this.#dynamicAnchors.get(`${base}#${name}`);
  }

  #find(reference: string, from: JsonObject): ReferenceTarget | undefined {
    const [base, fragment] = split(absolute(reference, this.baseOf(from)));
    if (fragment !== "" && !fragment.startsWith("/")) {
      const schema = this.#anchors.get(`${base}#${fragment}`);
      return schema && { schema, base: this.baseOf(schema) };
    }
    const document = this.#documents.get(base);
    return document === undefined ? undefined : this.#follow(document, base, fragment);
  }

  #follow(document: JsonSchema, base: string, pointer: string): ReferenceTarget | undefined {
    let value: unknown = document;
    let nearest = base;
    for (const part of pointer.split("/").slice(1).map(unescapePointer)) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
      value = (value as JsonObject)[part];
      if (isRecord(value)) nearest = this.#bases.get(value) ?? nearest;
    }
    if (!isSchema(value)) return undefined;
    // A reference may lead to a place where no keyword puts a schema.
    if (isRecord(value) && !this.#bases.has(value)) this.#add(value, nearest, 0);
    return { schema: value, base: nearest };
  }

  #add(schema: JsonSchema, outerBase: string, depth: number): void {
    if (!isRecord(schema)) return;
    if (depth > MAX_SCHEMA_DEPTH) throw new SchemaTooLarge("The schema is too deep.");
    if (this.#bases.size >= MAX_SUBSCHEMAS) throw new SchemaTooLarge("The schema has too many parts.");
    const base = this.#addNames(schema, outerBase);
    this.#bases.set(schema, base);
    const isAsking = "unevaluatedProperties" in schema || "unevaluatedItems" in schema;
    if (isAsking && this.dialect !== "draft-7") this.hasUnevaluated = true;
    for (const { schema: part } of subschemasOf(schema)) this.#add(part, base, depth + 1);
  }

  /** Registers the names a schema gives itself, and returns the address of its document. */
  #addNames(schema: JsonObject, outerBase: string): string {
    const { $id, $ref, $anchor, $dynamicAnchor } = schema;
    // In draft 7, keywords beside a reference are ignored.
    if (this.dialect === "draft-7" && $ref !== undefined) return outerBase;
    const [base, fragment] =
      typeof $id === "string" ? split(absolute($id, outerBase)) : ([outerBase, ""] as const);
    if (base.length > MAX_ADDRESS_LENGTH) throw new SchemaTooLarge("An address in the schema is too long.");
    if (typeof $id === "string" && fragment === "") this.#documents.set(base, schema);
    for (const name of [fragment, $anchor, $dynamicAnchor])
      if (typeof name === "string" && name !== "") this.#anchors.set(`${base}#${name}`, schema);
    if (typeof $dynamicAnchor === "string") this.#dynamicAnchors.set(`${base}#${$dynamicAnchor}`, schema);
    return base;
  }
}

function dialectOf(root: JsonSchema): SchemaDialect {
  const name = isRecord(root) ? root.$schema : undefined;
  return typeof name === "string" && /json-schema\.org\/(?:draft-0[3-7]\/)?schema/.test(name)
    ? "draft-7"
    : "2020-12";
}

function absolute(reference: string, base: string): string {
  if (reference.length > MAX_ADDRESS_LENGTH) return reference;
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

/** The parts of an address before and after its `#`. */
function split(address: string): readonly [base: string, fragment: string] {
  const at = address.indexOf("#");
  if (at < 0) return [address, ""];
  const fragment = address.slice(at + 1);
  try {
    return [address.slice(0, at), decodeURIComponent(fragment)];
  } catch {
    return [address.slice(0, at), fragment];
  }
}
