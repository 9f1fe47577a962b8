import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { eventSink } from "../../src/http/body-sink.ts";
import { JoinedPieces } from "../../src/joined-pieces.ts";

/** What is still used after a collection of garbage, in bytes. */
function keptHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

describe("joined pieces", () => {
  test.each([0, 1, 255, 256, 257, 70_000])("%d single bytes come out as they went in", (count) => {
    const pieces = new JoinedPieces();
    expect(pieces.bytes).toBe(0);
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => index % 251));
    for (let index = 0; index < count; index += 1) pieces.push(bytes.subarray(index, index + 1));
    expect(pieces.bytes).toBe(count);
    expect(pieces.take().equals(bytes)).toBe(true);
    expect(pieces.bytes).toBe(0);
  });

  test("large and small pieces come out in order", () => {
    const pieces = new JoinedPieces();
    const all = Array.from({ length: 700 }, (_, index) => Buffer.alloc(index < 300 ? 5000 : 3, index % 251));
    for (const piece of all) pieces.push(piece);
    expect(pieces.take().equals(Buffer.concat(all))).toBe(true);
  });

  test("a single piece is not copied", () => {
    const pieces = new JoinedPieces();
    const only = Buffer.from("only");
    pieces.push(only);
    expect(pieces.take()).toBe(only);
  });

  test.each([
    [1, "joined"],
    [1023, "joined"],
    [1024, "kept as they are"],
  ])("pieces of %d bytes are %s", (size, fate) => {
    const pieces = new JoinedPieces();
    const piece = Buffer.alloc(size, "a");
    for (let index = 0; index < 256; index += 1) pieces.push(piece);
    // What was joined is a copy.
    piece.fill("b");
    expect(pieces.take().toString()).toBe((fate === "joined" ? "a" : "b").repeat(size * 256));
  });

  test("a million single bytes keep less than ten bytes of heap each", () => {
    const count = 1_000_000;
    const byte = Buffer.from("a");
    const pieces = new JoinedPieces();
    const heapBefore = keptHeap();
    for (let index = 0; index < count; index += 1) pieces.push(Buffer.from(byte.buffer, byte.byteOffset, 1));
    expect(keptHeap() - heapBefore).toBeLessThan(10 * count);
    expect(pieces.take()).toHaveLength(count);
  });
});

test("an event that arrives byte by byte is read", () => {
  const data = "x".repeat(3000);
  const heard: string[] = [];
  const onEvent = (event: { readonly data: string }) => heard.push(event.data);
  const sink = eventSink({ maxEventBytes: 10_000, onEvent });
  for (const byte of Buffer.from(`data: ${data}\n\n`)) sink.push(Buffer.from([byte]));
  expect(heard).toEqual([data]);
});
