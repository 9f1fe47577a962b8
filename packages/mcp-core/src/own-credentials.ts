import type { ResolvedRemoteServer } from "./resolved-server.ts";

/**
 * Where an entry has credentials of its own, which are sent in place of any login: in an `Authorization` header, or else in a URL with a
 * password. A user alone is no credential. `undefined`: it has none.
 */
export function ownCredentials({
  headers,
  url,
}: Pick<ResolvedRemoteServer, "headers" | "url">): "header" | "url" | undefined {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return "header";
  return URL.parse(url)?.password ? "url" : undefined;
}
