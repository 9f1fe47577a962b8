/** A longer wait is cut to this. */
const LONGEST_MS = 3_600_000;

/** All HTTP date formats begin with the day of the week. `Date.parse` alone would take `1.5` or `-5` for a date as well. */
const DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3: seconds or a date) for the `retryAfterMs` of an error.
 *
 * @param header - its value, `null` if it is missing
 * @param now - epoch milliseconds
 * @returns milliseconds from `now`, an hour at most; `undefined` if the header is missing or malformed.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), LONGEST_MS);
}
