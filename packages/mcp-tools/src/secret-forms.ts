import { REDACTED } from "@jackfield/mcp-core";

/** What secrets are called, and what stands between the name and the value. */
const NAMED = String.raw`(?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|passwo?r?d|authorization)["']?\s?[=:]\s?`;

/**
 * What is a secret by its form, wherever it comes from: servers repeat what they were sent. The values that are known to be
 * secret are replaced where they are known; this is for all others. Each expression takes linear time.
 */
const SECRETS: readonly RegExp[] = [
  // The name and password of an address. A password may hold an @, so the last one before the path ends it.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/]{1,512}(?=@)/gi,
  /(\b(?:bearer|basic)\s)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  // The word before the value may be a scheme or the secret itself.
  /(\bauthorization["']?\s?[=:]\s?["']?)(?:[A-Za-z][A-Za-z0-9_-]{0,31}\s)?(?!<)[^\s"'&,;]{6,4096}/gi,
  // Between quotes a value may hold anything in its line but the quote, and no tag: what encloses a server's text stays.
  new RegExp(String.raw`(${NAMED}")(?:[^"\\<\r\n]|\\[^<\r\n]){6,4096}(?=")`, "gi"),
  new RegExp(String.raw`(${NAMED}')(?:[^'\\<\r\n]|\\[^<\r\n]){6,4096}(?=')`, "gi"),
  new RegExp(String.raw`(${NAMED}["']?)[^\s"'&,;]{6,4096}`, "gi"),
  /(\b)(?:sk-[A-Za-z0-9_-]{16,256}|gh[a-z]_[A-Za-z0-9]{16,256}|github_pat_\w{16,256}|xox[a-z]-[A-Za-z0-9-]{10,256}|AKIA[A-Z0-9]{16}|eyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{0,4096})/g,
];

/** The text with whatever has the form of a secret replaced. */
export function withoutSecretForms(text: string): string {
  return SECRETS.reduce((shown, secret) => shown.replace(secret, `$1${REDACTED}`), text);
}
