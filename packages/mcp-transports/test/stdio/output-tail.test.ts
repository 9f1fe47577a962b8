import { expect, test } from "vitest";
import { OutputTail } from "../../src/stdio/stdio-transport.ts";

test("keeps a short output whole", () => {
  const tail = new OutputTail(100);
  tail.push(Buffer.from("one\n"));
  tail.push(Buffer.from("two\n"));
  expect(tail.text()).toBe("one\ntwo\n");
});

test("keeps the last whole lines of a long output", () => {
  const tail = new OutputTail(20);
  for (let line = 0; line < 1000; line += 1) tail.push(Buffer.from(`line ${line}\n`));
  expect(tail.text()).toBe("line 998\nline 999\n");
});

test("keeps the last lines of a long chunk and the output after it", () => {
  const tail = new OutputTail(20);
  tail.push(Buffer.from("lost\nsecond to last\n"));
  tail.push(Buffer.from(`${"x".repeat(100)}\nalmost\nlast`));
  expect(tail.text()).toBe("almost\nlast");
  tail.push(Buffer.from("\nmore"));
  expect(tail.text()).toBe("almost\nlast\nmore");
});

test("keeps a chunk of exactly the limit whole", () => {
  const tail = new OutputTail(8);
  tail.push(Buffer.from("one\ntwo\n"));
  expect(tail.text()).toBe("one\ntwo\n");
});

test("keeps the last bytes of an endless line", () => {
  const tail = new OutputTail(10);
  tail.push(Buffer.from("x".repeat(100)));
  expect(tail.text()).toBe("x".repeat(10));
});
