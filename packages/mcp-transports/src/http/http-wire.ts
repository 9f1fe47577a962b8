/** Header lines as a flat list of names and values, which is what is sent without copying. */
export type HeaderList = readonly string[];

/** Headers as they arrived; names are in lower case. */
export interface IncomingHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** One HTTP request. */
export interface WireRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body?: string | undefined;
  /** A stream that may stay open for ever: it gets a connection for which no call has to wait. */
  readonly isStream: boolean;
}

/** Hears what becomes of a request. `onEnd` or `onError` comes once, and nothing after it. */
export interface WireListener {
  /** A connection exists, and the request is about to be written: from now on it may arrive. */
  onWriting(): void;
  onHeaders(status: number, headers: IncomingHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request on its way. */
export interface WireExchange {
  /** Ends it and its connection; the listener hears `onError` with the reason at once, unless it has ended. */
  abort(reason: Error): void;
  /** Data that has not arrived yet waits in the network until `resume`. */
  pause(): void;
  resume(): void;
}

/** Whatever makes HTTP requests: undici, or a `fetch` of the host's own. */
export interface HttpWire {
  send(request: WireRequest, listener: WireListener): WireExchange;
  /** Whether bodies arrive decoded, and compression is none of our business. */
  readonly isDecoding: boolean;
  /** Ends every connection that nobody else uses. Idempotent. */
  close(): Promise<void>;
}

/** The value of a header; several lines are joined as in HTTP. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}
