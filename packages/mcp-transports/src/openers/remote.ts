import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import { invalidHeaderError } from "../errors/http-status.ts";
import { createCredentials } from "../http/credentials.ts";
import { createFetchWire } from "../http/fetch-wire.ts";
import { httpOptionsFor } from "../http/http-options.ts";
import type { HttpWire } from "../http/http-wire.ts";
import { findInvalidHeader, withoutReservedHeaders } from "../http/reserved-headers.ts";
import { createUndiciWire } from "../http/undici-wire.ts";
import type { OpenerTools } from "./opener.ts";

/** What the transports of remote servers are made of. */
export async function openRemote(server: ResolvedRemoteServer, tools: OpenerTools) {
  const url = readUrl(server.url);
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
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new ChannelFault({ kind: "url-invalid" });
  return url;
}

async function openWire(url: URL, server: ResolvedRemoteServer, tools: OpenerTools): Promise<HttpWire> {
  // A function that is async after all is waited for, or its options, a proxy or keys, would silently not hold.
  const { fetch, tls, proxy = true } = await httpOptionsFor(server, tools.http);
  if (fetch) return createFetchWire(fetch);
  return createUndiciWire(await tools.pools.acquire(url.origin, { tls, proxy }));
}
