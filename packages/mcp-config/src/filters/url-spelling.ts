import { isMadeOf, type KnownText } from "./known-text.ts";
import { withLowerBeginning } from "./server-pattern.ts";

/** What a list that denies compares with its lines. */
export interface UrlForms {
  /** The URL as written, and as it is sent; of one that is not known to its end, what it is if nothing more is sent. */
  readonly spellings: readonly string[];
  /** What it surely begins with, where what is sent behind that is not known yet. */
  readonly beginning?: string | undefined;
}

/** Whether a line of a list that denies means a URL, however that is spelled, or may mean what it turns out to be. */
export type UrlDenial = (forms: UrlForms) => boolean;

/** Reads a line of a list that denies; `*` in it stands for any characters. */
export function urlDenial(pattern: string): UrlDenial {
  const written = withLowerBeginning(pattern);
  const patterns = [...new Set([written, normalUrl(pattern) ?? written])];
  const pieces = patterns.map((text) => text.split("*"));
  return ({ spellings, beginning }) =>
    spellings.some((text) => pieces.some((parts) => isMadeOf(text, parts))) ||
    (beginning !== undefined && patterns.some((text) => canBegin(text, beginning)));
}

/** The forms of a URL of which everything is known, or a part. */
export function urlForms(url: KnownText): UrlForms {
  const [text = ""] = url;
  return url.length === 1 ? { spellings: spellingsOf(text) } : unknownForms(text);
}

/** As written, as it is sent, and the same without user and password. */
export function spellingsOf(url: string): readonly string[] {
  const others = [normalUrl(url), normalUrl(url, true)];
  return [withLowerBeginning(url), ...others.filter((text) => text !== undefined)];
}

/** Characters that mean the same percent-encoded. */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A URL as it is sent. The root of the name system may stand behind a host as a dot, which changes nothing. */
function normalUrl(text: string, isAnonymous = false): string | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (isAnonymous) {
    url.username = "";
    url.password = "";
  }
  url.hash = "";
  // Takes away a question mark with nothing behind it.
  if (url.search === "") url.search = "";
  return url.href.replace(UNRESERVED, decodeURIComponent);
}

const UP_TO_HOST = /^[^/\\]*[/\\]{2}[^/\\?#]*[/\\?#]/;

/**
 * The forms of every URL that a text can become once what is missing behind it is put in. That may hold `@`, `..` and `#`, so the host is
 * sure only where it ends before, and the path only where the query begins before. Of a fragment nothing is sent.
 */
function unknownForms(text: string): UrlForms {
  const [upToHost] = UP_TO_HOST.exec(text) ?? [];
  if (upToHost === undefined) {
    return { spellings: [], beginning: /^https?:\/\//i.exec(text)?.[0].toLowerCase() ?? "" };
  }
  if (text.includes("#")) return { spellings: spellingsOf(text) };
  if (!text.includes("?")) return { spellings: [], beginning: normalUrl(upToHost, true) ?? "" };
  const sure = text.replace(/%.?$/, "");
  const beginning = normalUrl(sure, true) ?? "";
  const hasQuery = URL.parse(sure)?.search !== "";
  return { spellings: spellingsOf(text), beginning: hasQuery ? beginning : `${beginning}?` };
}

/** Scheme and host, with the slash behind them. */
const ORIGIN = /^[^/]*\/\/[^/]*\//;

function canBegin(pattern: string, beginning: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const isFit = first.startsWith(beginning) || (others.length > 0 && beginning.startsWith(first));
  const [[origin] = [], [wanted] = []] = [ORIGIN.exec(beginning) ?? [], ORIGIN.exec(pattern) ?? []];
  // Once the host is sure, no text behind it is taken for one.
  if (origin === undefined || wanted === undefined) return isFit;
  return isFit && isMadeOf(origin, wanted.split("*"));
}
