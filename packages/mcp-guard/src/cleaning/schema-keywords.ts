/** The keywords of JSON Schema that people and models read as prose. */
export const PROSE: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/** What is compared with arguments, or is one: a changed value would be another value. */
export const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "pattern"]);

/** Their members are schemas by name, and a name may be that of a keyword. */
export const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** The deepest nesting that is followed. */
export const MAX_SCHEMA_DEPTH = 64;
