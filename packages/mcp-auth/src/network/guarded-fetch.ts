import { lookup as lookUpAddresses } from "node:dns/promises";
import { isIP } from "node:net";
import { McpError, type NetworkOptions, toMcpError } from "@jackfield/mcp-core";
import { authoritiesWith, chooseProxy, loadUndici } from "@jackfield/mcp-core/node";
import type { Dispatcher } from "undici";
import { bareHost, checkEndpointUrl, type NetworkReach, shownUrl } from "./endpoint-url.ts";
import {
  createGuardedDialer,
  type HostAddress,
  type LookUpHost,
  requirePermitted,
  type TlsKeys,
} from "./guarded-dialer.ts";

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_RESPONSE_BYTES = 1024 * 1024;
const DEFAULT_MAX_REDIRECTS = 3;

/**
 * Each request has a connection of its own: an idle one that the server has closed still looks open to a process that was busy, and a code
 * or a spent token must not be sent again.
 */
const WITHOUT_REUSE = { pipelining: 0, allowH2: false };
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The only headers sent on to another origin after a redirect; others may hold credentials. */
const HARMLESS_HEADERS = ["accept", "accept-language"] as const;

/** How long a name behind a proxy is looked up here. Inside a company, names of the internet often have no address. */
const PROXIED_LOOKUP_MS = 1_000;

/** Options of a `GuardedFetch`. Of `tls`, the client's certificate goes to `ownOrigin` alone. */
export interface GuardedFetchOptions extends NetworkReach, NetworkOptions {
  /** The MCP server's origin, which alone gets the client's certificate. */
  readonly ownOrigin?: string | undefined;
  /** Resolves a host, once for each connection. Default: the system's resolver. */
  readonly lookup?: LookUpHost | undefined;
  /** Time limit for a connection with its TLS handshake, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Time limit for a request with its redirects and its whole answer, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Size limit for an answer's body. Default 1 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** How many redirects a GET may take. Default 3. */
  readonly maxRedirects?: number | undefined;
}

/** One request in a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/** Turns an answer whose body has not been read into a `Response`. */
type ReadAnswer = (
  hop: Hop,
  answer: Dispatcher.ResponseData,
  headers: Headers,
) => Response | Promise<Response>;

/**
 * The fetch that every OAuth request uses. It reaches the internet, and this machine or private networks only as `NetworkReach` allows.
 * Through a proxy, names go unresolved, so a name is refused if it leads to a forbidden address from here; the proxy decides on others.
 */
export class GuardedFetch implements AsyncDisposable {
  readonly #options: GuardedFetchOptions;
  readonly #timeoutMs: number;
  readonly #maxResponseBytes: number;
  readonly #maxRedirects: number;
  readonly #lookUpHost: LookUpHost;
  readonly #dialer: ReturnType<typeof createGuardedDialer>;
  readonly #closing = new AbortController();
  /** By proxy and origin. */
  readonly #dispatchers = new Map<string, Dispatcher>();
  readonly #unknownHere = new Set<string>();
  #closed: Promise<void> | undefined;

  constructor(options: GuardedFetchOptions = {}) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#maxRedirects = options.maxRedirects ?? DEFAULT_MAX_REDIRECTS;
    this.#lookUpHost = options.lookup ?? lookUpWithSystem;
    this.#dialer = createGuardedDialer({
      reach: options,
      lookUpHost: this.#lookUpHost,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      tlsFor: (origin) => this.#tlsFor(origin),
    });
  }

  // Fields, so that they can be passed on without their object.

  /**
   * A `FetchLike` for the MCP SDK. It resolves once the whole answer is read. It uses no compression and no cookies. A compressed answer
   * with a status of 300 or more resolves without a body.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` for a forbidden address or redirect; `MCP_CONNECT_FAILED` if there is no connection or no
   * answer; `MCP_CONNECT_TIMEOUT` if it takes too long; `MCP_LIMIT_EXCEEDED` if the answer is too long; `MCP_PROTOCOL_VIOLATED` if a
   * success is compressed; `MCP_CONFIG_INVALID` for an unusable proxy; `MCP_ABORTED` by the signal; `MCP_CLOSED` after `close`
   */
  readonly fetch = (address: string | URL, init?: RequestInit): Promise<Response> =>
    this.#ask(address, init, (hop, answer, headers) => this.#read(hop, answer, headers));
  /** The same, but it resolves with status and headers, without a body. */
  readonly fetchHeaders = (address: string | URL, init?: RequestInit): Promise<Response> =>
    this.#ask(address, init, leaveBody);

  async #ask(address: string | URL, init: RequestInit = {}, read: ReadAnswer): Promise<Response> {
    const url = checkEndpointUrl(address, this.#options);
    const deadline = new AbortController();
    const asked = `${shownUrl(url)}${this.#proxyNote(url)}`;
    const timer = setTimeout(() => deadline.abort(late(asked, this.#timeoutMs)), this.#timeoutMs);
    const signals = [this.#closing.signal, deadline.signal, ...(init.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(signals);
    try {
      return await this.#follow(url, { ...init, signal }, read);
    } catch (error) {
      if (init.signal?.aborted) {
        throw new McpError("MCP_ABORTED", `The request to ${asked} was aborted.`, { cause: error });
      }
      throw toMcpError(error, "MCP_CONNECT_FAILED", `The request to ${asked} failed${reason(error)}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends all connections and pending requests. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #follow(
    url: URL,
    init: RequestInit & { readonly signal: AbortSignal },
    read: ReadAnswer,
  ): Promise<Response> {
    const { signal } = init;
    signal.throwIfAborted();
    const request = new Request(url, init);
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    request.headers.delete("host"); // derived from the URL instead
    let hop: Hop = { url, method: request.method, headers: request.headers, body };
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#exchange(hop, signal);
      const headers = readHeaders(answer.headers);
      const next =
        request.redirect === "manual"
          ? undefined
          : nextHop(hop, answer.statusCode, headers.get("location"), this.#options);
      if (!next) return await read(hop, answer, headers);
      answer.body.destroy();
      if (request.redirect === "error" || redirects >= this.#maxRedirects)
        throw tooManyRedirects(url, redirects);
      hop = next;
    }
  }

  async #exchange(
    { url, method, headers, body }: Hop,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const undici = await loadUndici<typeof import("undici")>();
    const answer = await undici.request(url, {
      dispatcher: await this.#dispatcherFor(url, undici),
      method: method as Dispatcher.HttpMethod,
      headers: { ...Object.fromEntries(headers), "accept-encoding": "identity" },
      body: body ?? null,
      signal,
      headersTimeout: 0, // the deadline of the whole request applies
      bodyTimeout: 0,
    });
    // A body that is destroyed early emits an error, and an unhandled stream error ends the process.
    answer.body.on("error", () => undefined);
    return answer;
  }

  async #read(hop: Hop, answer: Dispatcher.ResponseData, headers: Headers): Promise<Response> {
    const { statusCode: status, body } = answer;
    const coding = headers.get("content-encoding") ?? "identity";
    if (coding !== "identity") {
      // For an error or a redirect, the status is enough.
      if (status >= 300) return leaveBody(hop, answer, headers);
      body.destroy();
      throw new McpError(
        "MCP_PROTOCOL_VIOLATED",
        `${shownUrl(hop.url)} compressed its answer without being asked.`,
        { httpStatus: status },
      );
    }
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > this.#maxResponseBytes) throw tooLong(hop.url, this.#maxResponseBytes, status);
      parts.push(part);
    }
    return answerOf(hop, BODILESS.has(status) ? null : Buffer.concat(parts), { status, headers });
  }

  async #end(): Promise<void> {
    this.#closing.abort(new McpError("MCP_CLOSED", "The connections to authorization servers were closed."));
    this.#dialer.close();
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  /** @throws McpError `MCP_CONFIG_INVALID` if the environment names an unusable proxy, `MCP_AUTH_REQUIRED` for a forbidden name behind one */
  async #dispatcherFor({ origin, hostname }: URL, undici: typeof import("undici")): Promise<Dispatcher> {
    const { proxy, invalidVariable } = this.#proxyOf(origin);
    if (invalidVariable !== undefined) throw invalidProxy(invalidVariable);
    if (proxy !== undefined) await this.#requirePermittedName(bareHost(hostname));
    this.#closing.signal.throwIfAborted();
    const key = JSON.stringify([proxy, origin]);
    const known = this.#dispatchers.get(key);
    if (known !== undefined) return known;
    const opened =
      proxy === undefined
        ? new undici.Agent({ connect: this.#dialer.connect, ...WITHOUT_REUSE })
        : new undici.ProxyAgent({
            uri: proxy,
            requestTls: this.#tlsFor(origin),
            proxyTls: this.#authorities(),
            ...WITHOUT_REUSE,
          });
    this.#dispatchers.set(key, opened);
    return opened;
  }

  /** A name that has no address here, or not soon, is left to the proxy. */
  async #requirePermittedName(host: string): Promise<void> {
    if (isIP(host) || this.#unknownHere.has(host)) return;
    const late = Promise.withResolvers<readonly HostAddress[]>();
    const timer = setTimeout(late.resolve, PROXIED_LOOKUP_MS, []);
    const found = await Promise.race([this.#lookUpHost(host).catch(() => []), late.promise]);
    clearTimeout(timer);
    if (found.length === 0) this.#unknownHere.add(host);
    requirePermitted(host, found, this.#options);
  }

  #proxyOf(origin: string) {
    return this.#options.proxy === false ? {} : chooseProxy(origin, process.env);
  }

  /** Names the proxy without user and password: what failed may be that, and not the server. */
  #proxyNote({ origin }: URL): string {
    const { proxy } = this.#proxyOf(origin);
    return proxy === undefined ? "" : ` through the proxy ${new URL(proxy).origin}`;
  }

  #tlsFor(origin: string): TlsKeys {
    const { tls, ownOrigin } = this.#options;
    const { cert, key, passphrase } = (origin === ownOrigin && tls) || {};
    return {
      ...this.#authorities(),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(passphrase !== undefined && { passphrase }),
    };
  }

  #authorities(): TlsKeys {
    const ca = this.#options.tls?.ca;
    return ca === undefined ? {} : { ca: authoritiesWith(ca) };
  }
}

/**
 * The next request if the answer is a redirect, its target checked like the first URL, else `undefined`.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if the target is forbidden, or the method is not GET or HEAD: a body is never sent on
 */
function nextHop(hop: Hop, status: number, location: string | null, reach: NetworkReach): Hop | undefined {
  if (!REDIRECTS.has(status) || location === null) return undefined;
  const target = URL.parse(location, hop.url.href);
  if (hop.method !== "GET" && hop.method !== "HEAD") {
    throw new McpError(
      "MCP_AUTH_REQUIRED",
      `${shownUrl(hop.url)} redirects a ${hop.method} to ${target?.origin.slice(0, 300) ?? "an invalid URL"}; only a GET follows redirects.`,
      { httpStatus: status },
    );
  }
  const url = checkEndpointUrl(target ?? location, { ...reach, field: `a redirect of ${shownUrl(hop.url)}` });
  return { ...hop, url, headers: url.origin === hop.url.origin ? hop.headers : harmless(hop.headers) };
}

function harmless(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of HARMLESS_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

function invalidProxy(variable: string): McpError {
  const message = `The variable ${variable} does not name a usable proxy. Correct it, for example to http://proxy.example:3128, or name the host in NO_PROXY.`;
  return new McpError("MCP_CONFIG_INVALID", message);
}

async function lookUpWithSystem(hostname: string): Promise<readonly HostAddress[]> {
  const found = await lookUpAddresses(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** Destroys the body, which may be endless. */
function leaveBody(
  hop: Hop,
  { statusCode: status, body }: Dispatcher.ResponseData,
  headers: Headers,
): Response {
  body.destroy();
  return answerOf(hop, null, { status, headers });
}

function answerOf({ url }: Hop, body: Buffer<ArrayBuffer> | null, init: ResponseInit): Response {
  return Object.defineProperty(new Response(body, init), "url", { value: url.href });
}

function readHeaders(received: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

/** The system's error code, such as ECONNREFUSED, or the status of a proxy that opens no tunnel; never text from the other side. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const refusedWith = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (refusedWith !== undefined) return `: the proxy answered HTTP ${refusedWith}`;
  return "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
}

function late(asked: string, timeoutMs: number): McpError {
  return new McpError("MCP_CONNECT_TIMEOUT", `${asked} did not answer completely within ${timeoutMs} ms.`);
}

function tooLong(url: URL, maxBytes: number, httpStatus: number): McpError {
  return new McpError(
    "MCP_LIMIT_EXCEEDED",
    `The answer of ${shownUrl(url)} is longer than ${maxBytes} bytes.`,
    { httpStatus },
  );
}

function tooManyRedirects(url: URL, followed: number): McpError {
  return new McpError(
    "MCP_AUTH_REQUIRED",
    `${shownUrl(url)} redirects more than ${followed} times; further redirects are not followed.`,
  );
}
