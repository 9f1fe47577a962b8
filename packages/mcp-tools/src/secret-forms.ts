import { REDACTED } from "@jackfield/mcp-core";

/** The names of secrets, and what separates the name from the value. */
const NAMED = String.raw`(?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|passwo?r?d|authorization)["']?\s?[=:]\s?`;

/** The name of the header, a quote, and a scheme, which may also be the secret itself. */
const AUTHORIZATION = String.raw`(\bauthorization["']?\s?[=:]\s?["']?)(?:[A-Za-z][A-Za-z0-9_-]{0,31}\s)?(?!<)`;

/** A value without quotes. Few characters are found after such names by chance, unless more of them was cut off. */
const VALUE = String.raw`(?:[^\s"'&,;]{6,}|[^\s"'&,;…]+(?=…))`;

/** A quoted value may hold anything on its line but the quote and `<`, so that tags that enclose a server's text stay. */
const QUOTED = String.raw`(?:[^"\\<\r\n]|\\[^<\r\n]){6,}(?=")`;
const SINGLE_QUOTED = String.raw`(?:[^'\\<\r\n]|\\[^<\r\n]){6,}(?=')`;

/**
 * Patterns for secrets that are recognised by their form, since servers may repeat what they were sent. Values that are known
 * to be secret are replaced elsewhere. Each expression takes linear time: what it fails to match is short, or is read only from
 * its beginning.
 */
const SECRETS: readonly RegExp[] = [
  // The credentials in a URL. A password may hold an @, so the last one before the path ends it.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/]+(?=@)/gi,
  /(\b(?:bearer|basic)\s)(?:[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]+(?=…))/gi,
  new RegExp(AUTHORIZATION + VALUE, "gi"),
  new RegExp(`(${NAMED}")${QUOTED}`, "gi"),
  new RegExp(`(${NAMED}')${SINGLE_QUOTED}`, "gi"),
  new RegExp(`(${NAMED}["']?)${VALUE}`, "gi"),
  /(\b)(?:sk-[\w-]{16,}|gh[a-z]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16,})/g,
  // A token of three parts or more.
  /((?<![\w-])(?=[\w-]*\.[\w-]{8,}\.)[\w-]*?\b)eyJ[\w-]{8,}(?:\.[\w-]+)+\.?/g,
];

/** Where a text was cut, or ends: what stands before it may be the beginning of a secret. */
const CUT = "(?=…|$)";

/**
 * Patterns for the beginning of a secret in a text that was cut before it came here. Whatever is long enough to be complete was
 * replaced before.
 */
const UNFINISHED: readonly RegExp[] = [
  // At the end of a text, this may be an address with a port.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@…]*:[^\s/…]+(?=…)/gi,
  new RegExp(String.raw`(${NAMED}")(?:[^"\\<…\r\n]|\\[^<…\r\n])+\\?${CUT}`, "gi"),
  new RegExp(String.raw`(${NAMED}')(?:[^'\\<…\r\n]|\\[^<…\r\n])+\\?${CUT}`, "gi"),
  new RegExp(
    String.raw`(\b)(?:sk-[\w-]{1,15}|gh[a-z]_[A-Za-z0-9]{1,15}|github_pat_\w{1,15}|xox[a-z]-[A-Za-z0-9-]{1,9}|AKIA[A-Z0-9]{1,15})${CUT}`,
    "g",
  ),
  new RegExp(String.raw`((?<![\w.-])(?=[\w.-]*${CUT})[\w.-]*?\b)eyJ[\w.-]+`, "g"),
];

const FORMS = [...SECRETS, ...UNFINISHED];

/** The text with whatever has the form of a secret replaced, also a secret whose end was cut off. */
export function withoutSecretForms(text: string): string {
  return FORMS.reduce((shown, form) => shown.replace(form, `$1${REDACTED}`), text);
}
