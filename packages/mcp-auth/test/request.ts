import type { AuthPort, ResolvedRemoteServer } from "@jackfield/mcp-core";

export function remoteServer(url: string, name = "files"): ResolvedRemoteServer {
  return { name, transport: "http", url, headers: {}, secrets: [] };
}

/** One request as a transport makes it: with credentials, and once more if a challenge was met. Resolves with the last status. */
export async function reach(
  auth: AuthPort,
  server: ResolvedRemoteServer,
  principal?: string,
): Promise<number> {
  const options = { principal, signal: new AbortController().signal };
  const send = async () => {
    const headers = await auth.headers(server, options);
    const response = await fetch(server.url, { method: "POST", body: "{}", headers });
    await response.text();
    return response;
  };
  const first = await send();
  if (first.status !== 401 && first.status !== 403) return first.status;
  const wwwAuthenticate = first.headers.get("www-authenticate") ?? undefined;
  const verdict = await auth.onChallenge(server, { status: first.status, wwwAuthenticate }, options);
  return verdict === "retry" ? (await send()).status : first.status;
}
