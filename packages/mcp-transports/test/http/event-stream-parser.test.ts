import { describe, expect, test } from "vitest";
import { eventSink, type StreamEvent } from "../../src/http/body-sink.ts";

interface Parsed {
  readonly events: StreamEvent[];
  readonly retries: number[];
}

function parse(chunks: readonly (string | Buffer)[], maxEventBytes = 0): Parsed {
  const parsed: Parsed = { events: [], retries: [] };
  const sink = eventSink({
    maxEventBytes,
    onEvent: (event) => parsed.events.push(event),
    onRetry: (delayMs) => parsed.retries.push(delayMs),
  });
  for (const chunk of chunks) sink.push(Buffer.from(chunk));
  return parsed;
}

const message = (data: string, id?: string): StreamEvent => ({ type: "message", data, id });

const STREAMS: Readonly<Record<string, readonly [text: string, events: readonly StreamEvent[]]>> = {
  "one event": ["data: a\n\n", [message("a")]],
  "CR LF line ends": ["data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
  "CR line ends": ["data: a\r\rdata: b\r\r:\r\r", [message("a"), message("b")]],
  "mixed line ends": ["data: a\r\ndata: b\rdata: c\n\n", [message("a\nb\nc")]],
  "a byte order mark at the start": ["\uFEFFdata: a\n\n", [message("a")]],
  "a later byte order mark as text": ["data: a\n\ndata: \uFEFFb\n\n", [message("a"), message("\uFEFFb")]],
  "several data lines": ["data: a\ndata:\ndata: b\n\n", [message("a\n\nb")]],
  "data without its first space": ["data:  a\n\ndata:b\n\n", [message(" a"), message("b")]],
  "an event name": ["event: endpoint\ndata: /x\n\n", [{ type: "endpoint", data: "/x", id: undefined }]],
  "an empty event name": ["event:\ndata: a\n\n", [message("a")]],
  "an id that applies only to its own event": [
    "id: 7\ndata: a\n\ndata: b\n\n",
    [message("a", "7"), message("b")],
  ],
  "an id with empty data": ["id: 7\ndata:\n\n", [message("", "7")]],
  "an id with NUL as no id": ["id: a\0b\ndata: a\n\n", [message("a")]],
  "comments and unknown fields": [": hi\nfoo: bar\n:\ndata: a\n\n", [message("a")]],
  "a field without a colon": ["data\n\n", [message("")]],
  "an event name without data as no event": ["event: ping\n\ndata: a\n\n", [message("a")]],
  "an unfinished event as no event": ["data: a\n\ndata: b\n", [message("a")]],
  "multi-byte characters": ["data: héllo 😀\n\n", [message("héllo 😀")]],
};

describe("an event stream", () => {
  test.each(Object.entries(STREAMS))("reads %s, wherever the bytes are split", (_, [text, events]) => {
    const bytes = Buffer.from(text);
    expect(parse([bytes]).events).toEqual(events);
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)]).events).toEqual(events);
    expect(parse([...bytes].map((byte) => Buffer.from([byte]))).events).toEqual(events);
  });

  test.each([
    ["retry: 1500\n", [1500]],
    ["retry: 1.5\nretry: -1\nretry: soon\nretry:\n", []],
  ])("reads %j as the retry delays %j", (text, retries) => {
    expect(parse([text]).retries).toEqual(retries);
  });

  test.each([
    ["one line", ["data: ", "x".repeat(100)]],
    ["many lines", Array.from({ length: 20 }, () => "data: xxxxx\n")],
  ])("[T84] with an event over the limit in %s is refused before the event ends", (_, chunks) => {
    expect(() => parse(chunks, 100)).toThrow(
      expect.objectContaining({ facts: { kind: "message-too-large", limitBytes: 100 } }),
    );
  });

  test("is limited per event, and comments do not count", () => {
    const chunks = Array.from({ length: 50 }, () => `: ${"c".repeat(60)}\ndata: ${"x".repeat(60)}\n\n`);
    expect(parse(chunks, 100).events).toHaveLength(50);
  });
});
