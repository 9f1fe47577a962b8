import { isRecord, type JsonValue } from "@jackfield/mcp-core";
import { readBytes } from "./content-bytes.ts";

/** How long base64 must be before it is taken for bytes: shorter texts cost a model little, and may be anything. */
const LEAST_BASE64 = 256;

/** `data:` URLs of that length in a text; one expression without a repetition in another, so that it stays linear. */
const DATA_URLS = new RegExp(
  `data:([\\w.+-]+/[\\w.+-]+)?((?:;[\\w.+-]+=[\\w.+-]+)*);base64,([A-Za-z0-9+/=_-]{${LEAST_BASE64},})`,
  "gi",
);

/** What the base64 of PNG, JPEG, GIF, RIFF (WebP, WAV), PDF, ZIP (and Office files), gzip, Ogg and MP3 begins with. */
const STARTS = String.raw`iVBORw0KGgo|\\?/9j\\?/|_9j_|R0lGOD|UklGR|JVBERi0|UEsDB|H4sI|T2dnU|SUQz`;
const BYTES_ALONE = new RegExp(String.raw`^\s*(?:${STARTS}|data:[^,]{0,128};base64,)`);
/** Such base64 within a text, as in JSON that a server wrote as text; some write `\/` for a slash there. */
const BYTES = new RegExp(String.raw`(?<![\w+/=-])(?:${STARTS})(?:[\w+/=-]|\\/){${LEAST_BASE64},}`, "g");

/**
 * A text as a model may read it: well-formed, since APIs refuse half of a surrogate pair, and with bytes named in place of their base64,
 * which means nothing to a model and fills its context.
 */
export function shownText(text: string): string {
  const whole = bytesIn(text);
  if (whole !== undefined) return whole;
  if (text.length < LEAST_BASE64) return text.toWellFormed();
  const named = text.includes(";base64,") ? text.replace(DATA_URLS, named64) : text;
  return named.replace(BYTES, (base64) => bytesIn(base64.replaceAll("\\", "")) ?? base64).toWellFormed();
}

function named64(_url: string, type: string | undefined, _parameters: string, base64: string): string {
  return `data:${type ?? ""};base64,[${sizeText(Math.floor((base64.length * 3) / 4))}, not shown]`;
}

/** A line in place of a text that is nothing but the base64 of an image or a PDF. */
function bytesIn(text: string): string | undefined {
  if (text.length < LEAST_BASE64 || !BYTES_ALONE.test(text)) return undefined;
  const bytes = readBytes(text);
  return bytes && `[${bytes.mimeType ?? "bytes"}, ${sizeText(bytes.byteLength)}, not shown]`;
}

/** The JSON of a value that a model may read, names of members included. */
export function shownValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return shownText(value);
  if (Array.isArray(value)) return sameIfEqual(value, value.map(shownValue));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name.toWellFormed(), shownValue(member as JsonValue)] as const,
  );
  const isSame = members.every(([name, member]) => Object.hasOwn(value, name) && value[name] === member);
  return isSame ? value : Object.fromEntries(members);
}

function sameIfEqual(value: JsonValue[], shown: JsonValue[]): JsonValue[] {
  return shown.every((item, at) => item === value[at]) ? value : shown;
}

/** A number of bytes for people and models. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
