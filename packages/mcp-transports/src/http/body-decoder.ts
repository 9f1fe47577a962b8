import { asError } from "../errors/thrown-error.ts";
import type { BodySink } from "./body-sink.ts";

const DECODERS = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
} as const;

/** The encodings we offer to take. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

type Encoding = keyof typeof DECODERS;

type Decoder = ReturnType<typeof import("node:zlib")[(typeof DECODERS)[Encoding]]>;

/** What a decoder asks of the connection that feeds it, and tells about itself. */
export interface DecoderHooks {
  pause(): void;
  resume(): void;
  /** What was pushed or its end could not be taken: nothing more comes. */
  onError(error: Error): void;
}

/** The encoding of a body: `undefined` where it has none, `unsupported` where it has several or one that we did not ask for. */
export function encodingOf(header: string | undefined): Encoding | "unsupported" | undefined {
  const name = header?.trim().toLowerCase();
  if (!name || name === "identity") return undefined;
  return Object.hasOwn(DECODERS, name) ? (name as Encoding) : "unsupported";
}

/** Some servers leave out the wrapper that `deflate` means (RFC 9110, section 8.4.1.2); it begins with the number of its method. */
function isZlib(beginning: Buffer): boolean {
  return ((beginning[0] ?? 0) & 0x0f) === 8;
}

/**
 * Decodes a body in front of a sink. What comes out is counted by the sink, piece by piece, so that a small body which grows
 * without measure is cut off at the limit. Of an excerpt, which is only shown, the sink gets what could be decoded, and the end when
 * that comes. A decoder works on by itself at what it was given: it has to be dropped once nobody wants the rest.
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
    // Not imported, because most answers are not encoded, and those of local servers never.
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
      // Servers and gateways also name an encoding where there is no body. No bytes are no bytes in all of them.
      if (!decoder || (isOver && isExcerpt)) sink.end();
      else if (!isOver) decoder.end();
    },
    drop() {
      isOver = true;
      decoder?.destroy();
      // It may end before the body does, and has nothing drained any more then.
      hooks.resume();
    },
  };
}
