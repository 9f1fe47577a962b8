import type { ServerResponse } from "node:http";
import { createEventStream, type EventOptions, type EventStream } from "./http-event-stream.ts";
import type { HttpFault, HttpFaultScript } from "./http-fault-script.ts";
import type { HttpIncoming } from "./http-incoming.ts";
import type { HttpTimers } from "./http-timers.ts";

/** The current state of an event stream that a server has opened. */
export interface HttpStreamRecord {
  readonly method: "GET" | "POST";
  readonly session?: string | undefined;
  readonly isOpen: boolean;
  /** How many messages were sent, or would have been sent if it were still open. */
  readonly sentEvents: number;
  /** How often it was resumed with `Last-Event-ID`. */
  readonly resumptions: number;
}

/** The streams of one server. */
export interface HttpStreams {
  readonly records: readonly HttpStreamRecord[];
  /** Answers a POST with a stream. */
  openForRequest(incoming: HttpIncoming, fault: HttpFault, script: HttpFaultScript): EventStream;
  /** Answers a GET with a new stream, or with the one its `Last-Event-ID` names. */
  openForSession(incoming: HttpIncoming, fault: HttpFault, script: HttpFaultScript): void;
  /** Answers a GET with the stream of the old transport, which begins with `greeting`. */
  openForMessages(incoming: HttpIncoming, fault: HttpFault, session: string, greeting: string): EventStream;
  /** Sends a message on every open GET stream. If none is open, the next one to open gets it. */
  say(value: unknown, options?: EventOptions): void;
  /** Sends a message on every open GET stream. */
  broadcast(value: unknown, options?: EventOptions): void;
  /** Ends every open GET stream. */
  endSessionStreams(): void;
}

/** Creates an empty set of streams. */
export function createHttpStreams(timers: HttpTimers, onChanged: () => void): HttpStreams {
  return new NumberedStreams(timers, onChanged);
}

class StreamRecord implements HttpStreamRecord {
  readonly method: "GET" | "POST";
  readonly session: string | undefined;
  readonly stream: EventStream;
  resumptions = 0;

  constructor(method: "GET" | "POST", session: string | undefined, stream: EventStream) {
    this.method = method;
    this.session = session;
    this.stream = stream;
  }

  get isOpen(): boolean {
    return this.stream.isOpen;
  }

  get sentEvents(): number {
    return this.stream.sentEvents;
  }
}

class NumberedStreams implements HttpStreams {
  readonly #records: StreamRecord[] = [];
  readonly #queuedMessages: { readonly value: unknown; readonly options?: EventOptions | undefined }[] = [];
  readonly #timers: HttpTimers;
  readonly #onChanged: () => void;

  constructor(timers: HttpTimers, onChanged: () => void) {
    this.#timers = timers;
    this.#onChanged = onChanged;
  }

  get records(): readonly HttpStreamRecord[] {
    return [...this.#records];
  }

  openForRequest(incoming: HttpIncoming, fault: HttpFault, script: HttpFaultScript): EventStream {
    const stream = this.#create("POST", incoming.session, script.eventIds);
    stream.open(incoming.response, fault);
    return stream;
  }

  openForSession(incoming: HttpIncoming, fault: HttpFault, script: HttpFaultScript): void {
    const { headers, response, session } = incoming;
    const lastEventId = headers["last-event-id"]?.toString();
    if (script.eventIds && lastEventId && this.#resume(lastEventId, response, fault, script)) return;
    const stream = this.#create("GET", session, script.eventIds);
    stream.open(response, fault);
    this.#sendQueued(stream);
  }

  openForMessages(
    { response }: HttpIncoming,
    fault: HttpFault,
    session: string,
    greeting: string,
  ): EventStream {
    const stream = this.#create("GET", session, false);
    stream.open(response, fault);
    stream.write(greeting);
    return stream;
  }

  say(value: unknown, options?: EventOptions): void {
    // A client may open its stream some time after the handshake: until then the message waits.
    if (this.#sessionStreams().length === 0) this.#queuedMessages.push({ value, options });
    else this.broadcast(value, options);
  }

  broadcast(value: unknown, options?: EventOptions): void {
    for (const { stream } of this.#sessionStreams()) stream.send(value, options);
  }

  endSessionStreams(): void {
    for (const { stream } of this.#sessionStreams()) stream.end();
  }

  #sessionStreams(): readonly StreamRecord[] {
    return this.#records.filter(({ method, isOpen }) => method === "GET" && isOpen);
  }

  #sendQueued(stream: EventStream): void {
    while (stream.isOpen) {
      const next = this.#queuedMessages.shift();
      if (!next) return;
      stream.send(next.value, next.options);
    }
  }

  #create(method: "GET" | "POST", session: string | undefined, hasIds: boolean | undefined): EventStream {
    const name = hasIds ? String(this.#records.length) : undefined;
    const stream = createEventStream({ name, timers: this.#timers, onChanged: this.#onChanged });
    this.#records.push(new StreamRecord(method, session, stream));
    return stream;
  }

  /** Returns false if no stream has this event id. */
  #resume(
    lastEventId: string,
    response: ServerResponse,
    fault: HttpFault,
    { replay = "missed" }: HttpFaultScript,
  ): boolean {
    const [name, number] = lastEventId.split("-").map(Number);
    const record = this.#records[name ?? Number.NaN];
    if (!record) return false;
    record.resumptions += 1;
    const { stream, method } = record;
    const after = { missed: number ?? 0, none: stream.sentEvents, all: 0 }[replay];
    stream.open(response, fault, after);
    if (method === "GET") this.#sendQueued(stream);
    return true;
  }
}
