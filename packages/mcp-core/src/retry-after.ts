/** Whoever asks for more is asked again after so long. */
const LONGEST_MS = 3_600_000;

/** The forms of a date all begin with the day of the week; without one, `Date.parse` takes `1.5` or `-5` for a date as well. */
const DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;

/**
 * For whoever makes errors of HTTP answers, as their `retryAfterMs`: what a `Retry-After` header asks for (RFC 9110,
 * section 10.2.3: seconds or a date).
 *
 * @param header - its value, `null` where there is none
 * @param now - milliseconds since 1970
 * @returns milliseconds from `now`, an hour at most; `undefined` if there is no header or it makes no sense.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), LONGEST_MS);
}
