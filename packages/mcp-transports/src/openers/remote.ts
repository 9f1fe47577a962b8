import { ownCredentials, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import { invalidHeaderError } from "../errors/http-status.ts";
import { createCookies } from "../http/cookies.ts";
import { createCredentials } from "../http/credentials.ts";
import { createFetchWire } from "../http/fetch-wire.ts";
import { httpOptionsFor } from "../http/http-options.ts";
import type { HttpWire } from "../http/http-wire.ts";
import { findInvalidHeader, withoutReservedHeaders } from "../http/reserved-headers.ts";
import { createUndiciWire } from "../http/undici-wire.ts";
import { readUrlLogin, type UrlLogin } from "../http/url-login.ts";
import type { OpenerTools } from "./opener.ts";

/** Prepares what the transports of remote servers need. `secrets` must not be shown, in addition to those of the entry. */
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
    cookies: createCookies(),
    closing,
    secrets: login?.secrets ?? [],
  };
}

/** The URL without user and password, which must not appear in requests, and the login if they form one. */
function readUrl(text: string): { readonly url: URL; readonly login: UrlLogin | undefined } {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new ChannelFault({ kind: "url-invalid" });
  const login = readUrlLogin(url);
  url.username = "";
  url.password = "";
  return { url, login };
}

/** An `Authorization` header in the entry takes precedence over the login in its URL. */
function withLogin(server: ResolvedRemoteServer, login: UrlLogin | undefined): ResolvedRemoteServer {
  if (login === undefined || ownCredentials(server) !== "url") return server;
  return { ...server, headers: { ...server.headers, Authorization: `Basic ${login.basic}` } };
}

async function openWire(url: URL, server: ResolvedRemoteServer, tools: OpenerTools): Promise<HttpWire> {
  // Awaited in case the host's function is async after all: its options, such as a proxy or keys, would silently be ignored.
  const { fetch, tls, proxy = true } = await httpOptionsFor(server, tools.http);
  if (fetch) return createFetchWire(fetch);
  return createUndiciWire(await tools.pools.acquire(url.origin, { tls, proxy }));
}
