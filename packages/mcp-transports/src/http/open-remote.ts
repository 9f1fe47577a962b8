import { credentialsInText, decoded, ownCredentials, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import { invalidHeaderError } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import type { Transport, TransportTools } from "../transport.ts";
import { ConnectionPools } from "./connection-pools.ts";
import { Cookies } from "./cookies.ts";
import { createCredentials } from "./credentials.ts";
import { createFetchWire } from "./fetch-wire.ts";
import type { HttpWire } from "./http-wire.ts";
import { findInvalidHeader, withoutReservedHeaders } from "./message-headers.ts";
import { SseTransport } from "./sse-transport.ts";
import { StreamableHttpTransport } from "./streamable-http-transport.ts";
import { createUndiciWire } from "./undici-wire.ts";

export { ConnectionPools };

/** The connection to a remote server, over the transport that is asked for. */
export async function openRemote(
  entry: ResolvedRemoteServer,
  tools: TransportTools,
  pools: ConnectionPools,
  transport: "http" | "sse",
): Promise<Transport> {
  const { url, login } = readUrl(entry.url);
  const server = withLogin(entry, login);
  const headers = withoutReservedHeaders(server.headers);
  const invalid = findInvalidHeader(headers);
  if (invalid !== undefined) throw invalidHeaderError(server, invalid);
  const closing = new AbortController();
  const credentials = createCredentials({
    server,
    auth: tools.auth,
    principal: tools.principal,
    signal: closing.signal,
  });
  const cookies = new Cookies();
  const options = {
    url,
    configured: Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]),
    wire: await openWire(url, server, tools, pools),
    credentials,
    cookies,
    closing,
    maxMessageBytes: tools.maxMessageBytes,
    secrets: () => [...(login?.secrets ?? []), ...(credentials?.secrets ?? []), ...cookies.secrets],
  };
  return transport === "sse"
    ? new SseTransport(options)
    : new StreamableHttpTransport({
        ...options,
        renewalTimeoutMs: tools.connectTimeoutMs,
        beforeRenewal: tools.beforeRenewal,
      });
}

/** The URL without user and password, which must not appear in requests, and the login if they form one. */
function readUrl(text: string): { readonly url: URL; readonly login: UrlLogin | undefined } {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new TransportFault({ kind: "url-invalid" });
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

async function openWire(
  url: URL,
  server: ResolvedRemoteServer,
  { http = {}, principal }: TransportTools,
  pools: ConnectionPools,
): Promise<HttpWire> {
  // Awaited in case the host's function is async after all: its options, such as a proxy or keys, would silently be ignored.
  const {
    fetch,
    tls,
    proxy = true,
  } = await (typeof http === "function" ? http(server, { principal }) : http);
  if (fetch) return createFetchWire(fetch);
  return createUndiciWire(await pools.acquire(url.origin, { tls, proxy }));
}

/** User and password of a URL. */
interface UrlLogin {
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
