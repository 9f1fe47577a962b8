import { REDACTED } from "@jackfield/mcp-core";

/** The names of secrets, and what separates the name from the value. */
const NAMED = String.raw`(?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|passwo?r?d|authorization)["']?\s?[=:]\s?`;

/**
 * Patterns for secrets that are recognised by their form, since servers may repeat what they were sent. Values that are known
 * to be secret are replaced elsewhere. Each expression takes linear time.
 */
const SECRETS: readonly RegExp[] = [
  // The credentials in a URL. A password may hold an @, so the last one before the path ends it.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/]{1,512}(?=@)/gi,
  /(\b(?:bearer|basic)\s)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  // The word before the value may be a scheme or the secret itself.
  /(\bauthorization["']?\s?[=:]\s?["']?)(?:[A-Za-z][A-Za-z0-9_-]{0,31}\s)?(?!<)[^\s"'&,;]{6,4096}/gi,
  // A quoted value may hold anything on its line but the quote and `<`, so that tags that enclose a server's text stay.
  new RegExp(String.raw`(${NAMED}")(?:[^"\\<\r\n]|\\[^<\r\n]){6,4096}(?=")`, "gi"),
  new RegExp(String.raw`(${NAMED}')(?:[^'\\<\r\n]|\\[^<\r\n]){6,4096}(?=')`, "gi"),
  new RegExp(String.raw`(${NAMED}["']?)[^\s"'&,;]{6,4096}`, "gi"),
  /(\b)(?:sk-[A-Za-z0-9_-]{16,256}|gh[a-z]_[A-Za-z0-9]{16,256}|github_pat_\w{16,256}|xox[a-z]-[A-Za-z0-9-]{10,256}|AKIA[A-Z0-9]{16}|eyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{0,4096})/g,
];

/** The text with whatever has the form of a secret replaced. */
export function withoutSecretForms(text: string): string {
  return SECRETS.reduce((shown, secret) => shown.replace(secret, `$1${REDACTED}`), text);
}
