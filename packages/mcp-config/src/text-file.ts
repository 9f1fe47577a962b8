import { readFile, stat } from "node:fs/promises";

/** How a text may be encoded: UTF-8, or UTF-16 with a byte order mark (which some shells write). */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** What a file held, or why it cannot be used. */
export type TextFile =
  /** Without byte order mark. */
  | { readonly text: string; readonly encoding: TextEncoding }
  | { readonly fault: "unreadable"; readonly reason: string; readonly cause?: unknown }
  | { readonly fault: "too-large" }
  | { readonly fault: "not-text"; readonly encoding: TextEncoding };

/** Reads a file as text. Only regular files are opened, so that a pipe or a device cannot hang or flood the reader. */
export async function readTextFile(
  file: string,
  largestBytes: number,
  signal?: AbortSignal,
): Promise<TextFile> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { fault: "unreadable", reason: "it is not a regular file" };
    if (found.size > largestBytes) return { fault: "too-large" };
    return decode(await readFile(file, { signal }));
  } catch (cause) {
    return { fault: "unreadable", reason: reasonOf(cause), cause };
  }
}

/** Why a file cannot be opened, as the second half of a sentence. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return code === "ENOENT" ? "it does not exist" : `the system says ${code}`;
}

function decode(bytes: Uint8Array): TextFile {
  const encoding = encodingOf(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return { fault: "not-text", encoding };
  }
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
