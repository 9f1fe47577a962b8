import { startTimer } from "@jackfield/mcp-core";
import { isTemporaryStatus } from "../errors/wording.ts";
import { type BodySink, eventSink, type StreamEvent } from "./body-sink.ts";
import type { HttpCall, HttpCallListener, Refusal } from "./http-call.ts";
import { isEventStream } from "./http-wire.ts";
import { ReconnectPace } from "./reconnect-pace.ts";
import { StreamWatchdog } from "./stream-watchdog.ts";

/** How often an answer's stream may be opened in a row without bringing a message. */
const MOST_FAILURES = 5;

/** The statuses of a server that has no such stream. */
const ABSENT = new Set([404, 405, 501]);

/** No header may contain these: an event id with one cannot be sent as `Last-Event-ID`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const CONTROL_CHARACTERS = /[\x00-\x1F\x7F]/;

/** Why a stream ended. `refusal` is set if the server refused to open it. */
export interface FeedEnd {
  readonly error?: Error | undefined;
  readonly refusal?: Refusal | undefined;
}

export interface EventFeedOptions {
  readonly maxEventBytes: number;
  /** Whether this is the server's own stream, which is reopened whenever it ends. An answer's stream is reopened only after an event id. */
  readonly isStanding: boolean;
  /** Whether other requests may renew credentials: the server's own stream then outlasts a refusal for want of them. Default: no. */
  readonly hasLogin?: boolean | undefined;
  /** Shared by streams that replace each other. Default: one of its own. */
  readonly pace?: ReconnectPace | undefined;
  /** Makes the GET request that opens the stream, or resumes it after the event `lastEventId`. */
  open(lastEventId: string | undefined, listener: HttpCallListener): Pick<HttpCall, "abort">;
  /** A GET request has been answered with the stream. */
  onOpened?(): void;
  /** The stream is unavailable now: answers that were expected on it will not come. */
  onUnavailable?(): void;
  /** Receives the text of every new `message` event that has one. */
  onText(text: string): void;
  /** The stream has ended for good. */
  onEnd(why: FeedEnd): void;
  /** Whether a stream that broke off may be resumed. */
  mayResume(): boolean;
}

/** A stream of events that outlives its connections: when one breaks off, the next resumes after the last event. */
export class EventFeed {
  /** The stream is refused in a way that may last. It is still requested again, and available again once it is open. */
  isUnavailable = false;
  readonly #options: EventFeedOptions;
  #pace: ReconnectPace | undefined;
  #repeated: RepeatedEvents | undefined;
  /** Missing if there is no event to resume after. */
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #call: Pick<HttpCall, "abort"> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watchdog: StreamWatchdog | undefined;
  #wasOpened = false;
  /** The stream is unavailable for want of credentials. */
  #wantsLogin = false;
  #isOver = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#pace = options.pace;
  }

  /** After a login, or when a message waits for the stream: if it is unavailable for want of credentials, requests it soon. */
  reconsider(): void {
    if (!this.isUnavailable || !this.#wantsLogin || this.#isOver) return;
    this.isUnavailable = false;
    // A request that is under way finds out by itself.
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#openIn(this.#pace?.soonestDelayMs() ?? 0);
  }

  /** Opens the stream by a GET request. */
  start(): void {
    this.#timer = undefined;
    if (this.#isOver) return;
    this.#pace ??= new ReconnectPace();
    this.#pace.opened();
    this.#repeated?.begin(this.#lastEventId !== undefined);
    if (this.#options.isStanding)
      this.#watchdog = new StreamWatchdog((why) => this.#call?.abort(new Error(why)));
    this.#call = this.#options.open(this.#lastEventId, {
      onAccepted: (_status, headers) => {
        if (!isEventStream(headers)) throw new SyntaxError("the response is not an event stream");
        this.#wasOpened = true;
        this.isUnavailable = false;
        this.#options.onOpened?.();
        return this.body();
      },
      onReceived: () => this.#watchdog?.heard(),
      onEnd: () => this.connectionEnded(),
      onError: (error) => this.connectionEnded(error),
      onRefusal: (refusal) => this.#refused(refusal),
    });
  }

  /** The sink for the body of a connection that exists already. */
  body(): BodySink {
    return eventSink({
      maxEventBytes: this.#options.maxEventBytes,
      onEvent: (event) => this.#take(event),
      onRetry: (delayMs) => {
        this.#retryMs = delayMs;
      },
    });
  }

  /** That connection has ended. */
  connectionEnded(error?: Error): void {
    this.#watchdog?.stop();
    if (this.#isOver) return;
    const { isStanding, mayResume } = this.#options;
    const canResume = isStanding || this.#lastEventId !== undefined;
    if (canResume && this.#hasPatience() && mayResume()) this.#openLater(this.#retryMs);
    else this.#end({ error });
  }

  /** Ends the stream without calling `onEnd`. Idempotent. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#watchdog?.stop();
    this.#call?.abort(new Error("the stream is no longer needed"));
  }

  #take({ type, data, id }: StreamEvent): void {
    if (this.#isOver) return;
    // An empty id clears the last one (WHATWG HTML, "Server-sent events").
    if (id !== undefined) this.#lastEventId = id === "" || CONTROL_CHARACTERS.test(id) ? undefined : id;
    if (data === "" || type !== "message") return;
    this.#watchdog?.heardMessage();
    if (id && this.#isRepeated(id, data)) return;
    this.#pace?.recovered();
    this.#options.onText(data);
  }

  /** Ids mean nothing if a stream cannot be resumed, such as an answer's since MCP 2026-07-28. */
  #isRepeated(id: string, data: string): boolean {
    if (!this.#options.mayResume()) return false;
    this.#repeated ??= new RepeatedEvents();
    return this.#repeated.isRepeated(id, data);
  }

  /**
   * A server that is busy or broken may recover; any other refusal is final. The server's own stream is an exception once it has been
   * open: a server that has not noticed the end of the last one refuses the next with 409, and a gateway may refuse anything. It is
   * also one while it lacks credentials that other requests may renew.
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
    if (!isTemporaryStatus(status)) this.#markUnavailable(wantsLogin);
    this.#openLater(refusal.retryAfterMs);
  }

  #markUnavailable(wantsLogin: boolean): void {
    this.isUnavailable = true;
    this.#wantsLogin = wantsLogin;
    this.#options.onUnavailable?.();
  }

  #hasPatience(): boolean {
    return this.#options.isStanding || (this.#pace?.failures ?? 0) < MOST_FAILURES;
  }

  #openLater(retryMs: number | undefined): void {
    if (this.#isOver) return;
    this.#pace ??= new ReconnectPace();
    this.#openIn(this.#pace.nextDelayMs(retryMs));
  }

  #openIn(delayMs: number): void {
    this.#timer = startTimer(() => this.start(), delayMs);
  }

  #end(why: FeedEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(why);
  }
}

/** How many events are remembered. */
const REMEMBERED_EVENTS = 256;

/**
 * Recognises events that a server repeats when a stream is resumed, although only later ones were requested. An id alone is not
 * enough: some servers give each event of a session the same one (the Java SDK's use the session id).
 */
class RepeatedEvents {
  /** By id, the hash of the data; `undefined` for an id that several events share, which identifies none of them. */
  readonly #events = new Map<string, { readonly said: string | undefined; readonly connection: number }>();
  #connection = 0;
  #isResuming = false;

  /** A connection begins. `isResumed`: the server was asked to resume after an event of an earlier one. */
  begin(isResumed: boolean): void {
    this.#connection += 1;
    this.#isResuming = isResumed;
  }

  /** Whether an earlier connection has already brought this event. */
  isRepeated(id: string, data: string): boolean {
    const said = process.getBuiltinModule("node:crypto").hash("sha1", data);
    const known = this.#events.get(id);
    const isSame = known?.said === said && known.connection !== this.#connection;
    this.#events.set(id, { said: isSame || !known ? said : undefined, connection: this.#connection });
    if (this.#events.size > REMEMBERED_EVENTS)
      this.#events.delete(this.#events.keys().next().value as string);
    return isSame && this.#isResuming;
  }
}
