import { credentialsInText, decoded, ownCredentials, type ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import { ChannelFault } from "../channel-fault.ts";
import { invalidHeaderError } from "../errors/http-status.ts";
import { createCookies } from "../http/cookies.ts";
import { createCredentials } from "../http/credentials.ts";
import { createFetchWire } from "../http/fetch-wire.ts";
import { httpOptionsFor } from "../http/http-options.ts";
import type { HttpWire } from "../http/http-wire.ts";
import { findInvalidHeader, withoutReservedHeaders } from "../http/message-headers.ts";
import { createSseTransport } from "../http/sse-transport.ts";
import { createStreamableHttpTransport } from "../http/streamable-http-transport.ts";
import { createUndiciWire } from "../http/undici-wire.ts";
import type { Opener, OpenerTools } from "./opener.ts";

/** Prepares what the transports of remote servers need. `secrets` must not be shown, in addition to those of the entry. */
async function openRemote(entry: ResolvedRemoteServer, tools: OpenerTools) {
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

/** A channel to a server behind the older HTTP+SSE transport. */
export const openSse: Opener<ResolvedRemoteServer> = async (server, tools) => {
  const { url, configured, wire, cookies, credentials, closing, secrets } = await openRemote(server, tools);
  const { maxMessageBytes } = tools;
  const transport = createSseTransport({ url, configured, wire, cookies, credentials, maxMessageBytes });
  let closed: Promise<void> | undefined;
  return {
    transport,
    isPipe: false,
    facts: () => ({
      fault: transport.fault,
      isConfirmedSse: transport.hasEndpoint,
      proxy: wire.proxy,
      secrets: [...secrets, ...(credentials?.secrets ?? []), ...cookies.secrets, ...transport.sessionIds],
    }),
    close() {
      closing.abort();
      closed ??= transport.close();
      return closed;
    },
  };
};

/** How long a server may take to be told that the session is over, in milliseconds; less where nobody waits for it. */
const DELETE_TIMEOUT_MS = 2000;
const HURRIED_DELETE_TIMEOUT_MS = 500;

/** A channel to a server behind Streamable HTTP. Nothing is sent before the transport's first message. */
export const openHttp: Opener<ResolvedRemoteServer> = async (server, tools) => {
  const { url, configured, wire, cookies, credentials, closing, secrets } = await openRemote(server, tools);
  const transport = createStreamableHttpTransport({
    url,
    configured,
    wire,
    cookies,
    credentials,
    maxMessageBytes: tools.maxMessageBytes,
    renewalTimeoutMs: tools.connectTimeoutMs,
  });
  let closed: Promise<void> | undefined;
  let fault: ChannelFault | undefined;

  const end = async (timeoutMs: number) => {
    await transport.endSession(timeoutMs);
    closing.abort();
    await transport.close();
  };
  const close: Channel["close"] = (options) => {
    closed ??= end(options?.hurry ? HURRIED_DELETE_TIMEOUT_MS : DELETE_TIMEOUT_MS);
    return closed;
  };
  // Whoever listens closes the channel then.
  transport.fail = (reason) => {
    fault ??= reason;
    transport.onclose?.();
  };

  return {
    transport,
    isPipe: false,
    facts: () => ({
      fault,
      differences: transport.differences,
      proxy: wire.proxy,
      secrets: [...secrets, ...(credentials?.secrets ?? []), ...cookies.secrets, ...transport.sessionIds],
      hasAccepted: transport.hasAccepted,
    }),
    onRenewed: (listener) => {
      transport.onrenewed = listener;
    },
    onChallengeMet:
      credentials &&
      ((listener) => {
        transport.onchallengemet = listener;
      }),
    close,
  };
};
