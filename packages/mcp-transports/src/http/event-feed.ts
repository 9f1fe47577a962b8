import { clampDelay } from "../timer-delay.ts";
import { type BodySink, eventSink } from "./body-sink.ts";
import type { StreamEvent } from "./event-stream-parser.ts";
import type { HttpCall, HttpCallListener, Refusal } from "./http-call.ts";
import { isEventStream } from "./media-type.ts";
import { isPassing } from "./passing-status.ts";
import { createReconnectPace, type ReconnectPace } from "./reconnect-pace.ts";
import { createRepeatedEvents, type RepeatedEvents } from "./repeated-events.ts";
import { createStreamWatchdog, type StreamWatchdog } from "./stream-watchdog.ts";

/** A stream of an answer is not opened more often without bringing anything. */
const MOST_FAILURES = 5;

/** What says that a server has no such stream. */
const ABSENT = new Set([404, 405, 501]);

/** What no header may have: an event with such an id cannot be named in a request. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const CONTROL_CHARACTERS = /[\x00-\x1F\x7F]/;

/** Why a stream ended. `refusal` is set if the server refused to open it. */
export interface FeedEnd {
  readonly error?: Error | undefined;
  readonly refusal?: Refusal | undefined;
}

export interface EventFeedOptions {
  readonly maxEventBytes: number;
  /** The server's own stream comes back whenever it ends; that of an answer only if the server gave it ids. */
  readonly isStanding: boolean;
  /** What it is refused for want of may be renewed by others: such a refusal is no last word of the server's own stream. Default: no. */
  readonly hasLogin?: boolean | undefined;
  /** Shared by streams that take each other's place. Default: one of its own. */
  readonly pace?: ReconnectPace | undefined;
  /** Makes the GET request that opens the stream, or opens it again after the event of that id. */
  open(lastEventId: string | undefined, listener: HttpCallListener): HttpCall;
  /** A GET request has been answered with the stream. */
  onOpened?(): void;
  /** It is barred now: what was to come by it will not. */
  onBarred?(): void;
  /** Hears of the text of every event that has one. */
  onText(text: string): void;
  /** It ended, and does not come back. */
  onEnd(why: FeedEnd): void;
  /** Whether a stream that broke off can be asked for again. */
  mayResume(): boolean;
}

/** A stream of events that outlives its connections: where one breaks off, the next goes on after the last event. */
export interface EventFeed {
  /** It is refused in a way that may well last. It is asked for all the same, and is not barred once it is open again. */
  readonly isBarred: boolean;
  /** Somebody has logged in, or waits for it: if it is barred for want of credentials it is so no more, and asked for at once. */
  reconsider(): void;
  /** Opens it by a GET request. */
  start(): void;
  /** Takes the body of a connection that exists already. */
  body(): BodySink;
  /** That connection has ended. */
  ended(error?: Error): void;
  /** Nobody wants any more of it: it ends without being told. Idempotent. */
  close(): void;
}

export function createEventFeed(options: EventFeedOptions): EventFeed {
  return new ResumableFeed(options);
}

class ResumableFeed implements EventFeed {
  readonly #options: EventFeedOptions;
  #pace: ReconnectPace | undefined;
  #repeated: RepeatedEvents | undefined;
  /** Missing if there is nothing to go on after. */
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #call: HttpCall | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watchdog: StreamWatchdog | undefined;
  #wasOpened = false;
  #isBarred = false;
  /** It is barred for want of credentials. */
  #wantsLogin = false;
  #isOver = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#pace = options.pace;
  }

  get isBarred(): boolean {
    return this.#isBarred;
  }

  reconsider(): void {
    if (!this.#isBarred || !this.#wantsLogin || this.#isOver) return;
    this.#isBarred = false;
    // One that is being opened finds out by itself.
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#openIn(this.#pace?.soonestDelayMs() ?? 0);
  }

  start(): void {
    this.#timer = undefined;
    if (this.#isOver) return;
    this.#pace ??= createReconnectPace({ now: Date.now, random: Math.random });
    this.#pace.opened();
    this.#repeated?.begin(this.#lastEventId !== undefined);
    if (this.#options.isStanding)
      this.#watchdog = createStreamWatchdog((why) => this.#call?.abort(new Error(why)));
    this.#call = this.#options.open(this.#lastEventId, {
      onAccepted: (_status, headers) => {
        if (!isEventStream(headers))
          throw new SyntaxError("a stream was asked for, and something else was answered");
        this.#wasOpened = true;
        this.#isBarred = false;
        this.#options.onOpened?.();
        return this.#heard(this.body());
      },
      onEnd: () => this.ended(),
      onError: (error) => this.ended(error),
      onRefusal: (refusal) => this.#refused(refusal),
    });
  }

  body(): BodySink {
    return eventSink({
      maxEventBytes: this.#options.maxEventBytes,
      onEvent: (event) => this.#take(event),
      onRetry: (delayMs) => {
        this.#retryMs = delayMs;
      },
    });
  }

  ended(error?: Error): void {
    this.#watchdog?.stop();
    if (this.#isOver) return;
    const { isStanding, mayResume } = this.#options;
    const canResume = isStanding || this.#lastEventId !== undefined;
    if (canResume && this.#hasPatience() && mayResume()) this.#openLater(this.#retryMs);
    else this.#end({ error });
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#watchdog?.stop();
    this.#call?.abort(new Error("nobody listens to the stream any more"));
  }

  #take({ type, data, id }: StreamEvent): void {
    if (this.#isOver) return;
    // An empty id takes back the last one (WHATWG HTML, "Server-sent events").
    if (id !== undefined) this.#lastEventId = id === "" || CONTROL_CHARACTERS.test(id) ? undefined : id;
    if (data === "" || type !== "message") return;
    if (id && this.#isRepeated(id, data)) return;
    this.#pace?.recovered();
    this.#options.onText(data);
  }

  /** Where nothing is taken up again, as since 2026-07-28, ids mean nothing. */
  #isRepeated(id: string, data: string): boolean {
    if (!this.#options.mayResume()) return false;
    this.#repeated ??= createRepeatedEvents();
    return this.#repeated.isRepeated(id, data);
  }

  /**
   * A server that is busy or broken may be well later; any other refusal is its last word. Not so of its own stream once that has been
   * open: a server that has not noticed the end of the last one refuses the next with 409, and a gateway on the way may refuse anything.
   * Nor where credentials are missing that others may renew.
   */
  #refused(refusal: Refusal): void {
    this.#watchdog?.stop();
    const { status } = refusal;
    const { isStanding, hasLogin } = this.#options;
    const wantsLogin = hasLogin === true && (status === 401 || refusal.challenge !== undefined);
    const isKnown = isStanding && (this.#wasOpened || wantsLogin);
    const mayPass = !ABSENT.has(status) && (isKnown || status >= 500 || status === 429);
    if (!mayPass || !this.#hasPatience()) {
      this.#end({ refusal });
      return;
    }
    if (!isPassing(status)) this.#bar(wantsLogin);
    this.#openLater(refusal.retryAfterMs);
  }

  #bar(wantsLogin: boolean): void {
    this.#isBarred = true;
    this.#wantsLogin = wantsLogin;
    this.#options.onBarred?.();
  }

  #hasPatience(): boolean {
    return this.#options.isStanding || (this.#pace?.failures ?? 0) < MOST_FAILURES;
  }

  #openLater(retryMs: number | undefined): void {
    if (this.#isOver) return;
    this.#pace ??= createReconnectPace({ now: Date.now, random: Math.random });
    this.#openIn(this.#pace.nextDelayMs(retryMs));
  }

  #openIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.start(), clampDelay(delayMs));
  }

  #heard(sink: BodySink): BodySink {
    const watchdog = this.#watchdog;
    if (!watchdog) return sink;
    return {
      push(chunk) {
        watchdog.heard();
        sink.push(chunk);
      },
      end: () => sink.end(),
    };
  }

  #end(why: FeedEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(why);
  }
}
