import { describe, expect, test } from "vitest";
import { createEventStreamParser, createJoinedPieces } from "../../src/http/event-stream-parser.ts";

describe("joined pieces", () => {
  test.each([0, 1, 255, 256, 257, 70_000])("%d single bytes come out as they went in", (count) => {
    const pieces = createJoinedPieces();
    expect(pieces.isEmpty).toBe(true);
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => index % 251));
    for (let index = 0; index < count; index += 1) pieces.push(bytes.subarray(index, index + 1));
    expect(pieces.isEmpty).toBe(count === 0);
    expect(pieces.take().equals(bytes)).toBe(true);
    expect(pieces.isEmpty).toBe(true);
  });

  test("large and small pieces come out in order", () => {
    const pieces = createJoinedPieces();
    const all = Array.from({ length: 700 }, (_, index) => Buffer.alloc(index < 300 ? 5000 : 3, index % 251));
    for (const piece of all) pieces.push(piece);
    expect(pieces.take().equals(Buffer.concat(all))).toBe(true);
  });

  test("a single piece is not copied", () => {
    const pieces = createJoinedPieces();
    const only = Buffer.from("only");
    pieces.push(only);
    expect(pieces.take()).toBe(only);
  });

  test.each([
    [1, "joined"],
    [1023, "joined"],
    [1024, "kept as they are"],
  ])("pieces of %d bytes are %s", (size, fate) => {
    const pieces = createJoinedPieces();
    const piece = Buffer.alloc(size, "a");
    for (let index = 0; index < 256; index += 1) pieces.push(piece);
    // What was joined is a copy.
    piece.fill("b");
    expect(pieces.take().toString()).toBe((fate === "joined" ? "a" : "b").repeat(size * 256));
  });

  test("a million single bytes take less than 60 bytes of heap each", () => {
    const count = 1_000_000;
    const byte = Buffer.from("a");
    const pieces = createJoinedPieces();
    const heapBefore = process.memoryUsage().heapUsed;
    for (let index = 0; index < count; index += 1) pieces.push(Buffer.from(byte.buffer, byte.byteOffset, 1));
    globalThis.gc?.();
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(60 * count);
    expect(pieces.take()).toHaveLength(count);
  });
});

test("an event that arrives byte by byte is read", () => {
  const data = "x".repeat(3000);
  const heard: string[] = [];
  const onEvent = (event: { readonly data: string }) => heard.push(event.data);
  const parser = createEventStreamParser({ maxEventBytes: 10_000, onEvent, onRetry() {} });
  for (const byte of Buffer.from(`data: ${data}\n\n`)) parser.push(Buffer.from([byte]));
  expect(heard).toEqual([data]);
});
