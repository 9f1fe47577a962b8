import { isRecord, type JsonObject } from "@jackfield/mcp-core";

const LOOKS_AROUND = /\(\?<?[=!]|\\[1-9]|\\k</;
const NOT_TAKEN = "A pattern with lookaround or a backreference is not supported.";

/**
 * Drops patterns with lookarounds or back-references, for strings and for property names, and the keywords that judge names
 * that no pattern matches.
 */
export function dropPatterns(schema: JsonObject, remove: (keyword: string, message: string) => void): void {
  if (typeof schema.pattern === "string" && LOOKS_AROUND.test(schema.pattern)) remove("pattern", NOT_TAKEN);
  if (!isRecord(schema.patternProperties)) return;
  const entries = Object.entries(schema.patternProperties);
  const kept = entries.filter(([pattern]) => !LOOKS_AROUND.test(pattern));
  if (kept.length === entries.length) return;
  remove("patternProperties", NOT_TAKEN);
  if (kept.length > 0) schema.patternProperties = Object.fromEntries(kept);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"])
    remove(keyword, "A property that matches an unsupported pattern must stay allowed.");
}
