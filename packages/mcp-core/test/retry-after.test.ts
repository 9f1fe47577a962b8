import { expect, test } from "vitest";
import { parseRetryAfter } from "../src/retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["reads a number of seconds", "120", 120_000],
  ["reads 0 as no wait", "0", 0],
  ["reads an HTTP date", "Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["takes a past date as no wait", "Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["gives nothing without the header", null, undefined],
  ["ignores an empty value", " ", undefined],
  ["ignores a word", "soon", undefined],
  ["ignores a fraction", "1.5", undefined],
  ["ignores a negative number", "-5", undefined],
  ["ignores an ISO date", "2026-01-01T00:00:30Z", undefined],
  ["cuts a day to one hour", "86400", 3_600_000],
  ["cuts an endless number to one hour", "9".repeat(400), 3_600_000],
  ["cuts a date years ahead to one hour", "Fri, 01 Jan 2038 00:00:00 GMT", 3_600_000],
])("Retry-After: %s", (_, header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});
