/** Errs on the side of secrecy: hiding a harmless value costs little. */
const CREDENTIAL_NAME =
  /token|secret|passw|passphrase|credential|cookie|bearer|jwt|key|auth|(?:^|[^a-z])(?:pass|pwd|pat|pin|dsn|creds?)(?![a-z])/i;

/** Whether a variable, field or parameter of this name usually holds a credential. */
export function looksLikeCredential(name: string): boolean {
  return CREDENTIAL_NAME.test(name);
}

/** Names that end so always hold a credential. For the others, such as `author`, the value decides. */
const KEY_NAME =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|cookie|bearer|authorization|jwt|pass|pwd|pat|pin|dsn|creds?)[\W_]*\d*$/i;

/** Whether a parameter of this name is a credential, whatever its value. */
export function alwaysHoldsCredential(name: string): boolean {
  return KEY_NAME.test(name);
}

/** What is left of `Bearer x` if `x` is empty: hiding it would hide the word everywhere. */
const SCHEME_ALONE = /^(?:basic|bearer|digest|token)\s*$/i;

/** A header's value, and in `Bearer x` or `Basic x` also the bare token: servers echo both. */
export function secretsOfHeader(value: string): readonly string[] {
  if (SCHEME_ALONE.test(value)) return NONE;
  const token = /^[A-Za-z][\w-]*\s+(\S+)$/.exec(value)?.[1];
  return token === undefined ? [value] : [value, token];
}

/** Secrets in URLs inside a text: `user:password@`, the password alone, and query parameters with a telling name. */
export function secretsOfUrls(text: string): readonly string[] {
  if (!text.includes("@") && !text.includes("=")) return NONE; // Most texts have neither, and every text of every entry is checked.
  const secrets: string[] = [];
  const { userinfos, parameters } = urlParts(text);
  for (const userinfo of userinfos) {
    const password = userinfo.slice(userinfo.indexOf(":") + 1);
    secrets.push(userinfo, password, decoded(password));
  }
  for (const { name, value } of parameters) {
    if (looksLikeCredential(name)) secrets.push(value, decoded(value));
  }
  return secrets;
}

const NONE: readonly string[] = [];

/** Parts of the URLs in a text that may hold credentials. */
interface UrlParts {
  /** Before an `@`, as written. */
  readonly userinfos: readonly string[];
  /** In queries; the name is decoded, the value is as written. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

export function urlParts(text: string): UrlParts {
  return {
    userinfos: Array.from(text.matchAll(/:\/\/([^/?#\s]*)@/g), ([, userinfo = ""]) => userinfo),
    parameters: Array.from(text.matchAll(/[?&]([^=?&#\s]+)=([^&#\s]+)/g), ([, name = "", value = ""]) => ({
      name: decoded(name),
      value,
    })),
  };
}

/** A percent-decoded part of a URL; unchanged if it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
