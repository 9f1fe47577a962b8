/** The replacement for a secret. */
export const REDACTED = "[redacted]";

/** Shorter values occur in ordinary text by chance; replacing them would hide more than it protects. */
const SHORTEST_SECRET = 6;

/**
 * Replaces every occurrence of the given secrets, longest first: otherwise a secret that is part of another would leave the rest of
 * the longer one visible.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const sorted = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return sorted.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}
