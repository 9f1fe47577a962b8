import { ChannelFault } from "../channel-fault.ts";
import { createEventStreamParser, type EventStreamParserOptions } from "./event-stream-parser.ts";
import { createJoinedPieces } from "./joined-pieces.ts";

/** Takes the body of an answer as it arrives. Both methods may throw; nothing is pushed after that. */
export interface BodySink {
  push(chunk: Buffer): void;
  end(): void;
  /** Nobody wants the rest: what is still being done for it stops. */
  drop?(): void;
}

/** Passes events on as they come. An event that the end cuts off is dropped, as the format wants it. */
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

/** Keeps the beginning of a text that nobody waits for, such as the page of an error. It is handed over once, as soon as it is full. */
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

/** Without a byte order mark, which is no part of a text (WHATWG Encoding, "UTF-8 decode"). */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
