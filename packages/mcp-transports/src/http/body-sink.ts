import { ChannelFault } from "../channel-fault.ts";
import {
  createEventStreamParser,
  createJoinedPieces,
  type EventStreamParserOptions,
} from "./event-stream-parser.ts";

/** Takes the body of an answer as it arrives. `push` and `end` may throw; nothing is pushed after that. */
export interface BodySink {
  push(chunk: Buffer): void;
  end(): void;
  /** The rest is not needed: stops work that is under way. */
  drop?(): void;
}

/** Passes events on as they come. An incomplete event at the end is dropped, as the format requires. */
export function eventSink(options: EventStreamParserOptions): BodySink {
  const parser = createEventStreamParser(options);
  return { push: (chunk) => parser.push(chunk), end() {} };
}

/** Collects a text and hands it over at its end. `0` means no limit. */
export function textSink(maxBytes: number, onText: (text: string) => void): BodySink {
  const pieces = createJoinedPieces();
  let bytes = 0;
  return {
    push(chunk) {
      bytes += chunk.length;
      if (maxBytes > 0 && bytes > maxBytes)
        throw new ChannelFault({ kind: "message-too-large", limitBytes: maxBytes });
      pieces.push(chunk);
    },
    end: () => onText(textOf(pieces.take())),
  };
}

/** Keeps the beginning of a text, such as an error page. It is handed over once, as soon as it is full or the text ends. */
export function excerptSink(maxBytes: number, onText: (text: string) => void): BodySink {
  const pieces = createJoinedPieces();
  let bytes = 0;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    onText(textOf(pieces.take()));
  };
  return {
    push(chunk) {
      if (isOver) return;
      pieces.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.length;
      if (bytes >= maxBytes) end();
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
