import { once } from "node:events";
import { Writable } from "node:stream";
import { expect, test, vi } from "vitest";
import { WriteQueue } from "../../src/stdio/write-queue.ts";

/** A stream that completes a write only on `takeNext`. */
function createValve() {
  const written: string[] = [];
  const taken: (() => void)[] = [];
  const stream = new Writable({
    write(chunk, _encoding, callback) {
      written.push(String(chunk));
      taken.push(callback);
    },
  });
  return { stream, written, takeNext: () => taken.shift()?.() };
}

const TEN_BYTES = { maxWaitingBytes: 10, lineOverheadBytes: 0 };

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error) => error.message,
  );

test("lines of the same tick go out in one write, in order", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream);
  const lines = ["a", "b", "c"].map((line) => queue.push(line));
  await Promise.resolve();
  expect(written).toEqual(["a\nb\nc\n"]);
  takeNext();
  await Promise.all(lines);
});

test("lines pushed during a write wait and go out together", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream);
  const first = queue.push("a");
  await Promise.resolve();
  const later = [queue.push("b"), queue.push("c")];
  expect(written).toEqual(["a\n"]);
  takeNext();
  await first;
  expect(written).toEqual(["a\n", "b\nc\n"]);
  takeNext();
  await Promise.all(later);
});

test("long lines go out in separate writes", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream);
  const long = "x".repeat(200_000);
  const lines = [queue.push(long), queue.push("b"), queue.push(long)];
  while (written.length < 2) {
    await Promise.resolve();
    takeNext();
    await new Promise(setImmediate);
  }
  expect(written).toEqual([`${long}\nb\n`, `${long}\n`]);
  takeNext();
  await Promise.all(lines);
});

test("[R13] a line over the queue limit is refused, and no part of it is written", async () => {
  const { stream, written } = createValve();
  const queue = new WriteQueue(stream, TEN_BYTES);
  const pending = [queue.push("under way")];
  await Promise.resolve();
  pending.push(queue.push("12345"));
  expect(await faultOf(queue.push("67890"))).toBe("queue-full");
  pending.push(queue.push("678"));
  expect(await faultOf(queue.push("9"))).toBe("queue-full");
  queue.end();
  expect(await Promise.all(pending.map(faultOf))).toEqual(["write-broken", "unwritable", "unwritable"]);
  expect(written).toEqual(["under way\n"]);
});

test("a line of any size is accepted if nothing is waiting", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream, TEN_BYTES);
  const line = queue.push("much longer than that");
  await Promise.resolve();
  expect(written).toHaveLength(1);
  takeNext();
  await line;
});

test("an unwanted line is not written and makes room in the queue", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream, TEN_BYTES);
  const events: string[] = [];
  let isWanted = true;
  const dropped = Promise.withResolvers<void>();
  const follower = {
    isWanted: () => isWanted,
    onWriting: () => events.push("written"),
    onRefused() {},
    onFailed: dropped.reject,
    onTaken: dropped.resolve,
  };
  const first = queue.push("a");
  await Promise.resolve();
  queue.add(() => "12345678", follower);
  isWanted = false;
  queue.noticeUnwanted();
  const kept = queue.push("87654321");
  await dropped.promise;
  takeNext();
  await first;
  takeNext();
  await kept;
  expect(written).toEqual(["a\n", "87654321\n"]);
  expect(events).toEqual([]);
});

test("each line counts with an overhead, so short lines cannot fill the memory", async () => {
  const { stream } = createValve();
  const queue = new WriteQueue(stream, { maxWaitingBytes: 1000, lineOverheadBytes: 100 });
  const lines = [queue.push("under way")];
  await Promise.resolve();
  for (let n = 0; n < 9; n += 1) lines.push(queue.push("a"));
  expect(await faultOf(queue.push("a"))).toBe("queue-full");
  queue.end();
  await Promise.all(lines.map(faultOf));
});

test("[T88] a full queue is searched for unwanted lines only after noticeUnwanted()", async () => {
  const { stream } = createValve();
  const queue = new WriteQueue(stream, TEN_BYTES);
  const isWanted = vi.fn(() => true);
  const lines = [queue.push("under way")];
  await Promise.resolve();
  queue.add(() => "12345678", { isWanted, onWriting() {}, onRefused() {}, onFailed() {} });
  const refuse = async (times: number) => {
    for (let n = 0; n < times; n += 1) expect(await faultOf(queue.push("more"))).toBe("queue-full");
  };
  await refuse(100);
  expect(isWanted).not.toHaveBeenCalled();
  queue.noticeUnwanted();
  await refuse(100);
  expect(isWanted).toHaveBeenCalledOnce();
  queue.end();
  await Promise.all(lines.map(faultOf));
});

test("[R11] a broken stream rejects every line", async () => {
  const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error("EPIPE")) });
  const queue = new WriteQueue(stream);
  const line = queue.push("a");
  await once(stream, "error").catch(() => {});
  queue.end();
  expect(await faultOf(line)).toBe("write-broken");
  expect(await faultOf(queue.push("b"))).toBe("unwritable");
});

test("what waits behind a mebibyte is kept as the message, and written as text when there is room", async () => {
  const { stream, written, takeNext } = createValve();
  const queue = new WriteQueue(stream);
  const formats = Array.from({ length: 30 }, (_, index) => vi.fn(() => `${index} ${"x".repeat(100_000)}`));
  const failed = vi.fn();
  const taken = Promise.withResolvers<void>();
  formats.forEach((format, index) => {
    const isLast = index === formats.length - 1;
    const follower = { isWanted: () => true, onWriting() {}, onRefused() {}, onFailed: failed };
    queue.add(format, isLast ? { ...follower, onTaken: taken.resolve } : follower);
  });
  formats[20]?.mockImplementationOnce(() => {
    throw new Error("changed meanwhile");
  });
  let isDone = false;
  void taken.promise.then(() => {
    isDone = true;
  });
  while (!isDone) {
    takeNext();
    await new Promise(setImmediate);
  }
  const times = formats.map((format) => format.mock.calls.length);
  expect(times.slice(0, 10)).toEqual(Array(10).fill(1));
  expect(times.slice(15)).toEqual(Array(15).fill(2));
  expect(written.join("").match(/^\d+/gm)?.map(Number)).toEqual(
    Array.from({ length: 30 }, (_, index) => index).filter((index) => index !== 20),
  );
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "changed meanwhile" }));
});
