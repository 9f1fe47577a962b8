import { expect, test } from "vitest";
import { createOutputTail } from "../../src/stdio/output-tail.ts";

test("a short output is kept whole", () => {
  const tail = createOutputTail(100);
  tail.push(Buffer.from("one\n"));
  tail.push(Buffer.from("two\n"));
  expect(tail.text()).toBe("one\ntwo\n");
});

test("of a long output the end is kept, without the line that was cut", () => {
  const tail = createOutputTail(20);
  for (let line = 0; line < 1000; line += 1) tail.push(Buffer.from(`line ${line}\n`));
  expect(tail.text()).toBe("line 998\nline 999\n");
});

test("of one endless line the end is kept", () => {
  const tail = createOutputTail(10);
  tail.push(Buffer.from("x".repeat(100)));
  expect(tail.text()).toBe("x".repeat(10));
});
