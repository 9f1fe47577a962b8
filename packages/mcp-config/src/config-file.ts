import { readFile, stat } from "node:fs/promises";
import { type Diagnostic, isMcpError, McpError } from "@jackfield/mcp-core";
import { invalidSource } from "./config-problem.ts";

/** Real configuration files reach some megabytes; more than this is a mistake. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A configuration file as text. */
export interface ConfigText {
  /** Without byte order mark. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a configuration file: UTF-8, or UTF-16 with a byte order mark (which some shells write). Only regular files are
 * opened, so that a pipe or a device cannot hang or flood the reader.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read or is no regular file, `MCP_CONFIG_INVALID` if it is larger
 * than 16 MiB or not text.
 */
export async function readConfigFile(file: string): Promise<ConfigText> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw unreadable(file, "it is not a regular file");
    if (found.size > LARGEST_FILE_BYTES) {
      throw invalidSource({ file }, `the file is larger than ${LARGEST_FILE_BYTES} bytes; split it.`);
    }
    return decode(await readFile(file), file);
  } catch (error) {
    throw isMcpError(error) ? error : unreadable(file, reasonOf(error), error);
  }
}

function unreadable(file: string, reason: string, cause?: unknown): McpError {
  const message = `The configuration file ${file} cannot be read: ${reason}. Correct the path, or make the file readable.`;
  return new McpError("MCP_CONFIG_NOT_FOUND", message, { phase: "config", location: { file }, cause });
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return code === "ENOENT" ? "it does not exist" : `the system says ${code}`;
}

function decode(bytes: Uint8Array, file: string): ConfigText {
  const encoding = encodingOf(bytes);
  const diagnostics: Diagnostic[] = [];
  if (encoding !== "utf-8") {
    const message = `${file} is written in ${encoding.toUpperCase()}; other programs may not read it. Save it as UTF-8.`;
    diagnostics.push({ code: "encoding", severity: "warning", message, file });
  }
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), diagnostics };
  } catch {
    throw invalidSource({ file }, `the file is not valid ${encoding.toUpperCase()} text; save it as UTF-8.`);
  }
}

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
