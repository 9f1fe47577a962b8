import { createParser } from "eventsource-parser";
import { TransportFault } from "../faults.ts";
import { JoinedPieces } from "../joined-pieces.ts";

/** One event of a stream (WHATWG HTML, section 9.2, "Server-sent events"). */
export interface StreamEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  readonly data: string;
  readonly id?: string | undefined;
}

/** Takes the body of an answer as it arrives. `push` and `end` may throw; nothing is pushed after that. */
export interface BodySink {
  push(chunk: Buffer): void;
  end(): void;
  /** The rest is not needed: stops work that is under way. */
  drop?(): void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export interface EventSinkOptions {
  /** For the data of one event, and for one line; `0` means no limit. */
  readonly maxEventBytes: number;
  onEvent(event: StreamEvent): void;
  /** Receives the value of the `retry:` field, in milliseconds. */
  onRetry?(delayMs: number): void;
}

/** Passes events on as they come. An incomplete event at the end is dropped, as the format requires. */
export function eventSink({ maxEventBytes, onEvent, onRetry = () => {} }: EventSinkOptions): BodySink {
  const limitBytes = maxEventBytes || Number.POSITIVE_INFINITY;
  const refuse = () => {
    throw new TransportFault({ kind: "message-too-large", limitBytes });
  };
  const parser = createParser({
    maxBufferSize: limitBytes,
    onEvent: ({ event = "message", data, id }) => {
      if (data.length > limitBytes || Buffer.byteLength(data) > limitBytes) refuse();
      onEvent({ type: event, data, id });
    },
    onRetry,
    onError: ({ type }) => type === "max-buffer-size-exceeded" && refuse(),
  });
  /** The beginning of a line whose end has not come yet. */
  const pieces = new JoinedPieces();
  const keep = (piece: Buffer) => {
    pieces.push(piece);
    if (pieces.bytes > limitBytes) refuse();
  };
  return {
    push(chunk) {
      const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
      if (end > 0) {
        pieces.push(chunk.subarray(0, end));
        parser.feed(textOf(pieces.take()));
      }
      if (end < chunk.length) keep(chunk.subarray(end));
    },
    end() {},
  };
}

/** Collects a text and hands it over at its end. `0` means no limit. */
export function textSink(maxBytes: number, onText: (text: string) => void): BodySink {
  const pieces = new JoinedPieces();
  return {
    push(chunk) {
      pieces.push(chunk);
      if (maxBytes > 0 && pieces.bytes > maxBytes)
        throw new TransportFault({ kind: "message-too-large", limitBytes: maxBytes });
    },
    end: () => onText(textOf(pieces.take())),
  };
}

/** Keeps the beginning of a text, such as an error page. It is handed over once, as soon as it is full or the text ends. */
export function excerptSink(maxBytes: number, onText: (text: string) => void): BodySink {
  const pieces = new JoinedPieces();
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    onText(textOf(pieces.take()));
  };
  return {
    push(chunk) {
      if (isOver) return;
      pieces.push(chunk.subarray(0, maxBytes - pieces.bytes));
      if (pieces.bytes >= maxBytes) end();
    },
    end,
  };
}

/** Calls `onPush` before each chunk is passed on. */
export function heardSink(sink: BodySink, onPush: () => void): BodySink {
  return {
    ...sink,
    push(chunk) {
      onPush();
      sink.push(chunk);
    },
  };
}

/** Decodes UTF-8 without the byte order mark, which is not part of the text (WHATWG Encoding, "UTF-8 decode"). */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
