import type { Stats } from "node:fs";
import { McpError } from "@jackfield/mcp-core";
import { type DiagnosticCode, diagnose, type Report } from "../diagnostic-codes.ts";
import { readTextFile, realFileOf, type TextEncoding, type TextFile } from "../text-file.ts";
import { invalidSource } from "./config-problem.ts";

/** Real configuration files reach some megabytes; more than this is a mistake. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** The text of a configuration file, or why there is none. */
export type ConfigFile =
  | {
      /** Without byte order mark. */
      readonly text: string;
      /** The real path, if a symbolic link leads to the file. */
      readonly realFile?: string | undefined;
      readonly stats: Stats;
    }
  | {
      /** `MCP_CONFIG_NOT_FOUND` or `MCP_CONFIG_INVALID`. */
      readonly error: McpError;
      readonly kind: DiagnosticCode;
      /** `missing`: nothing is there; `dangling`: a link leads to nothing. */
      readonly absence?: "missing" | "dangling" | undefined;
    };

/** Reads a configuration file: UTF-8, or UTF-16 with a byte order mark, which is reported. Never throws. */
export function readConfigFile(file: string, report: Report, largestBytes = LARGEST_FILE_BYTES): ConfigFile {
  const found = readTextFile(file, largestBytes);
  if ("text" in found) {
    // Without a byte order mark, UTF-16 is valid UTF-8 with NUL characters, which no configuration has.
    if (found.text.includes("\0")) return notText(found.encoding, file);
    reportEncoding(found.encoding, file, report);
    return { text: found.text, stats: found.stats, realFile: realFileOf(file) };
  }
  switch (found.fault) {
    case "too-large": {
      const error = invalidSource({ file }, `the file is larger than ${largestBytes} bytes; split it.`);
      return { error, kind: "ConfigTooLargeError" };
    }
    case "not-text":
      return notText(found.encoding, file);
    default: {
      const { fault } = found;
      return {
        // Created on demand: most places where a file may be are empty, which is no error.
        get error() {
          return unreadable(file, found);
        },
        kind: "ConfigReadError",
        absence: fault === "unreadable" ? undefined : fault,
      };
    }
  }
}

function notText(encoding: TextEncoding, file: string): ConfigFile {
  const text = `the file is not valid ${encoding.toUpperCase()} text; save it as UTF-8.`;
  return { error: invalidSource({ file }, text), kind: "ConfigEncodingError" };
}

function unreadable(
  file: string,
  { fault, reason, cause }: Extract<TextFile, { readonly reason: string }>,
): McpError {
  const step = fault === "unreadable" ? "make the file readable" : "create the file";
  const message = `The configuration file ${file} cannot be read: ${reason}. Correct the path, or ${step}.`;
  return new McpError("MCP_CONFIG_NOT_FOUND", message, { phase: "config", location: { file }, cause });
}

function reportEncoding(encoding: TextEncoding, file: string, report: Report): void {
  if (encoding === "utf-8") return;
  const message = `${file} is written in ${encoding.toUpperCase()}; other programs may not read it. Save it as UTF-8.`;
  report(diagnose("encoding", message, { file }));
}
