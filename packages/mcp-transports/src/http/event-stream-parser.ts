import { ChannelFault } from "../channel-fault.ts";

/** One event of a stream (WHATWG HTML, section 9.2, "Server-sent events"). */
export interface StreamEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  /** Empty for an event that only carries an id. */
  readonly data: string;
  readonly id?: string | undefined;
}

export interface EventStreamParserOptions {
  /** The lines of one event together; `0` means no limit. */
  readonly maxEventBytes: number;
  onEvent(event: StreamEvent): void;
  /** Receives the value of the `retry:` field, in milliseconds. */
  onRetry(delayMs: number): void;
}

/** Reads events from bytes that arrive in any pieces. */
export interface EventStreamParser {
  /** @throws ChannelFault `message-too-large`; nothing may be pushed after that. */
  push(chunk: Buffer): void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

export function createEventStreamParser(options: EventStreamParserOptions): EventStreamParser {
  return new LineParser(options);
}

class LineParser implements EventStreamParser {
  readonly #options: EventStreamParserOptions;
  /** The beginning of a line whose end has not come yet. */
  readonly #pieces = createJoinedPieces();
  /** The size of the pieces and of the event's lines so far. */
  #bytes = 0;
  #mayHaveLineFeed = false;
  #isAtStart = true;
  #data: string | undefined;
  #type = "";
  #id: string | undefined;

  constructor(options: EventStreamParserOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#mayHaveLineFeed && chunk.length > 0) {
      this.#mayHaveLineFeed = false;
      if (chunk[0] === LINE_FEED) start = 1;
    }
    let carriageReturn = chunk.indexOf(CARRIAGE_RETURN, start);
    for (;;) {
      if (carriageReturn !== -1 && carriageReturn < start)
        carriageReturn = chunk.indexOf(CARRIAGE_RETURN, start);
      const lineFeed = chunk.indexOf(LINE_FEED, start);
      const isCarriageReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed);
      const end = isCarriageReturn ? carriageReturn : lineFeed;
      if (end === -1) break;
      this.#endLine(chunk.subarray(start, end));
      start = end + 1;
      if (!isCarriageReturn) continue;
      if (start === chunk.length) this.#mayHaveLineFeed = true;
      else if (chunk[start] === LINE_FEED) start += 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#count(piece.length);
    this.#pieces.push(piece);
  }

  #endLine(rest: Buffer): void {
    this.#count(rest.length);
    let line = rest;
    if (!this.#pieces.isEmpty) {
      this.#pieces.push(rest);
      line = this.#pieces.take();
    }
    if (this.#isAtStart) {
      this.#isAtStart = false;
      if (line.subarray(0, 3).equals(BYTE_ORDER_MARK)) line = line.subarray(3);
    }
    if (line.length === 0) this.#endEvent();
    else this.#takeField(line);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { maxEventBytes } = this.#options;
    if (maxEventBytes > 0 && this.#bytes > maxEventBytes)
      throw new ChannelFault({ kind: "message-too-large", limitBytes: maxEventBytes });
  }

  #takeField(line: Buffer): void {
    const colon = line.indexOf(COLON);
    if (colon === 0) {
      // A comment is not part of an event, and a stream may have any number of them.
      this.#bytes -= line.length;
      return;
    }
    const name = line.toString("latin1", 0, colon === -1 ? line.length : colon);
    const from = colon === -1 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1);
    const value = line.toString("utf8", from);
    if (name === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d{1,15}$/.test(value)) this.#options.onRetry(Number(value));
  }

  #endEvent(): void {
    const data = this.#data;
    const id = this.#id;
    const type = this.#type || "message";
    this.#data = undefined;
    this.#id = undefined;
    this.#type = "";
    this.#bytes = 0;
    if (data !== undefined || id !== undefined) this.#options.onEvent({ type, data: data ?? "", id });
  }
}

/** How many pieces are collected before they may be joined. */
const MOST_PIECES = 256;

/** Pieces of this average size or more are not joined: the overhead of each, some hundred bytes, is small in comparison. */
const SMALL_BYTES = 1024;

/** Collects bytes that arrive in pieces of any size. Small pieces are joined on the way: their overhead is a multiple of their bytes. */
interface JoinedPieces {
  readonly isEmpty: boolean;
  push(piece: Buffer): void;
  /** Returns all bytes, and starts empty again. */
  take(): Buffer;
}

export function createJoinedPieces(): JoinedPieces {
  let joined: Buffer[] = [];
  let recent: Buffer[] = [];
  let recentBytes = 0;
  const join = () => {
    if (recentBytes < recent.length * SMALL_BYTES) joined.push(Buffer.concat(recent, recentBytes));
    else for (const piece of recent) joined.push(piece);
    recent = [];
    recentBytes = 0;
  };
  return {
    get isEmpty() {
      return joined.length === 0 && recent.length === 0;
    },
    push(piece) {
      recent.push(piece);
      recentBytes += piece.length;
      if (recent.length === MOST_PIECES) join();
    },
    take() {
      const all = joined.length === 0 ? recent : [...joined, ...recent];
      joined = [];
      recent = [];
      recentBytes = 0;
      const [only] = all;
      return all.length === 1 && only ? only : Buffer.concat(all);
    },
  };
}
