import { expect, test } from "vitest";
import { excerptSink } from "../../src/http/body-sink.ts";

test("an excerpt is delivered once, as soon as it is full", () => {
  const texts: string[] = [];
  const sink = excerptSink(8, (text) => texts.push(text));
  sink.push(Buffer.from("12345"));
  expect(texts).toEqual([]);
  sink.push(Buffer.from("6789"));
  expect(texts).toEqual(["12345678"]);
  sink.push(Buffer.from("0"));
  sink.end();
  expect(texts).toHaveLength(1);
});

test("an excerpt that is not full is delivered at the end", () => {
  const texts: string[] = [];
  const sink = excerptSink(8, (text) => texts.push(text));
  sink.push(Buffer.from("123"));
  sink.end();
  expect(texts).toEqual(["123"]);
});
