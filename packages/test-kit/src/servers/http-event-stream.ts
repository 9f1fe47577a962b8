import type { ServerResponse } from "node:http";
import { type HttpBody, type HttpBodyFault, openBody } from "./http-body.ts";
import { createPayload, type HttpPayload, type HttpPayloadFault, wrapped } from "./http-payload.ts";
import type { HttpRefusalFault } from "./http-refusal.ts";
import type { HttpTimers } from "./http-timers.ts";

/** Faults of an event stream: it ends too early, or contains extra fields. */
export interface HttpStreamFault {
  /** Ends the stream this many milliseconds after it was opened, even if messages are pending; 0 is at once. Default: never. */
  readonly endAfterMs?: number | undefined;
  /** Ends the stream after this many events. Default: never. */
  readonly endAfterEvents?: number | undefined;
  /** Begins the stream with a `retry:` field. */
  readonly retryMs?: number | undefined;
  /** Sends a comment at this interval, in milliseconds. Default: never. */
  readonly commentEveryMs?: number | undefined;
}

/** Options of a message on a stream. */
export interface EventOptions {
  /** Whether this message ends the stream for good. Default false. */
  readonly isLast?: boolean | undefined;
  /** The fault with which it is sent. A replay has no fault. */
  readonly fault?: (HttpPayloadFault & HttpRefusalFault) | undefined;
}

/** A stream of events. If its events have ids, it outlives the responses that carry it. */
export interface EventStream {
  readonly isOpen: boolean;
  /** How many events were sent, including those sent while no response was open. */
  readonly sentEvents: number;
  /** Continues the stream in this response, after event number `after`. */
  open(response: ServerResponse, fault: HttpStreamFault & HttpBodyFault, after?: number): void;
  /** Sends a message or a batch. */
  send(value: unknown, options?: EventOptions): void;
  /** Writes text that is not a message. It is not replayed. */
  write(text: string): void;
  /** Ends the response. A stream whose events have ids can be resumed. */
  end(): void;
}

/** Options of `createEventStream`. */
export interface EventStreamOptions {
  /** The prefix of its event ids. Without it, events have no ids. */
  readonly name?: string | undefined;
  readonly timers: HttpTimers;
  /** Called whenever the stream is opened, is ended, or sends something. */
  onChanged(): void;
}

/** Makes a stream that is not open yet. */
export function createEventStream(options: EventStreamOptions): EventStream {
  return new RecordingStream(options);
}

class RecordingStream implements EventStream {
  sentEvents = 0;
  readonly #options: EventStreamOptions;
  readonly #history: { readonly value: unknown; readonly isLast: boolean }[] = [];
  #fault: HttpStreamFault & HttpBodyFault = {};
  #body: HttpBody | undefined;
  #eventsInResponse = 0;
  #stopTimers = () => {};

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#body !== undefined;
  }

  open(response: ServerResponse, fault: HttpStreamFault & HttpBodyFault, after = 0): void {
    const { name } = this.#options;
    this.end();
    this.#fault = fault;
    this.#eventsInResponse = 0;
    const body = openBody(response, "text/event-stream", fault);
    this.#body = body;
    response.on("close", () => {
      if (this.#body === body) this.end();
    });
    if (fault.retryMs !== undefined) this.write(`retry: ${fault.retryMs}\n\n`);
    // Lets a client resume a stream before it has received an event (SEP-1699).
    if (name !== undefined) this.write(`id: ${name}-${after}\ndata: \n\n`);
    this.#history.slice(after).forEach(({ value, isLast }, index) => {
      this.#carry(value, after + index + 1, { isLast });
    });
    if (this.isOpen) this.#startTimers(fault);
    this.#options.onChanged();
  }

  send(value: unknown, options: EventOptions = {}): void {
    this.sentEvents += 1;
    if (this.#options.name !== undefined) this.#history.push({ value, isLast: options.isLast ?? false });
    this.#carry(value, this.sentEvents, options);
    this.#options.onChanged();
  }

  write(text: string): void {
    this.#body?.write(createText(text));
  }

  end(): void {
    this.#stopTimers();
    this.#body?.end();
    this.#body = undefined;
    this.#options.onChanged();
  }

  #carry(value: unknown, number: number, { isLast, fault = {} }: EventOptions): void {
    const body = this.#body;
    if (!body) return;
    const { name } = this.#options;
    const id = name === undefined ? "" : `id: ${name}-${number}\n`;
    const event = wrapped(`event: message\n${id}data: `, createPayload(value, fault), "\n\n");
    this.#eventsInResponse += 1;
    const isDropped = fault.drop === "headers" || fault.drop === "body";
    if (isDropped) body.drop(event, fault.drop, fault.dropBy);
    else body.write(event);
    if (isDropped || isLast || this.#eventsInResponse === this.#fault.endAfterEvents) this.end();
  }

  #startTimers({ endAfterMs, commentEveryMs }: HttpStreamFault): void {
    const { timers } = this.#options;
    const stops: (() => void)[] = [];
    this.#stopTimers = () => {
      for (const stop of stops) stop();
    };
    if (commentEveryMs !== undefined)
      stops.push(timers.every(commentEveryMs, () => this.write(": alive\n\n")));
    if (endAfterMs !== undefined) stops.push(timers.after(endAfterMs, () => this.end()));
  }
}

function createText(text: string): HttpPayload {
  const bytes = Buffer.from(text);
  return { length: bytes.length, pieces: () => [bytes] };
}
