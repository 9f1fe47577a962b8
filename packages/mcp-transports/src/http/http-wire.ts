/** Headers as a flat list of names and values, which can be sent without copying. */
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
  /** The answer is a stream that may stay open for ever. It gets a connection that no call has to wait for. */
  readonly isStream: boolean;
}

/** Receives the events of a request. `onEnd` or `onError` is called once, and nothing after it. */
export interface WireListener {
  /** A connection exists, and the request is about to be written: from now on it may arrive. */
  onWriting(): void;
  onHeaders(status: number, headers: IncomingHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request under way. */
export interface WireExchange {
  /** Ends the request and its connection. Calls `onError` with the reason at once, unless the request has ended. */
  abort(reason: Error): void;
  /** Data that has not arrived yet waits in the network until `resume`. */
  pause(): void;
  resume(): void;
}

/** Makes HTTP requests, by undici or the host's own `fetch`. */
export interface HttpWire {
  send(request: WireRequest, listener: WireListener): WireExchange;
  /** Whether the wire negotiates and decodes compression itself. */
  readonly isDecoding: boolean;
  /** The proxy between, without user and password. */
  readonly proxy?: string | undefined;
  /** Ends every connection that no other session uses. Idempotent. */
  close(): Promise<void>;
}

/** The value of a header; several lines are joined as in HTTP. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

/** The media type without its parameters, in lower case; empty where none is given. Of several, as a gateway adds its own, the first. */
export function mediaTypeOf(headers: IncomingHeaders): string {
  return (headerOf(headers, "content-type") ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
}

export function isEventStream(headers: IncomingHeaders): boolean {
  return mediaTypeOf(headers) === "text/event-stream";
}
