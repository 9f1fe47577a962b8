/** Faults in the text of an answer. */
export interface HttpPayloadFault {
  /**
   * The minimum size of an answer's JSON in bytes: the `_meta` of its result is padded. The padding is generated while it is
   * sent, so that it takes no memory. Default 0.
   */
  readonly answerBytes?: number | undefined;
  /**
   * Replaces the answer with its first half, text that is not JSON, JSON that is not JSON-RPC, the answer with a string that
   * is not UTF-8, or the answer with a `_meta` that is 200,000 arrays deep or more than a million arrays wide.
   */
  readonly garbled?: "truncated" | "not-json" | "not-rpc" | "not-utf8" | "deep" | "wide" | undefined;
}

/** Bytes that are generated piece by piece. */
export interface HttpPayload {
  readonly length: number;
  pieces(): Iterable<Buffer>;
}

/** A placeholder in the text of an answer. */
const MARK = "<filling of an answer>";
const DEPTH = 200_000;
const WIDTH = 1_100_000;
const PIECE = Buffer.alloc(65_536, "x");

/** The JSON of a message or a batch, changed by the fault. */
export function createPayload(value: unknown, fault: HttpPayloadFault = {}): HttpPayload {
  const { garbled, answerBytes = 0 } = fault;
  const text = JSON.stringify(value);
  switch (garbled) {
    case "truncated":
      return joined(Buffer.from(text.slice(0, text.length / 2)));
    case "not-json":
      return joined(Buffer.from("<!doctype html><title>Not JSON</title>"));
    case "not-rpc":
      return joined(Buffer.from('{"hello":"world"}'));
    case "not-utf8":
      return withInvalidByte(text);
    case "deep":
      return filled(value, `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`);
    case "wide":
      return filled(value, `[${"[],".repeat(WIDTH)}0]`);
    default:
      return Buffer.byteLength(text) < answerBytes ? padded(value, answerBytes) : joined(Buffer.from(text));
  }
}

/** The payload between two texts. */
export function wrapped(before: string, payload: HttpPayload, after: string): HttpPayload {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  return {
    length: head.length + payload.length + tail.length,
    *pieces() {
      yield head;
      yield* payload.pieces();
      yield tail;
    },
  };
}

/** The first half of a payload. */
export function firstHalf(payload: HttpPayload): HttpPayload {
  const length = Math.floor(payload.length / 2);
  return {
    length,
    *pieces() {
      let left = length;
      for (const piece of payload.pieces()) {
        yield piece.subarray(0, left);
        left -= piece.length;
        if (left <= 0) return;
      }
    },
  };
}

function joined(...buffers: readonly Buffer[]): HttpPayload {
  return { length: buffers.reduce((sum, { length }) => sum + length, 0), pieces: () => buffers };
}

/** Inserts 0xFF, which never occurs in UTF-8, after the first quotation mark. The JSON is otherwise intact. */
function withInvalidByte(text: string): HttpPayload {
  const middle = text.indexOf('"') + 1;
  return joined(Buffer.from(text.slice(0, middle)), Buffer.from([0xff]), Buffer.from(text.slice(middle)));
}

/** Inserts this JSON into the `_meta` of an answer's result. */
function filled(value: unknown, json: string): HttpPayload {
  const [before = "", after] = marked(value).split(`"${MARK}"`);
  if (after === undefined) return joined(Buffer.from(before));
  return joined(Buffer.from(before), Buffer.from(json), Buffer.from(after));
}

function padded(value: unknown, answerBytes: number): HttpPayload {
  const [before = "", after] = marked(value).split(MARK);
  if (after === undefined) return joined(Buffer.from(before));
  const padding = Math.max(0, answerBytes - Buffer.byteLength(before) - Buffer.byteLength(after));
  return wrapped(before, { length: padding, pieces: () => repeated(padding) }, after);
}

/** The JSON with the placeholder in the `_meta` of the result. An error has no result and stays as it is. */
function marked(value: unknown): string {
  const { result } = value as { result?: { _meta?: object } };
  if (!result) return JSON.stringify(value);
  const _meta = { ...result._meta, filling: MARK };
  return JSON.stringify({ ...(value as object), result: { ...result, _meta } });
}

function* repeated(length: number): Iterable<Buffer> {
  for (let left = length; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left);
}
