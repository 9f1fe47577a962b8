import { REDACTED } from "@jackfield/mcp-core";

/**
 * What is a secret by its form, wherever it comes from: servers repeat what they were sent. The values that are known to be
 * secret are replaced where they are known; this is for all others. Each expression takes linear time.
 */
const SECRETS: readonly RegExp[] = [
  // The name and password of an address.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@]{1,512}(?=@)/gi,
  /(\b(?:bearer|basic)\s)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  /((?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|passwo?r?d|authorization)["']?\s?[=:]\s?["']?)[^\s"'&,;]{6,4096}/gi,
  /(\b)(?:sk-[A-Za-z0-9_-]{16,256}|gh[a-z]_[A-Za-z0-9]{16,256}|github_pat_\w{16,256}|xox[a-z]-[A-Za-z0-9-]{10,256}|AKIA[A-Z0-9]{16}|eyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{0,4096})/g,
];

/** The text with whatever has the form of a secret replaced. */
export function withoutSecretForms(text: string): string {
  return SECRETS.reduce((shown, secret) => shown.replace(secret, `$1${REDACTED}`), text);
}
