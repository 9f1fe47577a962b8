import { asError } from "../errors/wording.ts";
import type { BodySink } from "./body-sink.ts";

const DECODERS = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
} as const;

/** The value of `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

type Encoding = keyof typeof DECODERS;

type Decoder = ReturnType<typeof import("node:zlib")[(typeof DECODERS)[Encoding]]>;

/** How a decoder controls the connection that feeds it, and reports failure. */
export interface DecoderHooks {
  pause(): void;
  resume(): void;
  /** Decoding failed, or the sink threw: the sink gets nothing more. */
  onError(error: Error): void;
}

/** The encoding of a body: `undefined` where it has none, `unsupported` where it has several or one that we did not ask for. */
export function encodingOf(header: string | undefined): Encoding | "unsupported" | undefined {
  const name = header?.trim().toLowerCase();
  if (!name || name === "identity") return undefined;
  return Object.hasOwn(DECODERS, name) ? (name as Encoding) : "unsupported";
}

/** Whether the data has the zlib wrapper, which some servers leave out (RFC 9110, section 8.4.1.2). It begins with the method, 8. */
function isZlib(beginning: Buffer): boolean {
  return ((beginning[0] ?? 0) & 0x0f) === 8;
}

/**
 * Decodes a body in front of a sink. The sink counts the decoded bytes piece by piece, so that a decompression bomb is cut off at
 * the limit. A broken excerpt is no error: the sink gets what could be decoded, and the end of the body. A decoder goes on working on
 * its input by itself: drop it once the rest is not needed.
 */
export function decodeInto(
  sink: BodySink,
  encoding: Encoding,
  hooks: DecoderHooks,
  isExcerpt: boolean,
): BodySink {
  let decoder: Decoder | undefined;
  let isOver = false;
  let isEnded = false;
  const fail = (error: unknown) => {
    isOver = true;
    decoder?.destroy();
    if (!isExcerpt) hooks.onError(asError(error));
    else if (isEnded) sink.end();
    else hooks.resume();
  };
  const attempt = (act: () => void) => {
    try {
      if (!isOver) act();
    } catch (error) {
      fail(error);
    }
  };
  const start = (chunk: Buffer) => {
    const isBare = encoding === "deflate" && !isZlib(chunk);
    // Loaded on demand, because most answers are not encoded, and those of local servers never are.
    const zlib = process.getBuiltinModule("node:zlib");
    const started = isBare ? zlib.createInflateRaw() : zlib[DECODERS[encoding]]();
    started.on("data", (piece: Buffer) => attempt(() => sink.push(piece)));
    started.on("drain", () => hooks.resume());
    started.on("error", fail);
    started.on("end", () => attempt(() => sink.end()));
    return started;
  };
  return {
    push(chunk) {
      if (isOver || chunk.length === 0) return;
      decoder ??= start(chunk);
      if (!decoder.write(chunk)) hooks.pause();
    },
    end() {
      isEnded = true;
      // Servers and gateways may name an encoding for an empty body, which needs no decoding.
      if (!decoder || (isOver && isExcerpt)) sink.end();
      else if (!isOver) decoder.end();
    },
    drop() {
      isOver = true;
      decoder?.destroy();
      // The body may be paused, and a destroyed decoder never drains.
      hooks.resume();
    },
  };
}
