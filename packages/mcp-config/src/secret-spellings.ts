/** Shorter values occur in other text by chance, and are not redacted anyway. */
const SHORTEST = 6;

/**
 * Every spelling in which programs usually write a value: as it is, escaped as in JSON (also inside JSON, twice), in a JSON Pointer
 * (RFC 6901), percent-encoded, and in base64, alone or as a part of something longer. Redacting all of them hides the value from
 * readers.
 */
export function secretSpellings(value: string): readonly string[] {
  if (value.length < SHORTEST) return [value];
  const percent = percentSpellings(value);
  const lowered = percent.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const pointer = value.replaceAll("~", "~0").replaceAll("/", "~1");
  const spellings = [
    value,
    ...jsonSpellings(value),
    pointer,
    inJson(pointer),
    ...percent,
    ...lowered,
    ...base64Spellings(value),
  ];
  return [...new Set(spellings)].filter((spelling) => spelling.length >= SHORTEST);
}

/**
 * As JavaScript escapes it, and as others do by default: all but ASCII (Python), what is special in HTML (Go; Gson and .NET have more
 * of it), and slashes (PHP); each also in JSON that is itself in JSON, up to three times. Most values have the same spelling in all of
 * these.
 */
function jsonSpellings(value: string): readonly string[] {
  const json = inJson(value);
  const ascii = json.replace(/[\u007f-\uffff]/g, escaped);
  const html = json.replace(/[<>&\u2028\u2029]/g, escaped);
  const gson = json.replace(/[<>&=\u2028\u2029']/g, escaped);
  const dotNet = json.replace(/\\"|[&'+<>`\u007f-\uffff]/g, escapedInCapitals);
  const spellings = [
    json,
    ascii,
    html,
    gson,
    dotNet,
    ...[json, ascii].map((text) => text.replaceAll("/", "\\/")),
  ];
  return [...new Set(spellings)].flatMap((text) => [text, inJson(text), inJson(inJson(text))]);
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

/** As in a path, as RFC 3986 has it, as in a form, and as in a whole URL. A lone surrogate has no such spelling. */
function percentSpellings(text: string): readonly string[] {
  const whole = text.toWellFormed();
  const encoded = encodeURIComponent(whole);
  const strict = encoded.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ v: whole }).toString().slice("v=".length);
  return [encoded, strict, form, encodeURI(whole)];
}

/**
 * Three bytes become four characters, so the position of a value decides which characters it becomes: there are three ways. The
 * characters at either end that also depend on a neighbour are left out.
 */
function base64Spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const isCut = (bytes.length + before) % 3 !== 0;
    return encoded.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined);
  });
  const standard = [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, ""), ...parts];
  return [...standard, ...standard.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}
