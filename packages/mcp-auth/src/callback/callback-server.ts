import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpError } from "@jackfield/mcp-core";
import { isPort } from "../entry-settings.ts";
import { type CallbackHit, readCallbackHit } from "./callback-hit.ts";

/** The only address listened on: other machines cannot reach it. */
const ADDRESS = "127.0.0.1";
const LONGEST_TIMEOUT_MS = 300_000;

/** The timer of the wait stands still while a machine sleeps; a clock does not. */
const STATE_LIFETIME_MS = 600_000;
const STATE_BYTES = 32;

/** A browser sends its request at once; a slower client is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Options of `openCallbackServer`. */
export interface CallbackServerOptions {
  /** `0`, the default, takes a free one. Some authorization servers accept a fixed one only. */
  readonly port?: number | undefined;
  /** Default `/callback`. */
  readonly path?: string | undefined;
  /** How the redirect URI spells this machine. Default `127.0.0.1`, which RFC 8252 recommends. */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
  /** The longest wait, in milliseconds. Default and maximum 300,000 (5 minutes). */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A successful authorization response. */
export interface CallbackAnswer {
  readonly code: string;
  /** The issuer, if the authorization server names it (RFC 9207). Compare it before redeeming the code. */
  readonly iss?: string | undefined;
}

/** Whose response is awaited. */
export interface AwaitedAnswer {
  readonly issuer: string;
  /** Whether the authorization server's metadata promises an `iss` parameter (RFC 9207). Default false. */
  readonly isIssuerPromised?: boolean | undefined;
  /** Called with the authorization server's error code, as sent, before the wait rejects with it. */
  readonly onRefused?: ((code: string) => void) | undefined;
}

/**
 * Listens for the response of one login, on 127.0.0.1 only. It accepts only a GET of exactly the path, addressed to exactly this host,
 * with exactly one `state`, which must match. Its pages are fixed and show nothing of the request.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if the port is not available, `MCP_ABORTED` if the signal has fired
 */
export async function openCallbackServer(options: CallbackServerOptions = {}): Promise<CallbackServer> {
  const { port = 0, path = "/callback", host = ADDRESS, signal } = options;
  if (signal?.aborted) throw abortedLogin(signal);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
  await listen(server, port);
  const { port: boundPort } = server.address() as AddressInfo;
  const timeoutMs = Math.min(options.timeoutMs ?? LONGEST_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  return new CallbackServer(server, { ...options, port: boundPort, path, host, timeoutMs });
}

type Refusal = Extract<CallbackHit, { kind: "refusal" }>;

/** Waits on this machine for the browser's redirect from one login. */
export class CallbackServer implements AsyncDisposable {
  /** Where the authorization server must send the browser. */
  readonly redirectUri: string;
  /** Ties the response to its request (RFC 6749, section 10.12): 256 random bits, base64url. It counts once. */
  readonly state = randomBytes(STATE_BYTES).toString("base64url");
  readonly #server: Server;
  readonly #answer = Promise.withResolvers<CallbackAnswer>();
  readonly #closed: Promise<void>;
  readonly #stopWaiting: () => void;
  readonly #expiresAt = Date.now() + STATE_LIFETIME_MS;
  #awaited: AwaitedAnswer | undefined;

  /** @param server - listens already */
  constructor(
    server: Server,
    {
      host,
      port,
      path,
      timeoutMs,
      signal,
    }: CallbackServerOptions & { port: number; path: string; timeoutMs: number },
  ) {
    this.redirectUri = `http://${host}:${port}${path}`;
    this.#server = server;
    this.#answer.promise.catch(() => {}); // it may reject before `expect` is called
    this.#closed = new Promise((resolve) => server.once("close", resolve));
    const timer = setTimeout(() => this.#fail(lateLogin(timeoutMs)), timeoutMs);
    const onAbort = () => signal && this.#fail(abortedLogin(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    server.on("request", (request, response) => {
      this.#receive(readCallbackHit(request, { path, port }), response);
    });
  }

  /**
   * Resolves with the response that carries the state, and stops listening. Any other request is refused and changes nothing.
   * Call it once, before the login page is shown.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if this or another authorization server answers with an error, or no response arrives in
   * time; `MCP_ABORTED` if the signal fires; `MCP_CLOSED` if the server is closed
   */
  expect(awaited: AwaitedAnswer): Promise<CallbackAnswer> {
    if (this.#awaited) {
      return Promise.reject(new McpError("MCP_INTERNAL", "A callback server waits for one login only."));
    }
    this.#awaited = awaited;
    return this.#answer.promise;
  }

  /** Stops listening. Idempotent. */
  close(): Promise<void> {
    this.#fail(new McpError("MCP_CLOSED", "The login was aborted: its callback server was closed."));
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receive(hit: CallbackHit, response: ServerResponse): void {
    const page = this.#judge(hit);
    // The browser with the right state must receive the page before its connection is closed.
    response.once("close", () => page === "done" && this.#server.closeAllConnections());
    sendPage(response, page);
  }

  /** Chooses the page for a hit, and settles the wait if the hit has the awaited state. */
  #judge(hit: CallbackHit): CallbackPage {
    if (hit.kind === "stray") return hit.page;
    const awaited = this.#awaited;
    if (!awaited || Date.now() > this.#expiresAt || !isSameText(hit.state, this.state)) return "refused";
    if (hit.kind === "answer") this.#answer.resolve({ code: hit.code, iss: hit.iss });
    else this.#refuse(awaited, hit);
    this.#stopListening();
    return "done";
  }

  /** Whether a refusal is from the authorization server that was asked is for us to check (RFC 9207, section 2.4); for a code, the SDK does. */
  #refuse(
    { issuer, isIssuerPromised = false, onRefused }: AwaitedAnswer,
    { code, error, iss }: Refusal,
  ): void {
    const isTheirs = iss === undefined ? !isIssuerPromised : iss === issuer;
    if (isTheirs) onRefused?.(code);
    this.#answer.reject(isTheirs ? refusedLogin(error) : strayRefusal());
  }

  #fail(error: McpError): void {
    this.#answer.reject(error);
    this.#stopListening();
    this.#server.closeAllConnections();
  }

  /** The first response that counts is the last: nothing is judged after this. */
  #stopListening(): void {
    this.#awaited = undefined;
    this.#stopWaiting();
    this.#server.close();
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!isPort(port)) {
      const message = `The login cannot use port ${port}: a port is a whole number from 0 to 65535.`;
      return reject(new McpError("MCP_CONFIG_INVALID", message));
    }
    server.once("error", (cause) => {
      const advice = port === 0 ? "" : " Stop the program that uses it, or configure another port.";
      const message = `The login cannot use port ${port} of this machine.${advice}`;
      reject(new McpError("MCP_CONFIG_INVALID", message, { cause }));
    });
    server.listen({ host: ADDRESS, port, exclusive: true }, resolve);
  });
}

/** Compares in constant time. */
function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Which of the fixed pages is shown. */
export type CallbackPage = "done" | "refused" | "unknown" | "method";

const PAGES: { readonly [page in CallbackPage]: readonly [status: number, sentence: string] } = {
  done: [200, "The response was received. You can close this window and return to your program."],
  refused: [400, "This is not the expected response. Nothing has changed."],
  unknown: [404, "There is nothing here."],
  method: [405, "This method is not allowed here."],
};

/** Forbids scripts, framing, caching and a `Referer`. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  connection: "close",
} as const;

/** Sends one of the pages. None of them contains anything of the request. */
function sendPage(response: ServerResponse, page: CallbackPage): void {
  const [status, sentence] = PAGES[page];
  const title = page === "done" ? "Login" : "Not found";
  response.writeHead(status, { ...HEADERS, ...(page === "method" && { allow: "GET" }) });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><p>${sentence}</p></html>\n`,
  );
}

function strayRefusal(): McpError {
  const message =
    "The answer did not come from the expected authorization server, so it was not used. Log in again.";
  return new McpError("MCP_AUTH_REQUIRED", message);
}

function refusedLogin(words: string): McpError {
  return new McpError("MCP_AUTH_REQUIRED", `The authorization server refused the login: ${words}`);
}

function lateLogin(timeoutMs: number): McpError {
  const seconds = Math.round(timeoutMs / 1000);
  return new McpError(
    "MCP_AUTH_REQUIRED",
    `The login was not finished within ${seconds} seconds. Log in again.`,
  );
}

function abortedLogin(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was aborted.", { cause: signal.reason });
}
