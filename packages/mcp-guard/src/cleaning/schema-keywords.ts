/** Keywords whose values are compared with arguments, or used as one, and so must not be changed. */
export const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "pattern"]);

/** Keywords that hold nothing but names of arguments. */
export const NAMES: ReadonlySet<string> = new Set(["required", "dependentRequired"]);

/** Keywords that hold schemas by name; such a name may equal a keyword. A list in place of a schema holds names. */
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
