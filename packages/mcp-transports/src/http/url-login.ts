/** User and password of a URL. */
export interface UrlLogin {
  /** Both as `Basic` sends them (RFC 7617). */
  readonly basic: string;
  /** What must be redacted: `basic`, and the password alone and with the user, as written and decoded. */
  readonly secrets: readonly string[];
}

/** The login in a URL; `undefined` without a password: a user alone is no credential. */
export function readUrlLogin({ username, password }: URL): UrlLogin | undefined {
  if (password === "") return undefined;
  const plain = { username: decoded(username), password: decoded(password) };
  const pair = `${plain.username}:${plain.password}`;
  const basic = Buffer.from(pair, "utf8").toString("base64");
  return { basic, secrets: [basic, password, `${username}:${password}`, plain.password, pair] };
}

/** What must be redacted because of a login in a URL. */
export function loginSecrets(text: string): readonly string[] {
  const url = URL.parse(text);
  return (url && readUrlLogin(url)?.secrets) ?? [];
}

/** Percent-decodes a part of a URL; returns it unchanged if it is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
