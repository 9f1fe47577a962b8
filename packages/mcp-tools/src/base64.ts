const NOT_BASE64 = /[^A-Za-z0-9+/=_-]/;
const SPACE = /[\t\n\f\r ]/g;

/**
 * Whether a text can be decoded as base64, of either alphabet and with or without its padding. White space is let through.
 * Linear in the length of the text.
 */
export function isBase64(data: string): boolean {
  const text = data.search(SPACE) === -1 ? data : data.replace(SPACE, "");
  if (NOT_BASE64.test(text)) return false;
  const end = text.indexOf("=");
  if (end === -1) return text.length % 4 !== 1;
  return text.length % 4 === 0 && text.length - end <= 2 && text.endsWith("=".repeat(text.length - end));
}
