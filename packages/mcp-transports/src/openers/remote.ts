import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import { invalidHeaderError } from "../errors/http-status.ts";
import { createCredentials, hasOwnCredentials } from "../http/credentials.ts";
import { createFetchWire } from "../http/fetch-wire.ts";
import { httpOptionsFor } from "../http/http-options.ts";
import type { HttpWire } from "../http/http-wire.ts";
import { findInvalidHeader, withoutReservedHeaders } from "../http/reserved-headers.ts";
import { createUndiciWire } from "../http/undici-wire.ts";
import type { OpenerTools } from "./opener.ts";

/** What the transports of remote servers are made of. `secrets` must not be shown, besides those of the entry. */
export async function openRemote(entry: ResolvedRemoteServer, tools: OpenerTools) {
  const { url, login } = readUrl(entry.url);
  const server = withLogin(entry, login);
  const headers = withoutReservedHeaders(server.headers);
  const invalid = findInvalidHeader(headers);
  if (invalid !== undefined) throw invalidHeaderError(server, invalid);
  const closing = new AbortController();
  return {
    url,
    configured: Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]),
    wire: await openWire(url, server, tools),
    credentials: createCredentials({ server, auth: tools.auth, signal: closing.signal }),
    closing,
    secrets: login === undefined ? [] : [login],
  };
}

/** The URL without user and password, which no request names in its own, and both as `Basic` sends them (RFC 7617). */
function readUrl(text: string): { readonly url: URL; readonly login: string | undefined } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new ChannelFault({ kind: "url-invalid" });
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const isGiven = username !== "" || password !== "";
  return { url, login: isGiven ? base64Of(`${plain(username)}:${plain(password)}`) : undefined };
}

function base64Of(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** An `Authorization` header of the entry's own beats what its URL says. */
function withLogin(server: ResolvedRemoteServer, login: string | undefined): ResolvedRemoteServer {
  if (login === undefined || hasOwnCredentials(server)) return server;
  return { ...server, headers: { ...server.headers, Authorization: `Basic ${login}` } };
}

async function openWire(url: URL, server: ResolvedRemoteServer, tools: OpenerTools): Promise<HttpWire> {
  // A function that is async after all is waited for, or its options, a proxy or keys, would silently not hold.
  const { fetch, tls, proxy = true } = await httpOptionsFor(server, tools.http);
  if (fetch) return createFetchWire(fetch);
  return createUndiciWire(await tools.pools.acquire(url.origin, { tls, proxy }));
}
