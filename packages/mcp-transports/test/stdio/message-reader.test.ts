import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, test, vi } from "vitest";
import { MessageReader, type MessageReaderOptions } from "../../src/stdio/message-reader.ts";

const lineOf = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`;
const chunkOf = (from: number, to: number) =>
  Buffer.from(Array.from({ length: to - from }, (_, index) => lineOf(from + index)).join(""));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const nextTurn = () => new Promise(setImmediate);

/** A reader, and the ids of what it has read. */
function createReader(overrides: Partial<MessageReaderOptions> = {}) {
  const read: number[] = [];
  const onFault = vi.fn();
  const onMessage = (message: JSONRPCMessage) => read.push((message as { id: number }).id);
  const reader = new MessageReader({
    maxMessageBytes: 0,
    onMessage,
    onError: () => {},
    onFault,
    onStrayOutput: () => {},
    ...overrides,
  });
  return { reader, read, onFault };
}

test("a burst of messages is read in order, over several turns of the event loop", async () => {
  const readBefore: number[] = [];
  const { reader, read } = createReader({
    onMessage(message) {
      const { id } = message as { id: number };
      read.push(id);
      queueMicrotask(() => readBefore.push(read.length));
    },
  });
  reader.push(chunkOf(0, 200));
  reader.push(chunkOf(200, 300));
  expect(read.length).toBeLessThan(100);
  await nextTurn();
  expect(read).toEqual(numbers(300));
  expect(Math.min(...readBefore)).toBeLessThan(100);
});

test("a few messages are read synchronously", () => {
  const { reader, read } = createReader();
  reader.push(chunkOf(0, 10));
  expect(read).toEqual(numbers(10));
});

test("an oversized message ends reading: earlier messages are read, later ones are not", async () => {
  const { reader, read, onFault } = createReader({ maxMessageBytes: 1000 });
  const told = new Promise<number>((resolve) => onFault.mockImplementation(() => resolve(read.length)));
  reader.push(Buffer.concat([chunkOf(0, 100), Buffer.alloc(1001, "x")]));
  reader.push(chunkOf(100, 200));
  expect(onFault).not.toHaveBeenCalled();
  expect(await told).toBe(100);
  await nextTurn();
  reader.push(chunkOf(200, 300));
  expect(read).toEqual(numbers(100));
  expect(onFault).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ facts: { kind: "message-too-large", limitBytes: 1000 } }),
  );
});

test("a message handler that throws does not stop later messages", async () => {
  const onError = vi.fn();
  const read: number[] = [];
  const { reader } = createReader({
    onError,
    onMessage(message) {
      read.push((message as { id: number }).id);
      throw "not even an error";
    },
  });
  reader.push(chunkOf(0, 60));
  await nextTurn();
  expect(read).toEqual(numbers(60));
  expect(onError).toHaveBeenCalledTimes(60);
});
