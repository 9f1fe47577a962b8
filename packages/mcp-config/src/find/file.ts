import type { Stats } from "node:fs";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { type DiagnosticCode, diagnose, invalidSource, type Report } from "./diagnostics.ts";
import { type FileParts, readFileParts } from "./file-parts.ts";

const { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } =
  fileSystem;

/** How a text may be encoded: UTF-8, or UTF-16 with a byte order mark (which some shells write). */
type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** What a file held, or why it cannot be used. */
export type TextFile =
  /** Without byte order mark. */
  | { readonly text: string; readonly encoding: TextEncoding; readonly stats: Stats }
  /** `missing`: nothing is there; `dangling`: a link leads to nothing. */
  | {
      readonly fault: "missing" | "dangling" | "unreadable";
      readonly reason: string;
      readonly cause?: unknown;
    }
  | { readonly fault: "too-large" }
  | { readonly fault: "not-text"; readonly encoding: TextEncoding };

/** How much of a file is read. */
export interface FileLimits {
  /** A larger file is not read; of one with `parts`, no more than this is kept. Default 16 MiB, more than any real configuration has. */
  readonly maxFileBytes?: number | undefined;
  /** What is read of a JSON file that is larger, because its host also keeps other things in it. */
  readonly parts?: FileParts | undefined;
}

const DEFAULT_MAX_FILE_BYTES = 16 * 1024 * 1024;
/** A file of which parts are read. At this size it takes some seconds. */
const MOST_BYTES_WITH_PARTS = 1024 * 1024 * 1024;

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
export function readConfigFile(file: string, report: Report, limits: FileLimits = {}): ConfigFile {
  const { maxFileBytes = DEFAULT_MAX_FILE_BYTES, parts } = limits;
  const found = readTextFile(file, maxFileBytes, parts);
  if ("text" in found) {
    // Without a byte order mark, UTF-16 is valid UTF-8 with NUL characters, which no configuration has.
    if (found.text.includes("\0")) return notText(found.encoding, file);
    reportEncoding(found.encoding, file, report);
    return { text: found.text, stats: found.stats, realFile: realFileOf(file) };
  }
  switch (found.fault) {
    case "too-large": {
      const text = `the file is larger than ${maxFileBytes} bytes; split it, or raise option "maxFileBytes".`;
      return { error: invalidSource({ file }, text), kind: "ConfigTooLargeError" };
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

/**
 * Reads a file as text. Only regular files are opened, so that a pipe or a device cannot hang or flood the reader; opening does not
 * wait, in case a pipe has taken the file's place meanwhile.
 *
 * It is synchronous: dozens of small files are looked for at start-up, most of which do not exist, and a round trip to another
 * thread takes longer than each of them.
 */
export function readTextFile(file: string, mostBytes: number, parts?: FileParts): TextFile {
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (!entry) return { fault: "missing", reason: NOWHERE };
    const target = entry.isSymbolicLink() ? statSync(file) : entry;
    if (!target.isFile()) return IRREGULAR;
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return readDescriptor(descriptor, mostBytes, parts);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    return { fault: isAbsent ? "dangling" : "unreadable", reason: reasonOf(cause), cause };
  }
}

const NOWHERE = "it does not exist";
const IRREGULAR: TextFile = { fault: "unreadable", reason: "it is not a regular file" };

function readDescriptor(descriptor: number, mostBytes: number, parts: FileParts | undefined): TextFile {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return IRREGULAR;
  const isLarge = stats.size > mostBytes;
  const hasParts = isLarge && parts !== undefined && stats.size <= MOST_BYTES_WITH_PARTS;
  if (isLarge && !hasParts) return { fault: "too-large" };
  const bytes = hasParts ? readFileParts(descriptor, parts, mostBytes) : readFileSync(descriptor);
  // A file can grow while it is read.
  if (bytes === undefined || bytes.length > mostBytes) return { fault: "too-large" };
  const decoded = decode(bytes);
  return "text" in decoded ? { ...decoded, stats } : decoded;
}

/** The real path, if a path contains symbolic links. */
export function realFileOf(file: string): string | undefined {
  try {
    const real = realpathSync.native(file);
    return real === file ? undefined : real;
  } catch {
    return undefined;
  }
}

/** Why a file cannot be opened, as the second half of a sentence. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return code === "ENOENT" ? NOWHERE : `the system says ${code}`;
}

function decode(bytes: Uint8Array) {
  const encoding = encodingOf(bytes);
  try {
    return { text: decoderOf(encoding).decode(bytes), encoding };
  } catch {
    return { fault: "not-text" as const, encoding };
  }
}

const decoders = new Map<TextEncoding, InstanceType<typeof TextDecoder>>();

/** Nearly all files have the same encoding, and to create a decoder takes longer than to decode a file. */
function decoderOf(encoding: TextEncoding) {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding, { fatal: true });
  decoders.set(encoding, decoder);
  return decoder;
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
