import { describe, expect, test } from "vitest";
import { createEventStreamParser, type StreamEvent } from "../../src/http/event-stream-parser.ts";

interface Parsed {
  readonly events: StreamEvent[];
  readonly retries: number[];
}

function parse(chunks: readonly (string | Buffer)[], maxEventBytes = 0): Parsed {
  const parsed: Parsed = { events: [], retries: [] };
  const parser = createEventStreamParser({
    maxEventBytes,
    onEvent: (event) => parsed.events.push(event),
    onRetry: (delayMs) => parsed.retries.push(delayMs),
  });
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  return parsed;
}

const message = (data: string, id?: string): StreamEvent => ({ type: "message", data, id });

const STREAMS: Readonly<Record<string, readonly [text: string, events: readonly StreamEvent[]]>> = {
  "one event": ["data: a\n\n", [message("a")]],
  "lines that end with CR LF": ["data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
  "lines that end with CR": ["data: a\r\rdata: b\r\r", [message("a"), message("b")]],
  "all ends of lines together": ["data: a\r\ndata: b\rdata: c\n\n", [message("a\nb\nc")]],
  "a byte order mark": ["\uFEFFdata: a\n\n", [message("a")]],
  "a byte order mark later is text": ["data: a\n\ndata: \uFEFFb\n\n", [message("a"), message("\uFEFFb")]],
  "several lines of data": ["data: a\ndata:\ndata: b\n\n", [message("a\n\nb")]],
  "only the first space is dropped": ["data:  a\n\ndata:b\n\n", [message(" a"), message("b")]],
  "a name": ["event: endpoint\ndata: /x\n\n", [{ type: "endpoint", data: "/x", id: undefined }]],
  "an empty name": ["event:\ndata: a\n\n", [message("a")]],
  "an id, for its own event only": ["id: 7\ndata: a\n\ndata: b\n\n", [message("a", "7"), message("b")]],
  "an id without data": ["id: 7\n\n", [message("", "7")]],
  "an id with a NUL is none": ["id: a\0b\ndata: a\n\n", [message("a")]],
  "comments, and fields nobody knows": [": hi\nfoo: bar\n:\ndata: a\n\n", [message("a")]],
  "a field without a colon": ["data\n\n", [message("")]],
  "a name without data is no event": ["event: ping\n\ndata: a\n\n", [message("a")]],
  "an event that the end cuts off": ["data: a\n\ndata: b\n", [message("a")]],
  "characters of several bytes": ["data: héllo 😀\n\n", [message("héllo 😀")]],
};

describe("a stream of events", () => {
  test.each(Object.entries(STREAMS))("reads %s, wherever it is cut", (_, [text, events]) => {
    const bytes = Buffer.from(text);
    expect(parse([bytes]).events).toEqual(events);
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)]).events).toEqual(events);
    expect(parse([...bytes].map((byte) => Buffer.from([byte]))).events).toEqual(events);
  });

  test("an event is handed over with the carriage return that ends it, before more arrives", () => {
    expect(parse(["data: a\r\r"]).events).toEqual([message("a")]);
  });

  test.each([
    ["retry: 1500\n", [1500]],
    ["retry: 1.5\nretry: -1\nretry: soon\nretry:\n", []],
    [`retry: ${"9".repeat(400)}\n`, []],
  ])("%j asks for %j", (text, retries) => {
    expect(parse([text]).retries).toEqual(retries);
  });

  test.each([
    ["one line", ["data: ", "x".repeat(100)]],
    ["many lines", Array.from({ length: 20 }, () => "data: xxxxx\n")],
  ])("[T84] an event of more than the limit in %s is refused before it ends", (_, chunks) => {
    expect(() => parse(chunks, 100)).toThrow(
      expect.objectContaining({ facts: { kind: "message-too-large", limitBytes: 100 } }),
    );
  });

  test("the limit holds for one event, and comments count for none", () => {
    const chunks = Array.from({ length: 50 }, () => `: ${"c".repeat(60)}\ndata: ${"x".repeat(60)}\n\n`);
    expect(parse(chunks, 100).events).toHaveLength(50);
  });
});
