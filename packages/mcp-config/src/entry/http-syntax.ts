/** The scheme of a text that begins like an absolute URL, in lower case. */
export function schemeOf(text: string): string | undefined {
  if (text.startsWith("https://")) return "https"; // Most URLs end here, without a pattern to compile.
  return text.includes(":") ? /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() : undefined;
}

/**
 * Whether a text is a URL that parsing leaves as it is: without port, dots in its path or query, with a host of plain words. Most
 * are, and to parse one takes ten times as long.
 */
export function isNormalUrl(text: string): boolean {
  return NORMAL_URL.test(text);
}

const NORMAL_URL = /^https?:\/\/(?:(?!xn--)[a-z][a-z\d-]*\.)*(?!xn--)[a-z][a-z\d-]*\/[\w/-]*$/;

/** Whether a text is an absolute `http:` or `https:` URL. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Whether a text can name a header (RFC 9110, section 5.1: a token). */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** Whether a text can be sent as a header's value: printable Latin-1 and tabs, so no line break can smuggle a header in. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
