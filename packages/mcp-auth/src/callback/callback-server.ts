import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpError } from "@jackfield/mcp-core";
import { type CallbackHit, readCallbackHit } from "./callback-hit.ts";
import { type CallbackPage, sendPage } from "./callback-page.ts";
import { isPort } from "./port.ts";
import type { LoginState } from "./state.ts";

/** The only address that is listened on: nobody else on the network can reach it. */
const ADDRESS = "127.0.0.1";
const LONGEST_TIMEOUT_MS = 300_000;

/** A browser sends its request at once; who does not holds a connection and nothing else. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Options of `openCallbackServer`. */
export interface CallbackServerOptions {
  /** `0`, the default, takes a free one. Some authorization servers know a fixed one only. */
  readonly port?: number | undefined;
  /** Default `/callback`. */
  readonly path?: string | undefined;
  /** How the redirect URI spells this machine. Default `127.0.0.1`, which RFC 8252 recommends. */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
  /** After so long the wait ends, in milliseconds. Default and at most 300,000 (5 minutes). */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an authorization server's answer brings. */
export interface CallbackAnswer {
  readonly code: string;
  /** The issuer, where the authorization server names it (RFC 9207); it is to be compared before the code is redeemed. */
  readonly iss?: string | undefined;
}

/** What is known of the answer beforehand. */
export interface AnswerExpectation {
  /** Whether the authorization server has said that its answers name it (RFC 9207). Default false. */
  readonly isIssuerPromised?: boolean | undefined;
  /** Told of an error of the authorization server, as it was sent, before the wait ends with it. */
  readonly onRefused?: ((code: string) => void) | undefined;
}

/** Waits on this machine for the browser to come back from one login. */
export interface CallbackServer extends AsyncDisposable {
  /** Where the authorization server is to send the browser. */
  readonly redirectUri: string;
  /**
   * Resolves with the answer that carries the state, and stops listening. Whatever else arrives is refused and changes nothing.
   * To be called once, before the user is sent away.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if the authorization server answers with an error, another one does, or nobody comes in
   * time; `MCP_ABORTED` if the signal fires; `MCP_CLOSED` if the server is closed.
   */
  expect(state: LoginState, expectation?: AnswerExpectation): Promise<CallbackAnswer>;
  /** Stops listening. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens for the answer of one login, on 127.0.0.1 alone. Only a GET of exactly the path, addressed to exactly this host, with
 * exactly one `state` that is the awaited one, counts. The page it shows is always the same and shows nothing of the request.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if the port cannot be had, `MCP_ABORTED` if the signal has fired.
 */
export async function openCallbackServer(options: CallbackServerOptions = {}): Promise<CallbackServer> {
  const { port = 0, path = "/callback", host = ADDRESS, signal } = options;
  if (signal?.aborted) throw abortedLogin(signal);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
  await listen(server, port);
  const { port: boundPort } = server.address() as AddressInfo;
  const timeoutMs = Math.min(options.timeoutMs ?? LONGEST_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  return new LoginListener({ server, path, host, port: boundPort, timeoutMs, signal });
}

interface LoginListenerOptions {
  readonly server: Server;
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

type Refusal = Extract<CallbackHit, { kind: "refusal" }>;

class LoginListener implements CallbackServer {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #answer = Promise.withResolvers<CallbackAnswer>();
  readonly #closed: Promise<void>;
  readonly #stopWaiting: () => void;
  #state: LoginState | undefined;
  #expectation: AnswerExpectation = {};

  constructor({ server, path, host, port, timeoutMs, signal }: LoginListenerOptions) {
    this.redirectUri = `http://${host}:${port}${path}`;
    this.#server = server;
    this.#answer.promise.catch(() => {}); // it may be settled before anybody expects it
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

  expect(state: LoginState, expectation: AnswerExpectation = {}): Promise<CallbackAnswer> {
    if (this.#state) {
      return Promise.reject(new McpError("MCP_INTERNAL", "A callback server waits for one login only."));
    }
    this.#state = state;
    this.#expectation = expectation;
    return this.#answer.promise;
  }

  close(): Promise<void> {
    this.#fail(new McpError("MCP_CLOSED", "The login was given up: its callback server was closed."));
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receive(hit: CallbackHit, response: ServerResponse): void {
    const page = this.#judge(hit);
    // Who came with the right state must see the page before the connection goes.
    response.once("close", () => page === "done" && this.#server.closeAllConnections());
    sendPage(response, page);
  }

  /** Decides what a hit means, and settles the wait if it is the awaited one. */
  #judge(hit: CallbackHit): CallbackPage {
    if (hit.kind === "stray") return hit.page;
    if (!this.#state?.matches(hit.state)) return "refused";
    this.#state.claim(hit.state);
    if (hit.kind === "answer") this.#answer.resolve({ code: hit.code, iss: hit.iss });
    else this.#refuse(this.#state, hit);
    this.#stopListening();
    return "done";
  }

  #refuse(state: LoginState, { code, error, iss }: Refusal): void {
    const isTheirs = this.#isFrom(state, iss);
    if (isTheirs) this.#expectation.onRefused?.(code);
    this.#answer.reject(isTheirs ? refusedLogin(error) : strayRefusal());
  }

  /** Whose refusal it is (RFC 9207, section 2.4); a code is compared before it is redeemed. */
  #isFrom({ issuer }: LoginState, iss: string | undefined): boolean {
    return iss === undefined ? this.#expectation.isIssuerPromised !== true : iss === issuer;
  }

  #fail(error: McpError): void {
    this.#answer.reject(error);
    this.#stopListening();
    this.#server.closeAllConnections();
  }

  #stopListening(): void {
    this.#stopWaiting();
    this.#server.close();
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!isPort(port)) {
      const message = `No login can be waited for on port ${port}: a port is a whole number from 0 to 65535.`;
      return reject(new McpError("MCP_CONFIG_INVALID", message));
    }
    server.once("error", (cause) => {
      const advice = port === 0 ? "" : " End the program that uses it, or configure another port.";
      const message = `No login can be waited for on port ${port} of this machine.${advice}`;
      reject(new McpError("MCP_CONFIG_INVALID", message, { cause }));
    });
    server.listen({ host: ADDRESS, port, exclusive: true }, resolve);
  });
}

function strayRefusal(): McpError {
  const message =
    "The answer did not come from the authorization server that was asked, so it is not used. Log in again.";
  return new McpError("MCP_AUTH_REQUIRED", message);
}

function refusedLogin(words: string): McpError {
  return new McpError("MCP_AUTH_REQUIRED", `The authorization server refused the login: ${words}`);
}

function lateLogin(timeoutMs: number): McpError {
  const seconds = Math.round(timeoutMs / 1000);
  return new McpError(
    "MCP_AUTH_REQUIRED",
    `Nobody finished the login within ${seconds} seconds. Log in again.`,
  );
}

function abortedLogin(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was given up.", { cause: signal.reason });
}
