import type { JsonObject } from "@jackfield/mcp-core";
import { modernKeywords } from "./modern-keywords.ts";
import type { SchemaChange } from "./schema-change.ts";
import type { SchemaDialect } from "./schema-index.ts";
import { createKeywordCheck } from "./sound-keywords.ts";

/** A schema as a check reads it. */
export interface ReadSchema {
  /** In the words of 2020-12, and without what no schema may say. The schemas within are the server's own. */
  readonly keywords: JsonObject;
  /** Whether a demand went by that: only the server knows what it makes of it. */
  readonly isOpen: boolean;
}

/** Reads schemas by the same rules as they are fitted for a provider, so that no check demands what was left out there as impossible. */
export function createSchemaReader(dialect: SchemaDialect): (schema: JsonObject) => ReadSchema {
  const known = new Map<JsonObject, ReadSchema>();
  let lost = 0;
  const report = {
    add({ kind }: SchemaChange) {
      if (kind === "removed") lost += 1;
    },
  };
  const sound = createKeywordCheck(report);
  return (schema) => {
    let read = known.get(schema);
    if (read !== undefined) return read;
    const before = lost;
    const keywords = sound(modernKeywords(schema, dialect, "", report), "");
    read = { keywords, isOpen: lost > before };
    known.set(schema, read);
    return read;
  };
}
