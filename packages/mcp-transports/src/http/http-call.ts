import { parseRetryAfter } from "@jackfield/mcp-core";
import { asError, displayUrl } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import { type DecoderHooks, decodeInto, encodingOf } from "./body-decoder.ts";
import { type BodySink, excerptSink } from "./body-sink.ts";
import type { Cookies } from "./cookies.ts";
import { type Attached, type Credentials, readChallenge } from "./credentials.ts";
import {
  type HeaderList,
  type HttpWire,
  headerOf,
  type IncomingHeaders,
  type WireExchange,
  type WireListener,
  type WireRequest,
} from "./http-wire.ts";

/** How much of a refusal's body is read, and for how long. The status already says what the refusal means. */
const EXCERPT_BYTES = 16 * 1024;
const EXCERPT_MS = 1000;

/** How long a body may go on after the end of its compressed data. */
const REST_MS = 1000;

/** The final answer to a call, if its status is not success. */
export interface Refusal {
  readonly status: number;
  /** The beginning of the body. */
  readonly text?: string | undefined;
  /** The target of a redirect that was not followed. */
  readonly redirectedTo?: string | undefined;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly challenge?: string | undefined;
}

/** Receives the events of a call. */
export interface HttpCallListener {
  /** Asked when the credentials are there, before the request is handed to the wire. If false, it is not. */
  isWanted?(): boolean;
  /** The request is about to be written. Called again if it is repeated. */
  onWriting?(): void;
  /** The request was refused before it was processed, and may be repeated, after `login` if a challenge is to be met first. */
  onRefused?(login?: Promise<unknown>): void;
  /** Success. Returns the sink for the body. */
  onAccepted(status: number, headers: IncomingHeaders): BodySink;
  /** A part of the body has arrived. It is decompressed later, on threads that may be busy. */
  onReceived?(): void;
  /** The body is complete. One of `onEnd`, `onRefusal` and `onError` is called, once. */
  onEnd(): void;
  onRefusal(refusal: Refusal): void;
  onError(error: Error): void;
}

/** What every call of a connection shares. */
export interface HttpCallTools {
  readonly wire: HttpWire;
  readonly credentials: Credentials | undefined;
  readonly cookies?: Cookies | undefined;
}

/** Makes an HTTP request with the credentials of the connection. */
export function startHttpCall(
  tools: HttpCallTools,
  request: WireRequest,
  listener: HttpCallListener,
): HttpCall {
  const call = new HttpCall(tools, request, listener);
  call.start(request.url);
  return call;
}

/** A call under way. It is repeated only after a challenge that was met, once, or if it is redirected within its origin. */
export class HttpCall implements WireListener, DecoderHooks {
  readonly #tools: HttpCallTools;
  readonly #request: WireRequest;
  readonly #listener: HttpCallListener;
  #exchange: WireExchange | undefined;
  #attached: Attached | undefined;
  #url: URL;
  #hops = 0;
  #hasTakenNonce = false;
  #hasMetChallenge = false;
  /** The request has been refused or redirected, and is repeated. */
  #wasRefused = false;
  #isOver = false;
  #sink: BodySink | undefined;
  /** The answer was a refusal: an error only ends its body. */
  #isRefused = false;
  /** The current or last body has arrived completely. */
  #isBodyEnded = false;
  #excerptTimer: NodeJS.Timeout | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(tools: HttpCallTools, request: WireRequest, listener: HttpCallListener) {
    this.#tools = tools;
    this.#request = request;
    this.#listener = listener;
    this.#url = request.url;
  }

  start(url: URL): void {
    this.#url = url;
    this.#isRefused = false;
    this.#isBodyEnded = false;
    const asked = { method: this.#request.method, url: url.href };
    const attaching = this.#tools.credentials?.attach(asked, this.#wasRefused);
    if (!attaching) {
      this.#send([]);
      return;
    }
    attaching.then(
      (attached) => {
        this.#attached = attached;
        this.#send(attached.headers);
      },
      (error) => this.abort(asError(error)),
    );
  }

  #send(credentials: HeaderList): void {
    if (this.#isOver) return;
    if (this.#listener.isWanted?.() === false) {
      this.abort(new TransportFault({ kind: "unwritable" }));
      return;
    }
    const cookies = this.#tools.cookies?.headerFor(this.#url);
    const headers = withCookies(mergeHeaders(this.#request.headers, credentials), cookies);
    this.#exchange = this.#tools.wire.send({ ...this.#request, url: this.#url, headers }, this);
  }

  /** Ends the call. `onError` gets the reason, unless the call has already ended. */
  abort(reason: Error): void {
    this.#finish(() => this.#listener.onError(reason));
    this.#exchange?.abort(reason);
  }

  pause(): void {
    this.#exchange?.pause();
  }

  resume(): void {
    this.#exchange?.resume();
  }

  onWriting(): void {
    if (!this.#isOver) this.#listener.onWriting?.();
  }

  onHeaders(status: number, headers: IncomingHeaders): void {
    this.#tools.cookies?.take(this.#url, headers);
    if (this.#isOver) return;
    const isSuccess = status >= 200 && status < 300;
    const encoding = this.#tools.wire.isDecoding
      ? undefined
      : encodingOf(headerOf(headers, "content-encoding"));
    const sink = isSuccess
      ? this.#endingWith(this.#listener.onAccepted(status, headers))
      : this.#createExcerpt((text) => this.#takeRefusal(status, headers, text));
    if (encoding === "unsupported" && isSuccess)
      throw new SyntaxError("the answer has an encoding that was not requested");
    // A refusal means what its status says, whether or not its body can be read.
    this.#sink = encoding && encoding !== "unsupported" ? decodeInto(sink, encoding, this, !isSuccess) : sink;
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return;
    if (!this.#isRefused) this.#listener.onReceived?.();
    this.#sink?.push(chunk);
  }

  onEnd(): void {
    this.#isBodyEnded = true;
    clearTimeout(this.#restTimer);
    if (this.#isOver) return;
    try {
      this.#sink?.end();
    } catch (error) {
      this.abort(error as Error);
    }
  }

  onError(error: Error): void {
    if (this.#isRefused) this.onEnd();
    else this.abort(error);
  }

  #createExcerpt(onText: (text: string) => void): BodySink {
    this.#isRefused = true;
    const sink = excerptSink(EXCERPT_BYTES, onText);
    this.#excerptTimer = setTimeout(sink.end, EXCERPT_MS);
    return sink;
  }

  #endingWith(sink: BodySink): BodySink {
    return {
      push: (chunk) => this.#isOver || sink.push(chunk),
      end: () => {
        if (this.#isOver) return;
        sink.end();
        this.#finish(() => this.#listener.onEnd());
        this.#limitRest();
      },
    };
  }

  /** Discards the rest of the body, so that the connection can be reused. A connection whose body does not end is aborted. */
  #limitRest(): void {
    if (this.#isBodyEnded) return;
    const giveUp = () => this.#exchange?.abort(new Error("the body did not end"));
    this.#restTimer = setTimeout(giveUp, REST_MS);
    this.#restTimer.unref();
  }

  #takeRefusal(status: number, headers: IncomingHeaders, text: string): void {
    clearTimeout(this.#excerptTimer);
    this.#dropSink();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (this.#isOver) return;
    if (!this.#isBodyEnded) exchange?.abort(new Error("enough of the refusal was read"));
    const redirect = judgeRedirect(this.#request.method, this.#url, status, headerOf(headers, "location"));
    if (redirect?.kind === "follow" && this.#hops < MAX_REDIRECTS) {
      this.#hops += 1;
      this.#again(redirect.url);
      return;
    }
    const challenge = readChallenge(status, headers);
    const refuse = () =>
      this.#finish(() =>
        this.#listener.onRefusal({
          status,
          text,
          redirectedTo: redirect && (redirect.kind === "refuse" ? redirect.to : displayUrl(redirect.url)),
          retryAfterMs: parseRetryAfter(headerOf(headers, "retry-after") ?? null, Date.now()),
          challenge: challenge?.wwwAuthenticate,
        }),
      );
    const { credentials } = this.#tools;
    // A token that was just renewed may be accepted only with a nonce.
    const wantsNonce = challenge?.dpopNonce !== undefined;
    const hasMet = wantsNonce ? this.#hasTakenNonce : this.#hasMetChallenge;
    if (!challenge || !credentials || !this.#attached || hasMet) {
      refuse();
      return;
    }
    if (wantsNonce) this.#hasTakenNonce = true;
    else this.#hasMetChallenge = true;
    const login = credentials.meetChallenge(challenge, this.#attached);
    this.#listener.onRefused?.(login);
    login.then(
      (mayRetry) => {
        if (this.#isOver) return;
        if (mayRetry) this.#again(this.#url);
        else refuse();
      },
      (error) => this.abort(asError(error)),
    );
  }

  #again(url: URL): void {
    this.#wasRefused = true;
    this.#listener.onRefused?.();
    this.start(url);
  }

  #finish(act: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#excerptTimer);
    this.#dropSink();
    act();
  }

  #dropSink(): void {
    this.#sink?.drop?.();
    this.#sink = undefined;
  }
}

/** A later header replaces an earlier one of the same name. */
function mergeHeaders(headers: HeaderList, later: HeaderList): HeaderList {
  if (later.length === 0) return headers;
  const names = new Set(later.filter((_, index) => index % 2 === 0));
  const merged: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!names.has(name)) merged.push(name, headers[index + 1] as string);
  }
  return [...merged, ...later];
}

/** A cookie that the entry configures takes precedence over one of that name which the server has set. */
function withCookies(headers: HeaderList, cookies: string | undefined): HeaderList {
  if (cookies === undefined) return headers;
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === "cookie");
  if (at < 0) return [...headers, "cookie", cookies];
  const configured = headers[at + 1] as string;
  const names = new Set(configured.split(";").map((pair) => pair.split("=")[0]?.trim()));
  const others = cookies.split("; ").filter((pair) => !names.has(pair.slice(0, pair.indexOf("="))));
  return headers.with(at + 1, [configured, ...others].join("; "));
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** How many redirects of one request are followed; no honest server needs more. */
const MAX_REDIRECTS = 3;

/**
 * Judges a redirect; `undefined` if the answer is none. Credentials, headers and bodies never leave the origin they were
 * meant for, and a request never changes its method or loses its body (threat T29: redirects as a way out).
 */
export function judgeRedirect(
  method: string,
  from: URL,
  status: number,
  location: string | undefined,
):
  | { readonly kind: "follow"; readonly url: URL }
  | { readonly kind: "refuse"; readonly to: string }
  | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (!to) return { kind: "refuse", to: "an invalid address" };
  const keepsRequest = method === "GET" || status === 307 || status === 308;
  const staysWithin = to.origin === from.origin && !to.username && !to.password;
  return keepsRequest && staysWithin ? { kind: "follow", url: to } : { kind: "refuse", to: displayUrl(to) };
}
