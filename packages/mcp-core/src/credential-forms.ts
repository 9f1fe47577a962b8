import { KEY_BEGINNING } from "./credentials.ts";
import { REDACTED } from "./redactor.ts";

/** White space in columns and before the next line too; its length is limited to keep the work linear. */
const GAP = String.raw`\s{1,64}`;

/** What separates a name from its value. */
const SEPARATOR = `(?:${GAP})?[=:](?:${GAP})?`;

/** A quote in JSON that is a text in JSON, also in the text of a text. */
const ESCAPED_QUOTE = String.raw`\\{1,7}"`;

const QUOTE = `(?:["']|${ESCAPED_QUOTE})`;

/** The names of secrets, and what separates the name from the value. */
const NAMED = `(?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|passwo?r?d|authorization)${QUOTE}?${SEPARATOR}`;

/** The name of the header, a quote, and a scheme, which may also be the secret itself. */
const AUTHORIZATION = String.raw`(\bauthorization${QUOTE}?${SEPARATOR}${QUOTE}?)(?:[A-Za-z][A-Za-z0-9_-]{0,31}${GAP})?(?!<)`;

/** Where a text was cut. Between letters, the ellipsis stands for a part that somebody has left out. */
const CUT = String.raw`(?=…(?!\w))`;

/** Where a text ends, or the tag that encloses it closes: what stands before it may be the beginning of a secret. */
const END = String.raw`(?=\s*(?:<\/|$))`;

/** A value without quotes. Few characters are found after such names by chance, unless more of them was cut off. */
const VALUE = String.raw`(?:[^\s"'&,;]{6,}|[^\s"'&,;…]+${CUT})`;

/**
 * Patterns for secrets that are recognised by their form, since servers may repeat what they were sent. Values that are known
 * to be secret are replaced elsewhere. Each expression takes linear time: what it fails to match is short, or is read only from
 * its beginning.
 */
const FORMS: readonly RegExp[] = [
  // A password in a URL that was cut. Mere digits may be a port, so for them the text must end as well.
  new RegExp(
    String.raw`(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@…]*:(?:(?!\d{1,5}…)[^\s/…]+${CUT}|\d{1,5}(?=…${END}))`,
    "gi",
  ),
  // The credentials in a URL. A password may hold an @, so the last one before the path ends it.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/]+(?=@)/gi,
  // Before the header, whose value may be such a name and a quoted value.
  ...quotedForms('"'),
  ...quotedForms("'"),
  ...formsBetween(ESCAPED_QUOTE, (not) => `(?:(?!${ESCAPED_QUOTE})[^"<${not}])`),
  new RegExp(
    String.raw`(\b(?:bearer|basic)${GAP})(?:[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]+${CUT})`,
    "gi",
  ),
  // The answer to a challenge (RFC 7616): a hash, which can be tried against passwords, and sent again.
  new RegExp(String.raw`(\bresponse=${QUOTE}?)(?:[\da-f]{32,}|[\da-f]+${CUT})`, "gi"),
  new RegExp(AUTHORIZATION + VALUE, "gi"),
  // The next line may close the tag that encloses the text.
  new RegExp(String.raw`(${NAMED}${QUOTE}?)(?!<\/[a-z][\w-]*[\s>])${VALUE}`, "gi"),
  /(\b)(?:sk-[\w-]{16,}|gh[a-z]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16,})/g,
  new RegExp(String.raw`(\b)(?:(?!eyJ)${KEY_BEGINNING}(?=[\w-]{0,64}\d)[A-Za-z0-9-]{16,})`, "g"),
  new RegExp(
    String.raw`(\b)(?:sk-[\w-]{1,15}|gh[a-z]_[A-Za-z0-9]{1,15}|github_pat_\w{1,15}|xox[a-z]-[A-Za-z0-9-]{1,9}|AKIA[A-Z0-9]{1,15})${CUT}`,
    "g",
  ),
  // A text may well end with a name that begins like a key, such as "sk-learn".
  new RegExp(
    String.raw`(\b)(?:(?:sk-|gh[a-z]_|xox[a-z]-)(?=[A-Za-z_-]{0,14}\d|[\w-]{8})[\w-]{1,15}|github_pat_\w{1,15}|AKIA[A-Z0-9]{1,15})${END}`,
    "g",
  ),
  // A token of three parts or more.
  /((?<![\w-])(?=[\w-]*\.[\w-]{8,}\.)[\w-]*?\b)eyJ[\w-]{8,}(?:\.[\w-]+)+\.?/g,
  new RegExp(String.raw`((?<![\w.-])(?=[\w.-]+(?:${CUT}|${END}))[\w.-]*?\b)eyJ[\w.-]+`, "g"),
];

/**
 * A value in quotes: one that is complete, and the beginning of one. It may hold anything on its line but the quote and `<`, so
 * that tags that enclose a server's text stay. At the end of a text, a lone quote may be what the text is about: what follows it
 * is a value only without white space.
 */
function quotedForms(quote: string): readonly RegExp[] {
  return formsBetween(quote, (not) => String.raw`(?:[^${quote}\\<${not}]|\\[^<${not}])`);
}

/** @param character gives the pattern of one character of the value, which is none of `not` */
function formsBetween(quote: string, character: (not: string) => string): readonly RegExp[] {
  const line = String.raw`\r\n`;
  const word = String.raw`…\s`;
  return [
    `${character(line)}{6,}(?=${quote})`,
    String.raw`${character(`…${line}`)}+\\?${CUT}`,
    String.raw`${character(word)}+\\?${END}`,
  ].map((form) => new RegExp(`(${NAMED}${quote})${form}`, "gi"));
}

/**
 * A text in which whatever has the form of a credential is replaced, also one whose end was cut off. For text from elsewhere whose
 * credentials nobody knows; known ones are hidden by a `Redactor`.
 */
export function withoutCredentialForms(text: string): string {
  return FORMS.reduce((shown, form) => shown.replace(form, `$1${REDACTED}`), text);
}
