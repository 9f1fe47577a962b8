import type { ResolvedRemoteServer } from "./resolved-server.ts";

/**
 * Where an entry holds credentials of its own, which replace any login: an `Authorization` header, or else a password in the URL. A
 * user name alone is no credential. `undefined`: it holds none.
 */
export function ownCredentials({
  headers,
  url,
}: Pick<ResolvedRemoteServer, "headers" | "url">): "header" | "url" | undefined {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return "header";
  return URL.parse(url)?.password ? "url" : undefined;
}
