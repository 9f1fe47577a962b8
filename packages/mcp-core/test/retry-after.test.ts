import { expect, test } from "vitest";
import { parseRetryAfter } from "../src/retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["seconds", "120", 120_000],
  ["no wait", "0", 0],
  ["a date", "Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["a date that has passed", "Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["nothing", null, undefined],
  ["an empty value", " ", undefined],
  ["nonsense", "soon", undefined],
  ["a fraction", "1.5", undefined],
  ["a negative number", "-5", undefined],
  ["a date without its weekday", "2026-01-01T00:00:30Z", undefined],
  ["an hour and more", "86400", 3_600_000],
  ["a number without end", "9".repeat(400), 3_600_000],
  ["a date in years", "Fri, 01 Jan 2038 00:00:00 GMT", 3_600_000],
])("Retry-After with %s", (_, header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});
