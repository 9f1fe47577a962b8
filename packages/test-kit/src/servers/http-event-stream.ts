import type { ServerResponse } from "node:http";
import { type HttpBody, type HttpBodyFault, openBody } from "./http-body.ts";
import { createPayload, type HttpPayload, type HttpPayloadFault, wrapped } from "./http-payload.ts";
import type { HttpRefusalFault } from "./http-refusal.ts";
import type { HttpTimers } from "./http-timers.ts";

/** How a stream of events ends too early, or says too much. */
export interface HttpStreamFault {
  /** Ends the stream so many milliseconds after it was opened, whatever is still owed; 0 is at once. Default: never. */
  readonly endAfterMs?: number | undefined;
  /** Ends the stream after so many events. Default: never. */
  readonly endAfterEvents?: number | undefined;
  /** Begins the stream with a `retry:` field. */
  readonly retryMs?: number | undefined;
  /** Sends a comment each time so many milliseconds have passed. Default: never. */
  readonly commentEveryMs?: number | undefined;
}

/** What comes with a message. */
export interface EventOptions {
  /** Nothing comes after it: the stream ends for good. Default false. */
  readonly isLast?: boolean | undefined;
  /** What goes wrong with it when it is sent, but not when it is repeated. */
  readonly fault?: (HttpPayloadFault & HttpRefusalFault) | undefined;
}

/** A stream of events. If its events have ids it outlives the responses that carry it. */
export interface EventStream {
  readonly isOpen: boolean;
  /** How many events were sent, those that nobody read included. */
  readonly sentEvents: number;
  /** Carries the stream on in this response, after what was sent up to and with this event. */
  open(response: ServerResponse, fault: HttpStreamFault & HttpBodyFault, after?: number): void;
  /** Sends a message or a batch. */
  send(value: unknown, options?: EventOptions): void;
  /** Writes text that is no message. Nothing of it is repeated. */
  write(text: string): void;
  /** Ends the response. A stream whose events have ids can be taken up again. */
  end(): void;
}

/** What a stream is made of. */
export interface EventStreamOptions {
  /** Begins the ids of its events. Without it they have none. */
  readonly name?: string | undefined;
  readonly timers: HttpTimers;
  /** Called whenever it is opened, ended, or has sent something. */
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
    // So that a client can take up a stream of which it has seen nothing (SEP-1699).
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
