import { McpError, ownCredentials, type ResolvedServer } from "@jackfield/mcp-core";

/** Statuses that a proxy answers with when it does not reach the server, or does not let a client through. */
export const STATUSES_OF_PROXIES: ReadonlySet<number> = new Set([407, 502, 503, 504]);

/** What to do about a status that a server answered while it was being connected. */
export function adviseOnStatus(status: number): string {
  if (status >= 300 && status < 400)
    return "Set its URL to the address it redirects to, if that is the server you mean.";
  if (status === 404 || status === 405) return "Check the URL: there is no MCP endpoint at this path.";
  if (status === 407) return "Put the user and the password into the variable that names the proxy.";
  if (status === 429) return "It limits the rate of requests; try again later.";
  if (status >= 500) return "The problem is on the server's side; try again later.";
  return "Check the URL and the headers of its entry.";
}

/** What to do about missing authorization. Where the entry has credentials of its own, no login is used. */
export function adviseOnAuthorization(server: ResolvedServer): string {
  const isRemote = server.transport === "http" || server.transport === "sse";
  return ADVICE_ON_AUTHORIZATION[(isRemote && ownCredentials(server)) || "none"];
}

const ADVICE_ON_AUTHORIZATION = {
  url: "Correct the user and the password in its URL, or remove them and log in, and connect again.",
  // The credential need not be a header of the entry: some hosts take it from a variable or a key.
  header:
    "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host uses for it), or remove it and log in, and connect again.",
  none: "Log in, or give its entry a valid Authorization header, and connect again.",
} as const;

/** A configured header that cannot be sent. Its value may be a secret, and is not shown. */
export function invalidHeaderError({ name: server }: ResolvedServer, header: string): McpError {
  return new McpError(
    "MCP_CONFIG_INVALID",
    `Server "${server}" has a header that cannot be sent: ${JSON.stringify(header)}. Its name or value has characters that headers do not allow; correct "headers" in its entry.`,
    { server, phase: "handshake" },
  );
}

/** The statuses below 500 of temporary refusals. */
const TEMPORARY = new Set([408, 409, 425, 429]);

/** Whether a refusal with this status is temporary: the same request may succeed a little later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || TEMPORARY.has(status);
}
