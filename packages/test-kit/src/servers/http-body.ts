import type { ServerResponse } from "node:http";
import { Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress } from "node:zlib";
import { firstHalf, type HttpPayload } from "./http-payload.ts";
import { cutConnection } from "./http-refusal.ts";
import type { TcpCut } from "./tcp-connection-plan.ts";

/** A content coding that Node supports. */
export type HttpCoding = "gzip" | "deflate" | "br" | "zstd";

/** Faults in how the body of an answer is sent. */
export interface HttpBodyFault {
  /** Replaces the content type that MCP requires. An empty text omits it. */
  readonly contentType?: string | undefined;
  /** Applies these codings in order and names them in `Content-Encoding`, whatever the client's `Accept-Encoding` says. */
  readonly compress?: readonly HttpCoding[] | undefined;
  /** Overrides `Content-Encoding`. */
  readonly contentEncoding?: string | undefined;
  /** Sends the body byte by byte, with this pause after each, in milliseconds. Default: as it comes. */
  readonly dripMs?: number | undefined;
}

/** The body of one response, written in order and with backpressure. */
export interface HttpBody {
  write(payload: HttpPayload): void;
  end(): void;
  /** Drops the connection instead of sending the payload, or in the middle of it, once everything before has been sent. */
  drop(payload: HttpPayload, where: "headers" | "body", by: TcpCut | undefined): void;
}

const NOTHING = Buffer.alloc(0);

/** Writes the head of a response and opens its body. Sends `Content-Length` if `wholeLength` is given. */
export function openBody(
  response: ServerResponse,
  contentType: string,
  fault: HttpBodyFault,
  wholeLength?: number,
): HttpBody {
  const { compress = [], contentEncoding = compress.join(", ") } = fault;
  const type = fault.contentType ?? contentType;
  response.writeHead(200, {
    ...(type === "" ? {} : { "content-type": type }),
    ...(contentEncoding === "" ? {} : { "content-encoding": contentEncoding }),
    ...(wholeLength === undefined || compress.length > 0 ? {} : { "content-length": wholeLength }),
    "cache-control": "no-cache",
  });
  response.write(NOTHING); // sends the head byte for byte; `flushHeaders` would encode it as UTF-8
  return new QueuedBody(response, fault);
}

class QueuedBody implements HttpBody {
  readonly #response: ServerResponse;
  readonly #fault: HttpBodyFault;
  readonly #queue: (HttpPayload | "end")[] = [];
  #finish: () => void;
  #wake = () => {};

  constructor(response: ServerResponse, fault: HttpBodyFault) {
    this.#response = response;
    this.#fault = fault;
    this.#finish = () => response.end();
    this.#carry().catch(() => response.destroy()); // the client has gone
  }

  write(payload: HttpPayload): void {
    this.#queue.push(payload);
    this.#wake();
  }

  end(): void {
    this.#queue.push("end");
    this.#wake();
  }

  drop(payload: HttpPayload, where: "headers" | "body", by: TcpCut | undefined): void {
    if (where === "body") this.#queue.push(firstHalf(payload));
    this.#finish = () => cutConnection(this.#response, by);
    this.end();
  }

  async #carry(): Promise<void> {
    const source = Readable.from(this.#pieces());
    const gone = new AbortController();
    this.#response.on("close", () => {
      gone.abort();
      source.destroy();
    });
    const stages = (this.#fault.compress ?? []).map((coding) => CODINGS[coding]());
    await pipeline([source, ...stages, this.#openSink(gone.signal)]);
    this.#finish();
  }

  #openSink(gone: AbortSignal): Writable {
    const { dripMs } = this.#fault;
    const response = this.#response;
    const carry = (bytes: Buffer) =>
      dripMs === undefined ? written(response, bytes) : drip(response, bytes, dripMs, gone);
    return new Writable({
      write: (bytes: Buffer, _encoding, done) => void carry(bytes).then(() => done(), done),
    });
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = this.#queue.shift();
      if (next === "end") return;
      if (next) yield* next.pieces();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** Each flushes after every write, so that events are not held back. */
const CODINGS: { readonly [coding in HttpCoding]: () => Transform } = {
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
  deflate: () => createDeflate({ flush: constants.Z_SYNC_FLUSH }),
  br: () =>
    createBrotliCompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    }),
  zstd: () => createZstdCompress({ flush: constants.ZSTD_e_flush }),
};

async function drip(
  response: ServerResponse,
  bytes: Buffer,
  dripMs: number,
  gone: AbortSignal,
): Promise<void> {
  for (let index = 0; index < bytes.length; index += 1) {
    await written(response, bytes.subarray(index, index + 1));
    await wait(dripMs, undefined, { signal: gone });
  }
}

function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
