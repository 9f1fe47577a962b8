import { type Diagnostic, McpError } from "@jackfield/mcp-core";
import { invalidSource } from "./config-problem.ts";
import { readTextFile, type TextEncoding } from "./text-file.ts";

/** Real configuration files reach some megabytes; more than this is a mistake. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A configuration file as text. */
export interface ConfigText {
  /** Without byte order mark. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a configuration file: UTF-8, or UTF-16 with a byte order mark, which is reported.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read or is no regular file, `MCP_CONFIG_INVALID` if it is larger
 * than 16 MiB or not text.
 */
export async function readConfigFile(file: string): Promise<ConfigText> {
  const found = await readTextFile(file, LARGEST_FILE_BYTES);
  if (!("fault" in found)) return { text: found.text, diagnostics: describeEncoding(found.encoding, file) };
  switch (found.fault) {
    case "unreadable": {
      const message = `The configuration file ${file} cannot be read: ${found.reason}. Correct the path, or make the file readable.`;
      const details = { phase: "config", location: { file }, cause: found.cause } as const;
      throw new McpError("MCP_CONFIG_NOT_FOUND", message, details);
    }
    case "too-large":
      throw invalidSource({ file }, `the file is larger than ${LARGEST_FILE_BYTES} bytes; split it.`);
    case "not-text": {
      const text = `the file is not valid ${found.encoding.toUpperCase()} text; save it as UTF-8.`;
      throw invalidSource({ file }, text);
    }
  }
}

function describeEncoding(encoding: TextEncoding, file: string): Diagnostic[] {
  if (encoding === "utf-8") return [];
  const message = `${file} is written in ${encoding.toUpperCase()}; other programs may not read it. Save it as UTF-8.`;
  return [{ code: "encoding", severity: "warning", message, file }];
}
