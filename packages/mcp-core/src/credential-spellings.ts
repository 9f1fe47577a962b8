/** Shorter spellings occur in ordinary text by chance; replacing them would hide more than it protects. */
export const SHORTEST_CREDENTIAL = 6;

/** Lines of a value that are hidden on their own. Shorter ones are words. */
const SHORTEST_LINE = 8;

/** The first and the last line of a key in PEM say what it is, and nothing of it. */
const ARMOUR = /^-----(?:BEGIN|END) [^-]*-----$/;

/** Every spelling in which programs usually write a value, or a line of it. */
export function spellingsOf(value: string): ReadonlySet<string> {
  const spellings = new Set<string>();
  for (const text of textsOf(value)) {
    for (const spelling of [
      text,
      ...quotedSpellings(text),
      ...percentSpellings(text),
      ...byteSpellings(text),
    ])
      if (spelling.length >= SHORTEST_CREDENTIAL) spellings.add(spelling);
  }
  return spellings;
}

/** The value whole, trimmed and composed in either way, with either kind of line break, and each of its lines. */
function textsOf(value: string): ReadonlySet<string> {
  const texts = new Set([value, value.trim()]);
  for (const form of ["NFC", "NFD"]) texts.add(value.normalize(form));
  if (/[\r\n]/.test(value.trim())) {
    const lines = value.trim().split(/\r\n|\n|\r/);
    texts.add(lines.join("\n")).add(lines.join("\r\n"));
    for (const line of lines.map((text) => text.trim()))
      if (line.length >= SHORTEST_LINE && !ARMOUR.test(line)) texts.add(line);
  }
  return texts;
}

/**
 * As JavaScript escapes it, and as others do by default: all but ASCII (Python), what is special in HTML (Go; Gson and .NET have more
 * of it), and slashes (PHP); each also in JSON that is itself in JSON, up to three times. Besides, as `util.inspect` and Python quote it,
 * in a JSON Pointer (RFC 6901) and in HTML. Most values have the same spelling in all of these.
 */
function quotedSpellings(value: string): readonly string[] {
  const json = inJson(value);
  const ascii = json.replace(/[\u007f-\uffff]/g, escaped);
  const dialects = [
    json,
    ascii,
    json.replace(/[<>&\u2028\u2029]/g, escaped),
    json.replace(/[<>&=\u2028\u2029']/g, escaped),
    json.replace(/\\"|[&'+<>`\u007f-\uffff]/g, escapedInCapitals),
    ...[json, ascii].map((text) => text.replaceAll("/", "\\/")),
  ];
  const nested = [...new Set(dialects)].flatMap((text) => [text, inJson(text), inJson(inJson(text))]);
  const unquoted = json.replaceAll('\\"', '"');
  const pointer = value.replaceAll("~", "~0").replaceAll("/", "~1");
  return [
    ...nested,
    unquoted,
    unquoted.replaceAll("'", "\\'"),
    pointer,
    inJson(pointer),
    ...htmlSpellings(value),
  ];
}

/** As PHP, Python and Go escape it in HTML, and as Go and Mustache do in templates, which also escape what base64 ends with. */
function htmlSpellings(value: string): readonly string[] {
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const named = html.replaceAll('"', "&quot;");
  const numbered = html.replaceAll('"', "&#34;").replaceAll("'", "&#39;");
  const mustache = named.replaceAll("'", "&#39;").replaceAll("/", "&#x2F;");
  return [
    html,
    ...["&#39;", "&#x27;", "&apos;"].map((quote) => named.replaceAll("'", quote)),
    numbered,
    numbered.replaceAll("+", "&#43;"),
    mustache,
    mustache.replaceAll("`", "&#x60;").replaceAll("=", "&#x3D;"),
  ];
}

function escaped(unit: string): string {
  return `\\u${codeOf(unit)}`;
}

/** @param text - a character, or an escaped quotation mark */
function escapedInCapitals(text: string): string {
  return `\\u${codeOf(text.slice(-1)).toUpperCase()}`;
}

function codeOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * As in a path, as RFC 3986 has it, as in a form, and as in a whole URL, with codes in capitals; and within an address that is itself a
 * parameter of another one, as in the redirects of a login.
 */
function percentSpellings(text: string): readonly string[] {
  const whole = text.toWellFormed(); // A lone surrogate has no such spelling.
  const encoded = encodeURIComponent(whole);
  const strict = encoded.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ v: whole }).toString().slice("v=".length);
  const once = [encoded, strict, form, encodeURI(whole)];
  return [...once, ...once.map(encodeURIComponent)];
}

/**
 * In base64 and in hexadecimal, alone or as a part of something longer. Three bytes become four characters, so the position of a value
 * decides which characters it becomes: there are three ways. The characters at either end that also depend on a neighbour are left out.
 */
function byteSpellings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const parts = [0, 1, 2].map((before) => {
    const encoded = btoa("\0".repeat(before) + text).replace(/=+$/, "");
    const isCut = (bytes.length + before) % 3 !== 0;
    return encoded.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined);
  });
  const alone = btoa(text);
  const standard = [alone, alone.replace(/=+$/, ""), ...parts];
  const hexadecimal = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [
    ...standard,
    ...standard.map((one) => one.replaceAll("+", "-").replaceAll("/", "_")),
    hexadecimal,
    hexadecimal.toUpperCase(),
  ];
}
