/**
 * What a `Retry-After` header asks for, in milliseconds from `now` (RFC 9110, section 10.2.3: seconds or a date).
 * `undefined` if there is none or it makes no sense.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
