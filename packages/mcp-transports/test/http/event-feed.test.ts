import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createEventFeed, type FeedEnd } from "../../src/http/event-feed.ts";
import type { HttpCallListener, Refusal } from "../../src/http/http-call.ts";

interface FeedOptions {
  readonly isStanding?: boolean;
  readonly hasLogin?: boolean;
  readonly mayResume?: () => boolean;
}

/** A feed whose connections are made of texts. */
function openFeed({ isStanding = true, hasLogin, mayResume = () => true }: FeedOptions = {}) {
  const heard: string[] = [];
  const askedAfter: (string | undefined)[] = [];
  const ends: FeedEnd[] = [];
  const onUnavailable = vi.fn();
  const listeners: HttpCallListener[] = [];
  const feed = createEventFeed({
    isStanding,
    hasLogin,
    maxEventBytes: 0,
    mayResume,
    onText: (text) => heard.push(text),
    onEnd: (why) => ends.push(why),
    onUnavailable,
    open(lastEventId, listener) {
      askedAfter.push(lastEventId);
      listeners.push(listener);
      return { abort() {} };
    },
  });
  /** A connection by a GET request that brings this and ends. */
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
  return { feed, heard, askedAfter, ends, onUnavailable, connect, refuse };
}

const event = (id: string, data: string) => `id: ${id}\ndata: ${data}\n\n`;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("events with ids", () => {
  test("are all heard, though the server gives each of them the same id", () => {
    const { feed, heard, connect } = openFeed();
    feed.start();
    connect(event("session", "one") + event("session", "two") + event("session", "two"));
    connect(event("session", "one") + event("session", "three") + event("session", "three"));
    connect(event("session", "three"));
    expect(heard).toEqual(["one", "two", "two", "one", "three", "three", "three"]);
    feed.close();
  });

  test("are heard once if they are repeated when the stream is taken up again", () => {
    const { feed, heard, askedAfter, connect } = openFeed();
    feed.start();
    connect(event("1", "one") + event("2", "two"));
    connect(event("1", "one") + event("2", "two") + event("3", "three"));
    connect(event("2", "two") + event("3", "three") + event("4", "four"));
    expect(heard).toEqual(["one", "two", "three", "four"]);
    expect(askedAfter).toEqual([undefined, "2", "3"]);
    feed.close();
  });

  test("are other events if they say something else under an id that was there before", () => {
    const { feed, heard, connect } = openFeed();
    feed.start();
    connect(event("1", "one"));
    connect(event("1", "first of the next connection"));
    expect(heard).toEqual(["one", "first of the next connection"]);
    feed.close();
  });

  test("are not compared where nothing is taken up again", () => {
    const { feed, heard, ends } = openFeed({ isStanding: false, mayResume: () => false });
    feed.body().push(Buffer.from(event("1", "one") + event("1", "one")));
    feed.connectionEnded();
    expect(heard).toEqual(["one", "one"]);
    expect(ends).toHaveLength(1);
  });

  test("after one with an empty id are not asked for, and nothing is dropped", () => {
    const { feed, heard, askedAfter, connect } = openFeed();
    feed.start();
    connect(event("1", "one") + event("", "two"));
    connect(event("1", "one") + event("", "two"));
    expect(askedAfter.slice(0, 2)).toEqual([undefined, undefined]);
    expect(heard).toEqual(["one", "two", "one", "two"]);
    feed.close();
  });

  test.each(["a\u0001b", "a\tb", "\u007F"])(
    "of which no header can carry the last, %j, are an answer that is over at once when it breaks off",
    (id) => {
      const { feed, askedAfter, ends } = openFeed({ isStanding: false });
      feed.body().push(Buffer.from(event("1", "one") + event(id, "two")));
      feed.connectionEnded();
      expect(ends).toEqual([{ error: undefined }]);
      expect(vi.getTimerCount()).toBe(0);
      expect(askedAfter).toEqual([]);
    },
  );
});

describe("the server's own stream", () => {
  test.each([400, 401, 403, 408, 409, 425, 429, 503])(
    "is asked for again after a refusal with %d if it has been open, and heard",
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
  ])("is barred by a refusal with %d, until it is open again: %s", (status, isUnavailable) => {
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

  test.each([404, 405, 501])("is over with %d", (status) => {
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
  ])("that was never open is over with its first refusal: %d %j", (status, options) => {
    const { feed, ends, refuse } = openFeed(options);
    feed.start();
    refuse(status);
    expect(ends).toHaveLength(1);
  });
});

describe("the server's own stream where somebody can log in", () => {
  const challenges: [number, Partial<Refusal>][] = [
    [401, {}],
    [401, { challenge: "Bearer", retryAfterMs: 30_000 }],
    [403, { challenge: 'Bearer error="insufficient_scope"' }],
  ];

  test.each(challenges)("is barred, and not over, by a first refusal with %d %j", (status, more) => {
    const { feed, ends, askedAfter, refuse, onUnavailable } = openFeed({ hasLogin: true });
    feed.start();
    refuse(status, more);
    expect([feed.isUnavailable, onUnavailable.mock.calls.length, ends]).toEqual([true, 1, []]);
    vi.advanceTimersByTime(30_100);
    expect(askedAfter).toHaveLength(2);
    feed.close();
  });

  test.each(challenges)("is asked for at once when it may be granted after %d %j", (status, more) => {
    const { feed, askedAfter, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(status, more);
    feed.reconsider();
    expect(feed.isUnavailable).toBe(false);
    vi.advanceTimersByTime(1);
    expect(askedAfter).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(1);
    feed.close();
  });

  test("is not barred while it is asked for again, and not asked for twice", () => {
    const { feed, askedAfter, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(401);
    vi.advanceTimersToNextTimer();
    expect(feed.isUnavailable).toBe(true);
    feed.reconsider();
    expect(feed.isUnavailable).toBe(false);
    vi.advanceTimersByTime(10);
    expect(askedAfter).toHaveLength(2);
    feed.close();
  });

  test("is opened at most 12 times a minute, however often it may be granted", () => {
    const { feed, askedAfter, refuse } = openFeed({ hasLogin: true });
    feed.start();
    const until = Date.now() + 59_000;
    while (Date.now() < until) {
      refuse(401);
      feed.reconsider();
    }
    expect(askedAfter.length).toBeLessThanOrEqual(13);
    expect(askedAfter.length).toBeGreaterThanOrEqual(12);
    feed.close();
  });

  test.each([
    ["barred by something else", 400],
    ["busy", 503],
  ])("is not asked for earlier if it is %s", (_, status) => {
    const { feed, askedAfter, connect, refuse } = openFeed({ hasLogin: true });
    feed.start();
    connect(event("1", "one"));
    refuse(status, { retryAfterMs: 30_000 });
    const { isUnavailable } = feed;
    feed.reconsider();
    expect(feed.isUnavailable).toBe(isUnavailable);
    vi.advanceTimersByTime(29_000);
    expect(askedAfter).toHaveLength(2);
    feed.close();
  });

  test("stays closed", () => {
    const { feed, askedAfter, refuse } = openFeed({ hasLogin: true });
    feed.start();
    refuse(401);
    feed.close();
    feed.reconsider();
    vi.advanceTimersByTime(60_000);
    expect(askedAfter).toHaveLength(1);
  });
});

test.each([400, 401, 403, 408, 409, 425])(
  "the stream of an answer is over with %d, though it has been taken up before",
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
