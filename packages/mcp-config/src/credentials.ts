/** Errs on the side of secrecy: hiding a harmless value costs little. */
const CREDENTIAL_NAME =
  /token|secret|passw|passphrase|credential|cookie|bearer|jwt|key|auth|(?:^|[^a-z])(?:pass|pwd|pat|pin|dsn|creds?)(?![a-z])/i;

/** Whether a variable, field or parameter of this name usually holds a credential. */
export function looksLikeCredential(name: string): boolean {
  return CREDENTIAL_NAME.test(name);
}

/** A header's value, and in `Bearer x` or `Basic x` also the bare token: servers echo both. */
export function secretsOfHeader(value: string): readonly string[] {
  const token = /^[A-Za-z][\w-]*\s+(\S+)$/.exec(value)?.[1];
  return token === undefined ? [value] : [value, token];
}

/** Secrets in URLs inside a text: `user:password@`, the password alone, and query parameters with a telling name. */
export function secretsOfUrls(text: string): readonly string[] {
  if (!text.includes("@") && !text.includes("=")) return NONE; // Most texts have neither, and every text of every entry is checked.
  const secrets: string[] = [];
  for (const [, userinfo = ""] of text.matchAll(/:\/\/([^/?#\s]*)@/g)) {
    const password = userinfo.slice(userinfo.indexOf(":") + 1);
    secrets.push(userinfo, password, decoded(password));
  }
  for (const [, name = "", value = ""] of text.matchAll(/[?&]([^=&#\s]+)=([^&#\s]+)/g)) {
    if (looksLikeCredential(decoded(name))) secrets.push(value, decoded(value));
  }
  return secrets;
}

const NONE: readonly string[] = [];

/** A percent-decoded part of a URL; unchanged if it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
