import { createTimeSlices } from "@jackfield/mcp-core";

/** How many characters are passed to the other thread at once. */
const CHARACTERS_AT_ONCE = 128 * 1024;

/** A content that was deflated, in base64, and its size before, in bytes. */
export interface PackedContent {
  readonly packed: string;
  readonly bytes: number;
}

/** Deflates a content in another thread. @param parts - lists of texts; those of one list are separated by commas */
export async function pack(parts: readonly (readonly string[])[]): Promise<PackedContent> {
  const deflate = zlib().createDeflate({ level: 1 });
  const packed: Buffer[] = [];
  deflate.on("data", (piece: Buffer) => packed.push(piece));
  let bytes = 0;
  for (const text of pieces(parts)) {
    const piece = Buffer.from(text);
    bytes += piece.length;
    // Each answer comes in a turn of its own.
    await new Promise<void>((resolve, reject) =>
      deflate.write(piece, (error) => (error ? reject(error) : resolve())),
    );
  }
  await new Promise((resolve) => deflate.once("end", resolve).end());
  return { packed: Buffer.concat(packed).toString("base64"), bytes };
}

function* pieces(parts: readonly (readonly string[])[]): Iterable<string> {
  let texts: string[] = [];
  let length = 0;
  for (const part of parts) {
    for (const [index, text] of part.entries()) {
      texts.push(index > 0 ? "," : "", text);
      length += text.length;
      if (length < CHARACTERS_AT_ONCE) continue;
      yield texts.join("");
      texts = [];
      length = 0;
    }
  }
  yield texts.join("");
}

/**
 * Inflates a content in another thread, and divides it at its first line end. What cannot be read is two empty texts.
 *
 * @param text - JSON: the size of the content, and what `pack` made of it
 */
export async function unpack(text: string): Promise<readonly [string, string]> {
  const slices = createTimeSlices();
  try {
    const [bytes, packed] = JSON.parse(text) as [number, string];
    const content = await inflate(Buffer.from(packed, "base64"), bytes);
    const end = content.indexOf("\n");
    const first = content.toString("utf8", 0, end);
    await slices.next();
    const second = content.toString("utf8", end + 1);
    await slices.next();
    return [first, second];
  } catch {
    return ["", ""];
  }
}

function inflate(packed: Buffer, bytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // All of it is one piece, which need not be copied to where the others are.
  zlib().inflate(packed, { chunkSize: bytes + 1 }, (error, content) => {
    if (error === null) resolve(content);
    else reject(error);
  });
  return promise;
}

/** Not imported, because few catalogs have an entry that is so large. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
