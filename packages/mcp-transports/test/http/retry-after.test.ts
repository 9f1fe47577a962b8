import { expect, test } from "vitest";
import { parseRetryAfter } from "../../src/http/retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["seconds", "120", 120_000],
  ["no wait", "0", 0],
  ["a date", "Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["a date that has passed", "Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["nothing", null, undefined],
  ["an empty value", " ", undefined],
  ["nonsense", "soon", undefined],
])("Retry-After with %s", (_, header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});
