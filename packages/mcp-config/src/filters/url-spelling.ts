import { isMadeOf, type KnownText } from "./known-text.ts";
import { withLowerBeginning } from "./server-pattern.ts";

/** The forms of a URL that a deny list compares with its lines. */
export interface UrlForms {
  /** The URL as written and as sent. If its end is unknown, its spellings if nothing more is sent. */
  readonly spellings: readonly string[];
  /** The certain beginning of a URL whose rest is not known yet. */
  readonly beginning?: string | undefined;
}

/** Whether a line of a deny list matches a URL in any spelling, or may match it once all of it is known. */
export type UrlDenial = (forms: UrlForms) => boolean;

/** Reads a line of a deny list; `*` in it stands for any characters. */
export function urlDenial(pattern: string): UrlDenial {
  const written = withLowerBeginning(pattern);
  const patterns = [...new Set([written, urlAsSent(pattern) ?? written])];
  const pieces = patterns.map((text) => text.split("*"));
  return ({ spellings, beginning }) =>
    spellings.some((text) => pieces.some((parts) => isMadeOf(text, parts))) ||
    (beginning !== undefined && patterns.some((text) => canBegin(text, beginning)));
}

/** The forms of a URL that is known in full or in part. */
export function urlForms(url: KnownText): UrlForms {
  const [text = ""] = url;
  return url.length === 1 ? { spellings: spellingsOf(text) } : unknownForms(text);
}

/** The URL as written, as sent, and as sent without user and password. */
export function spellingsOf(url: string): readonly string[] {
  const others = [urlAsSent(url), urlAsSent(url, true)];
  return [withLowerBeginning(url), ...others.filter((text) => text !== undefined)];
}

/** Percent-encoded characters that mean the same unencoded. */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A URL as it is sent, without a dot at the end of its host, which stands for the root of the DNS and changes nothing. */
function urlAsSent(text: string, isAnonymous = false): string | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (isAnonymous) {
    url.username = "";
    url.password = "";
  }
  url.hash = "";
  // Removes a question mark with nothing after it.
  if (url.search === "") url.search = "";
  return url.href.replace(UNRESERVED, decodeURIComponent);
}

const UP_TO_HOST = /^[^/\\]*[/\\]{2}[^/\\?#]*[/\\?#]/;

/**
 * The forms of every URL that a text can become once its missing rest is appended. The rest may contain `@`, `..` and `#`, so the
 * host is certain only if it ends before, and the path only if the query begins before. A fragment is not sent.
 */
function unknownForms(text: string): UrlForms {
  const [upToHost] = UP_TO_HOST.exec(text) ?? [];
  if (upToHost === undefined) {
    return { spellings: [], beginning: /^https?:\/\//i.exec(text)?.[0].toLowerCase() ?? "" };
  }
  if (text.includes("#")) return { spellings: spellingsOf(text) };
  if (!text.includes("?")) return { spellings: [], beginning: urlAsSent(upToHost, true) ?? "" };
  const sure = text.replace(/%.?$/, "");
  const beginning = urlAsSent(sure, true) ?? "";
  const hasQuery = URL.parse(sure)?.search !== "";
  return { spellings: spellingsOf(text), beginning: hasQuery ? beginning : `${beginning}?` };
}

/** Scheme and host, with the slash after them. */
const ORIGIN = /^[^/]*\/\/[^/]*\//;

function canBegin(pattern: string, beginning: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const isFit = first.startsWith(beginning) || (others.length > 0 && beginning.startsWith(first));
  const [[origin] = [], [wanted] = []] = [ORIGIN.exec(beginning) ?? [], ORIGIN.exec(pattern) ?? []];
  // Once the host is certain, later text must not pass for one.
  if (origin === undefined || wanted === undefined) return isFit;
  return isFit && isMadeOf(origin, wanted.split("*"));
}
