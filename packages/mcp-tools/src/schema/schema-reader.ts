import type { JsonObject } from "@jackfield/mcp-core";
import { createModernKeywords } from "./modern-keywords.ts";
import type { SchemaChange } from "./schema-change.ts";
import type { SchemaDialect } from "./schema-index.ts";
import { createKeywordCheck } from "./sound-keywords.ts";
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "./subschemas.ts";

/** A schema as validation reads it. */
export interface ReadSchema {
  /** In the keywords of 2020-12, and without malformed ones. Subschemas are the server's own. */
  readonly keywords: JsonObject;
  /** Whether a demand was dropped that way, which only the server can judge. */
  readonly hasDroppedDemand: boolean;
  /** Whether a dropped keyword evaluates parts of a value, so that the evaluated parts are unknown. */
  readonly hasDroppedEvaluatingKeyword: boolean;
  /** Whether it applies no schema, so that it judges a value by itself. */
  readonly isLeaf: boolean;
}

/** Keywords that mark parts of a value as evaluated. */
const EVALUATING_KEYWORDS: ReadonlySet<string | undefined> = new Set(
  [...SCHEMA_KEYWORDS, ...SCHEMA_LIST_KEYWORDS, ...SCHEMA_MAP_KEYWORDS, "$dynamicRef", "$ref"].filter(
    (keyword) => keyword !== "not" && keyword !== "propertyNames",
  ),
);

/** Keywords that apply schemas to a value or to its parts. */
const APPLYING_KEYWORDS: ReadonlySet<string> = new Set([
  ...[...SCHEMA_KEYWORDS, ...SCHEMA_LIST_KEYWORDS, ...SCHEMA_MAP_KEYWORDS],
  ...["$ref", "$dynamicRef"],
]);

/**
 * Reads schemas by the same rules by which they are fitted for a provider, so that no check demands what fitting dropped as
 * malformed.
 */
export function createSchemaReader(dialect: SchemaDialect): (schema: JsonObject) => ReadSchema {
  const known = new Map<JsonObject, ReadSchema>();
  let lost = 0;
  let lostEvaluating = 0;
  const report = {
    add({ kind, keyword }: SchemaChange) {
      if (kind !== "removed") return;
      lost += 1;
      if (EVALUATING_KEYWORDS.has(keyword)) lostEvaluating += 1;
    },
  };
  const modern = createModernKeywords(dialect, report);
  const sound = createKeywordCheck(report);
  return (schema) => {
    let read = known.get(schema);
    if (read !== undefined) return read;
    const [before, evaluatingBefore] = [lost, lostEvaluating];
    const keywords = sound(modern(schema, ""), "");
    read = {
      keywords,
      hasDroppedDemand: lost > before,
      hasDroppedEvaluatingKeyword: lostEvaluating > evaluatingBefore,
      isLeaf: !Object.keys(keywords).some((keyword) => APPLYING_KEYWORDS.has(keyword)),
    };
    known.set(schema, read);
    return read;
  };
}
