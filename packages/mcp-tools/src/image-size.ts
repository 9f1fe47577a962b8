/** How large an image is, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size that an image's own header names: PNG, GIF, WebP and JPEG, by the formats' specifications. `undefined` if it names none.
 *
 * @param base64 - the image, in the standard alphabet
 */
export function imageSize(base64: string): ImageSize | undefined {
  const start = Buffer.from(base64.slice(0, 64), "base64");
  const kind = start.toString("latin1", 0, 16);
  if (kind.startsWith("\x89PNG"))
    return start.length < 24 ? undefined : { width: start.readUInt32BE(16), height: start.readUInt32BE(20) };
  if (kind.startsWith("GIF8"))
    return start.length < 10 ? undefined : { width: start.readUInt16LE(6), height: start.readUInt16LE(8) };
  if (kind.startsWith("RIFF")) return start.length < 30 ? undefined : webpSize(kind.slice(12, 16), start);
  return kind.startsWith("\xff\xd8") ? jpegSize(Buffer.from(base64, "base64")) : undefined;
}

/** WebP: lossy, lossless, or with a header of its own before either (RFC 9649). */
function webpSize(chunk: string, start: Buffer): ImageSize | undefined {
  switch (chunk) {
    case "VP8 ":
      return { width: start.readUInt16LE(26) & 0x3fff, height: start.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = start.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: start.readUIntLE(24, 3) + 1, height: start.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** JPEG: in its frame header, which stands behind segments of any number and length. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
