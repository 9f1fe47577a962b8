import { lookup as lookUpAddresses } from "node:dns/promises";
import { McpError, toMcpError } from "@jackfield/mcp-core";
import type { Agent, Dispatcher } from "undici";
import { checkEndpointUrl, type NetworkReach, shownUrl } from "./endpoint-url.ts";
import { createGuardedDialer, type HostAddress, type LookUpHost } from "./guarded-dialer.ts";
import { type Hop, nextHop } from "./redirect.ts";

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_RESPONSE_BYTES = 1024 * 1024;
const DEFAULT_MAX_REDIRECTS = 3;

/** A redirect's body is read to this length, so that the connection can be used again. */
const REDIRECT_BODY_BYTES = 16 * 1024;
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Options of `createGuardedFetch`. */
export interface GuardedFetchOptions extends NetworkReach {
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

/** The fetch that every OAuth request uses. */
export interface GuardedFetch extends AsyncDisposable {
  /**
   * A `FetchLike` for the MCP SDK. It resolves once the whole answer is read. It uses no compression, proxy or cookies. A compressed
   * answer with a status of 300 or more resolves without a body.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` for a forbidden address or redirect; `MCP_CONNECT_FAILED` if there is no connection or no
   * answer; `MCP_CONNECT_TIMEOUT` if it takes too long; `MCP_LIMIT_EXCEEDED` if the answer is too long; `MCP_PROTOCOL_VIOLATED` if a
   * success is compressed; `MCP_ABORTED` by the signal; `MCP_CLOSED` after `close`
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** The same, but it resolves with status and headers, without a body. */
  fetchHeaders(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Ends all connections and pending requests. Idempotent. */
  close(): Promise<void>;
}

/** Creates a fetch that reaches the internet, and this machine or private networks only as `NetworkReach` allows. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  return new GuardedConnections(options);
}

/** Turns an answer whose body has not been read into a `Response`. */
type ReadAnswer = (
  hop: Hop,
  answer: Dispatcher.ResponseData,
  headers: Headers,
) => Response | Promise<Response>;

class GuardedConnections implements GuardedFetch {
  readonly #reach: NetworkReach;
  readonly #timeoutMs: number;
  readonly #maxResponseBytes: number;
  readonly #maxRedirects: number;
  readonly #dialer: ReturnType<typeof createGuardedDialer>;
  readonly #closing = new AbortController();
  #agent: Agent | undefined;
  #closed: Promise<void> | undefined;

  constructor({ allowLoopback, trustedHosts, ...options }: GuardedFetchOptions) {
    this.#reach = { allowLoopback, trustedHosts };
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#maxRedirects = options.maxRedirects ?? DEFAULT_MAX_REDIRECTS;
    this.#dialer = createGuardedDialer({
      reach: this.#reach,
      lookUpHost: options.lookup ?? lookUpWithSystem,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    });
  }

  // Fields, so that they can be passed on without their object.
  readonly fetch = (address: string | URL, init?: RequestInit) =>
    this.#ask(address, init, (hop, answer, headers) => this.#read(hop, answer, headers));
  readonly fetchHeaders = (address: string | URL, init?: RequestInit) => this.#ask(address, init, leaveBody);

  async #ask(address: string | URL, init: RequestInit = {}, read: ReadAnswer): Promise<Response> {
    const url = checkEndpointUrl(address, this.#reach);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(late(url, this.#timeoutMs)), this.#timeoutMs);
    const signals = [this.#closing.signal, deadline.signal, ...(init.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(signals);
    try {
      return await this.#follow(url, { ...init, signal }, read);
    } catch (error) {
      if (init.signal?.aborted) {
        throw new McpError("MCP_ABORTED", `The request to ${shownUrl(url)} was aborted.`, { cause: error });
      }
      throw toMcpError(
        error,
        "MCP_CONNECT_FAILED",
        `The request to ${shownUrl(url)} failed${reason(error)}.`,
      );
    } finally {
      clearTimeout(timer);
    }
  }

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
          : nextHop(hop, answer.statusCode, headers.get("location"), this.#reach);
      if (!next) return await read(hop, answer, headers);
      await answer.body.dump({ limit: REDIRECT_BODY_BYTES, signal });
      if (request.redirect === "error" || redirects >= this.#maxRedirects)
        throw tooManyRedirects(url, redirects);
      hop = next;
    }
  }

  async #exchange(
    { url, method, headers, body }: Hop,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const undici = await import("undici");
    this.#agent ??= new undici.Agent({ connect: this.#dialer.connect, allowH2: false });
    const answer = await undici.request(url, {
      dispatcher: this.#agent,
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
    await this.#agent?.destroy();
  }
}

async function lookUpWithSystem(hostname: string): Promise<readonly HostAddress[]> {
  const found = await lookUpAddresses(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** Destroys the body, and the connection with it, because the body may be endless. */
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

/** The system's error code, such as ECONNREFUSED; never text from the other side. */
function reason(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? ` (${error.code})`
    : "";
}

function late(url: URL, timeoutMs: number): McpError {
  return new McpError(
    "MCP_CONNECT_TIMEOUT",
    `${shownUrl(url)} did not answer completely within ${timeoutMs} ms.`,
  );
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
