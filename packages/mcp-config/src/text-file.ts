import type { Stats } from "node:fs";
import { fileSystem } from "@jackfield/mcp-core/node";

const { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } =
  fileSystem;

/** How a text may be encoded: UTF-8, or UTF-16 with a byte order mark (which some shells write). */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

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

/**
 * Reads a file as text. Only regular files are opened, so that a pipe or a device cannot hang or flood the reader; opening does not
 * wait, in case a pipe has taken the file's place meanwhile.
 *
 * It is synchronous: dozens of small files are looked for at start-up, most of which do not exist, and a round trip to another
 * thread takes longer than each of them.
 */
export function readTextFile(file: string, largestBytes: number): TextFile {
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (!entry) return { fault: "missing", reason: NOWHERE };
    const target = entry.isSymbolicLink() ? statSync(file) : entry;
    if (!target.isFile()) return IRREGULAR;
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return readDescriptor(descriptor, largestBytes);
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

function readDescriptor(descriptor: number, largestBytes: number): TextFile {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return IRREGULAR;
  if (stats.size > largestBytes) return { fault: "too-large" };
  const bytes = readFileSync(descriptor);
  // A file can grow while it is read.
  if (bytes.length > largestBytes) return { fault: "too-large" };
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

type Decoder = InstanceType<typeof TextDecoder>;

const decoders = new Map<TextEncoding, Decoder>();

/** Nearly all files have the same encoding, and to create a decoder takes longer than to decode a file. */
function decoderOf(encoding: TextEncoding): Decoder {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding, { fatal: true });
  decoders.set(encoding, decoder);
  return decoder;
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
