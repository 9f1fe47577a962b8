import { expect, test } from "vitest";
import { createOutputTail } from "../../src/stdio/output-tail.ts";

test("a short output is kept whole", () => {
  const tail = createOutputTail({ maxBytes: 100 });
  tail.push(Buffer.from("one\n"));
  tail.push(Buffer.from("two\n"));
  expect(tail.text()).toBe("one\ntwo\n");
});

test("of a long output the end is kept, without the line that was cut", () => {
  const tail = createOutputTail({ maxBytes: 20 });
  for (let line = 0; line < 1000; line += 1) tail.push(Buffer.from(`line ${line}\n`));
  expect(tail.text()).toBe("line 998\nline 999\n");
});

test("of a long chunk the end is kept, and what follows it", () => {
  const tail = createOutputTail({ maxBytes: 20 });
  tail.push(Buffer.from("lost\nsecond to last\n"));
  tail.push(Buffer.from(`${"x".repeat(100)}\nalmost\nlast`));
  expect(tail.text()).toBe("almost\nlast");
  tail.push(Buffer.from("\nmore"));
  expect(tail.text()).toBe("almost\nlast\nmore");
});

test("a chunk of exactly the limit is kept whole", () => {
  const tail = createOutputTail({ maxBytes: 8 });
  tail.push(Buffer.from("one\ntwo\n"));
  expect(tail.text()).toBe("one\ntwo\n");
});

test("of one endless line the end is kept", () => {
  const tail = createOutputTail({ maxBytes: 10 });
  tail.push(Buffer.from("x".repeat(100)));
  expect(tail.text()).toBe("x".repeat(10));
});

test("[X19] of one endless line that repeats a secret, no half of it is left wherever the line was cut", () => {
  const secret = "s3cr3t-tökén";
  const tail = createOutputTail({ maxBytes: 64, secrets: [secret] });
  tail.push(Buffer.from(secret.repeat(10)));
  for (let cut = 0; cut < 30; cut += 1) {
    tail.push(Buffer.from("x"));
    expect(tail.text()).toMatch(/^(s3cr3t-tökén)*x*$/);
  }
});
