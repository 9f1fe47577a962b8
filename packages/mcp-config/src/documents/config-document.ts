import type { SourceLocation } from "@jackfield/mcp-core";
import { parseJsonDocument } from "./json-document.ts";
import type { JsonPath } from "./json-path.ts";

/** A key that an object has more than once. */
export interface DuplicateKey {
  readonly path: JsonPath;
  /** Where the key stands first. */
  readonly first: SourceLocation;
  /** Where it stands again. */
  readonly again: SourceLocation;
}

/** A file's values, made of maps without prototypes, together with where everything stands. */
export interface ConfigDocument {
  /** `undefined` if the text holds nothing but white space and comments. */
  readonly root: unknown;
  /** Keys written twice in a format that permits it; the last value is the one in the document. */
  readonly duplicates: readonly DuplicateKey[];
  /** Keys called `__proto__` that were left out. */
  readonly forbidden: readonly SourceLocation[];
  /** The first comment or trailing comma in a file that ought to be strict JSON. */
  readonly looseness?: SourceLocation | undefined;
  /** Where a member's key or an array's element stands; of a path that leads nowhere, the deepest part that exists. */
  locate(path: JsonPath): SourceLocation;
}

/**
 * How a file is written.
 *
 * - `strict-json`: RFC 8259, and `__proto__` is a key like any other;
 * - `json`: the same, but comments and trailing commas are only remarked on;
 * - `jsonc`: they are allowed;
 * - `toml`, `yaml`: version 1.1 of the one, 1.2 of the other, in which a repeated key is a fault.
 */
export type ConfigFormat = "strict-json" | "json" | "jsonc" | "toml" | "yaml";

/**
 * Parses a text. The parsers of TOML and YAML are loaded when such a text is met, because most hosts have none.
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
