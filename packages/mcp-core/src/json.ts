/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object whose members are not known beforehand, such as `_meta` or a tool's structured content. */
export type JsonObject = { [key: string]: unknown };
