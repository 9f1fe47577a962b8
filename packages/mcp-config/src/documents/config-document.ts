import type { SourceLocation } from "@jackfield/mcp-core";
import type { ForbiddenKeys } from "./forbidden-keys.ts";
import { parseJsonDocument } from "./json-document.ts";
import type { JsonPath } from "./json-path.ts";

/** A key that an object has more than once. */
export interface DuplicateKey {
  readonly path: JsonPath;
  /** Where the key occurs first. */
  readonly first: SourceLocation;
  /** Where it occurs again. */
  readonly again: SourceLocation;
}

/** The values of a file, with maps that have no prototype, and their positions in the text. */
export interface ConfigDocument {
  /** `undefined` if the text holds nothing but white space and comments. */
  readonly root: unknown;
  /** Keys written twice in a format that permits it; the last value is the one in the document. */
  readonly duplicates: readonly DuplicateKey[];
  /** The `__proto__` keys, which were left out. */
  readonly forbidden: Pick<ForbiddenKeys, "places" | "count">;
  /** The first comment or trailing comma in a file that ought to be strict JSON. */
  readonly looseness?: SourceLocation | undefined;
  /** The position of a member's key or an array's element; for a path that does not exist, that of its deepest existing part. */
  locate(path: JsonPath): SourceLocation;
}

/**
 * The syntax of a file.
 *
 * - `strict-json`: RFC 8259; `__proto__` is an ordinary key;
 * - `json`: the same, but comments and trailing commas only cause a remark, and `__proto__` is left out;
 * - `jsonc`: like `json`, but comments and trailing commas are allowed;
 * - `toml`, `yaml`: TOML 1.1 and YAML 1.2, in which a repeated key is an error.
 */
export type ConfigFormat = "strict-json" | "json" | "jsonc" | "toml" | "yaml";

/**
 * Parses a text. The TOML and YAML parsers are loaded on first use, because most hosts need neither.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export async function parseConfigDocument(
  text: string,
  file: string,
  format: ConfigFormat,
): Promise<ConfigDocument> {
  switch (format) {
    case "toml":
      return (await import("./toml-document.ts")).parseTomlDocument(text, file);
    case "yaml":
      return (await import("./yaml-document.ts")).parseYamlDocument(text, file);
    default:
      return parseJsonDocument(text, file, format);
  }
}
