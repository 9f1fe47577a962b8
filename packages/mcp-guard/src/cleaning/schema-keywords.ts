/** What is compared with arguments, or is one: a changed value would be another value. */
export const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "pattern"]);

/** Everything in them is the name of an argument. */
export const NAMES: ReadonlySet<string> = new Set(["required", "dependentRequired"]);

/** Their members are schemas by name, and a name may be that of a keyword. A list in place of a schema is one of names. */
export const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** The deepest nesting that is followed. */
export const MAX_SCHEMA_DEPTH = 64;
