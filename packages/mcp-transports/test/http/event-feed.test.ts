import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EventFeed, type FeedEnd } from "../../src/http/event-feed.ts";
import type { HttpCallListener, Refusal } from "../../src/http/http-call.ts";

interface FeedOptions {
  readonly isStanding?: boolean;
  readonly hasLogin?: boolean;
  readonly mayResume?: () => boolean;
}

/** A feed whose connections consist of given texts. */
function openFeed({ isStanding = true, hasLogin, mayResume = () => true }: FeedOptions = {}) {
  const heard: string[] = [];
  const lastEventIds: (string | undefined)[] = [];
  const ends: FeedEnd[] = [];
  const onUnavailable = vi.fn();
  const listeners: HttpCallListener[] = [];
  const abort = vi.fn();
  const feed = new EventFeed({
    isStanding,
    hasLogin,
    maxEventBytes: 0,
    mayResume,
    onText: (text) => heard.push(text),
    onEnd: (why) => ends.push(why),
    onUnavailable,
    open(lastEventId, listener) {
      lastEventIds.push(lastEventId);
      listeners.push(listener);
      return { abort };
    },
  });
  /** Answers the latest GET request with a text and ends its connection. */
  const connect = (text: string) => {
    vi.advanceTimersToNextTimer();
    const listener = listeners.at(-1);
    listener?.onAccepted(200, { "content-type": "text/event-stream" }).push(Buffer.from(text));
    listener?.onEnd();
  };
  const refuse = (status: number, more: Partial<Refusal> = {}) => {
    vi.advanceTimersToNextTimer();
    listeners.at(-1)?.onRefusal({ status, text: "", ...more });
  };
  /** Answers the GET request with a stream that brings a text every 10 seconds and then falls silent. */
  const fallSilentAfter = (texts: readonly string[]) => {
    const sink = listeners.at(-1)?.onAccepted(200, { "content-type": "text/event-stream" });
    for (const text of texts) {
      vi.advanceTimersByTime(10_000);
      listeners.at(-1)?.onReceived?.();
      sink?.push(Buffer.from(text));
    }
    vi.advanceTimersByTime(600_000);
  };
  return { feed, heard, lastEventIds, ends, onUnavailable, abort, connect, refuse, fallSilentAfter };
}

const event = (id: string, data: string) => `id: ${id}\ndata: ${data}\n\n`;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("events with ids", () => {
  test("are all delivered, even if the server gives each the same id", () => {
    const { feed, heard, connect } = openFeed();
    feed.start();
    connect(event("session", "one") + event("session", "two") + event("session", "two"));
    connect(event("session", "one") + event("session", "three") + event("session", "three"));
    connect(event("session", "three"));
    expect(heard).toEqual(["one", "two", "two", "one", "three", "three", "three"]);
    feed.close();
  });

  test("are delivered once if a resumed stream repeats them", () => {
    const { feed, heard, lastEventIds, connect } = openFeed();
    feed.start();
    connect(event("1", "one") + event("2", "two"));
    connect(event("1", "one") + event("2", "two") + event("3", "three"));
    connect(event("2", "two") + event("3", "three") + event("4", "four"));
    expect(heard).toEqual(["one", "two", "three", "four"]);
    expect(lastEventIds).toEqual([undefined, "2", "3"]);
    feed.close();
  });

  test("are new if their data differs under a known id", () => {
    const { feed, heard, connect } = openFeed();
    feed.start();
    connect(event("1", "one"));
    connect(event("1", "first of the next connection"));
    expect(heard).toEqual(["one", "first of the next connection"]);
    feed.close();
  });

  test("are not deduplicated if the stream cannot be resumed", () => {
    const { feed, heard, ends } = openFeed({ isStanding: false, mayResume: () => false });
    feed.body().push(Buffer.from(event("1", "one") + event("1", "one")));
    feed.connectionEnded();
    expect(heard).toEqual(["one", "one"]);
    expect(ends).toHaveLength(1);
  });

  test("are not resumed after an empty id, and nothing is dropped", () => {
    const { feed, heard, lastEventIds, connect } = openFeed();
    feed.start();
    connect(event("1", "one") + event("", "two"));
    connect(event("1", "one") + event("", "two"));
    expect(lastEventIds.slice(0, 2)).toEqual([undefined, undefined]);
    expect(heard).toEqual(["one", "two", "one", "two"]);
    feed.close();
  });

  test.each(["a\u0001b", "a\tb", "\u007F"])(
    "end an interrupted answer at once if its last id, %j, fits no header",
    (id) => {
      const { feed, lastEventIds, ends } = openFeed({ isStanding: false });
      feed.body().push(Buffer.from(event("1", "one") + event(id, "two")));
      feed.connectionEnded();
      expect(ends).toEqual([{ error: undefined }]);
      expect(vi.getTimerCount()).toBe(0);
      expect(lastEventIds).toEqual([]);
    },
  );
});

describe("the server's GET stream", () => {
  test.each([400, 401, 403, 408, 409, 425, 429, 503])(
    "is reopened and delivers after %d if it has been open before",
    (status) => {
      const { feed, heard, ends, connect, refuse } = openFeed();
      feed.start();
      connect(event("1", "one"));
      refuse(status);
      refuse(status);
      connect(event("2", "two"));
      expect(heard).toEqual(["one", "two"]);
      expect(ends).toEqual([]);
      feed.close();
    },
  );

  test.each([
    [400, true],
    [401, true],
    [403, true],
    [408, false],
    [409, false],
    [425, false],
    [429, false],
    [503, false],
  ])("is unavailable after %d until it reopens: %s", (status, isUnavailable) => {
    const { feed, onUnavailable, connect, refuse } = openFeed();
    feed.start();
    connect(event("1", "one"));
    refuse(status);
    expect(feed.isUnavailable).toBe(isUnavailable);
    expect(onUnavailable).toHaveBeenCalledTimes(isUnavailable ? 1 : 0);
    connect(event("2", "two"));
    expect(feed.isUnavailable).toBe(false);
    feed.close();
  });

  test.each([404, 405, 501])("ends for good with %d", (status) => {
    const { feed, ends, connect, refuse } = openFeed();
    feed.start();
    connect(event("1", "one"));
    refuse(status);
    expect(ends).toMatchObject([{ refusal: { status } }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [409, {}],
    [401, {}],
    [409, { hasLogin: true }],
    [403, { hasLogin: true }],
    [404, { hasLogin: true }],
  ])("that was never open ends for good with its first refusal: %d %j", (status, options) => {
    const { feed, ends, refuse } = openFeed(options);
    feed.start();
    refuse(status);
    expect(ends).toHaveLength(1);
  });
});

test.each([
  [": beat\n\n", 1],
  ["event: ping\ndata: now\n\n", 1],
  ["data: message\n\n", 0],
  [": beat\n\ndata: message\n\n", 0],
])(
  "the server's GET stream that falls silent after sending %j at regular intervals is ended %d times",
  (text, times) => {
    const { feed, abort, fallSilentAfter } = openFeed();
    feed.start();
    fallSilentAfter(Array(4).fill(text));
    expect(abort).toHaveBeenCalledTimes(times);
    feed.close();
  },
);

describe("the server's GET stream when a login is possible", () => {
  const challenges: [number, Partial<Refusal>][] = [
    [401, {}],
    [401, { challenge: "Bearer", retryAfterMs: 30_000 }],
    [403, { challenge: 'Bearer error="insufficient_scope"' }],
  ];

  test.each(challenges)(
    "is unavailable after a first refusal with %d %j, and is requested again later",
    (status, more) => {
      const { feed, ends, lastEventIds, refuse, onUnavailable } = openFeed({ hasLogin: true });
      feed.start();
      refuse(status, more);
      expect([feed.isUnavailable, onUnavailable.mock.calls.length, ends]).toEqual([true, 1, []]);
      vi.advanceTimersByTime(30_100);
      expect(lastEventIds).toHaveLength(2);
      feed.close();
    },
  );

  test.each(challenges)("is requested at once by reconsider() after %d %j", (status, more) => {
    const { feed, lastEventIds, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(status, more);
    feed.reconsider();
    expect(feed.isUnavailable).toBe(false);
    vi.advanceTimersByTime(1);
    expect(lastEventIds).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(1);
    feed.close();
  });

  test("is available, and not requested twice, after reconsider() during a request", () => {
    const { feed, lastEventIds, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(401);
    vi.advanceTimersToNextTimer();
    expect(feed.isUnavailable).toBe(true);
    feed.reconsider();
    expect(feed.isUnavailable).toBe(false);
    vi.advanceTimersByTime(10);
    expect(lastEventIds).toHaveLength(2);
    feed.close();
  });

  test("is opened ever more rarely, however often reconsider() is called", () => {
    const { feed, lastEventIds, refuse } = openFeed({ hasLogin: true });
    feed.start();
    const until = Date.now() + 59_000;
    while (Date.now() < until) {
      refuse(401);
      feed.reconsider();
    }
    expect(lastEventIds.length).toBeLessThanOrEqual(14);
    expect(lastEventIds.length).toBeGreaterThanOrEqual(12);
    feed.close();
  });

  test.each([
    ["refused for another reason", 400],
    ["busy", 503],
  ])("is not requested earlier by reconsider() if it is %s", (_, status) => {
    const { feed, lastEventIds, connect, refuse } = openFeed({ hasLogin: true });
    feed.start();
    connect(event("1", "one"));
    refuse(status, { retryAfterMs: 30_000 });
    const { isUnavailable } = feed;
    feed.reconsider();
    expect(feed.isUnavailable).toBe(isUnavailable);
    vi.advanceTimersByTime(29_000);
    expect(lastEventIds).toHaveLength(2);
    feed.close();
  });

  test("stays closed when reconsider() is called", () => {
    const { feed, lastEventIds, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(401);
    feed.close();
    feed.reconsider();
    vi.advanceTimersByTime(60_000);
    expect(lastEventIds).toHaveLength(1);
  });
});

test.each([400, 401, 403, 408, 409, 425])(
  "an answer's stream ends for good with %d, even if it has resumed before",
  (status) => {
    const { feed, ends, connect, refuse } = openFeed({ isStanding: false });
    feed.body().push(Buffer.from(event("1", "one")));
    feed.connectionEnded();
    connect(event("2", "two"));
    refuse(status);
    expect(ends).toMatchObject([{ refusal: { status } }]);
    expect(vi.getTimerCount()).toBe(0);
  },
);
