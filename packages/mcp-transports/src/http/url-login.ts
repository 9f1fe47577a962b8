import { credentialsInText, decoded } from "@jackfield/mcp-core";

/** User and password of a URL. */
export interface UrlLogin {
  /** Both as `Basic` sends them (RFC 7617). */
  readonly basic: string;
  /** What must be hidden: `basic`, and the password alone and with the user, as written and decoded. */
  readonly secrets: readonly string[];
}

/** The login in a URL; `undefined` without a password: a user alone is no credential. */
export function readUrlLogin({ username, password, href }: URL): UrlLogin | undefined {
  if (password === "") return undefined;
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`, "utf8").toString("base64");
  return { basic, secrets: [basic, ...credentialsInText(href)] };
}
