import { silentLogger } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ChannelFault } from "../../src/channel-fault.ts";
import { createChangeSubscription } from "../../src/session/change-subscription.ts";
import type { Listening, ListenOptions } from "../../src/session/listen-requests.ts";

const CAPABILITIES = { tools: { listChanged: true }, resources: { listChanged: false }, prompts: {} };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What one request to be told was for, and how it goes on. */
interface Asked {
  readonly filter: { readonly resourceSubscriptions?: readonly string[] | undefined };
  readonly unattended: ListenOptions["unattended"];
  readonly close: () => void;
  /** The server ends it. */
  end(): void;
}

function subscribing(grant: (attempt: number) => Error | undefined = () => undefined) {
  const asked: Asked[] = [];
  const open = async (filter: Asked["filter"], { unattended }: ListenOptions): Promise<Listening> => {
    const closed = Promise.withResolvers<void>();
    const close = vi.fn(closed.resolve);
    asked.push({ filter, unattended, close, end: closed.resolve });
    const refusal = grant(asked.length);
    if (refusal) throw refusal;
    return { resources: filter.resourceSubscriptions ?? [], close, closed: closed.promise };
  };
  const onRestored = vi.fn();
  const log = vi.fn(silentLogger);
  const subscription = createChangeSubscription({
    listens: { open },
    capabilities: CAPABILITIES,
    server: "s",
    log,
    onRestored,
  });
  return { asked, subscription, onRestored, log, filters: () => asked.map(({ filter }) => filter) };
}

/** Lets everything happen that waits for nothing. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe("what is asked for", () => {
  test("is the lists that the server says may change", async () => {
    const { subscription, filters } = subscribing();
    subscription.open();
    subscription.open();
    await settle();
    expect(filters()).toEqual([{ toolsListChanged: true }]);
  });

  test("is, besides, the resources that are watched, however many come together", async () => {
    const { subscription, asked, filters } = subscribing();
    subscription.open();
    await settle();
    expect(await Promise.all(["b:", "a:", "b:"].map((uri) => subscription.add(uri)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(filters().slice(1)).toEqual([{ toolsListChanged: true, resourceSubscriptions: ["a:", "b:"] }]);
    expect(asked[0]?.close).toHaveBeenCalledOnce();
    await subscription.remove("a:");
    await subscription.remove("never watched:");
    expect(filters().slice(2)).toEqual([{ toolsListChanged: true, resourceSubscriptions: ["b:"] }]);
    expect(asked[1]?.close).toHaveBeenCalledOnce();
  });

  test("stays what it was if the server refuses more", async () => {
    const { subscription, asked, filters } = subscribing((attempt) =>
      attempt === 2 ? Object.assign(new Error("no"), { code: -32602 }) : undefined,
    );
    subscription.open();
    await settle();
    await expect(subscription.add("a:")).rejects.toThrow("no");
    expect(asked[0]?.close).not.toHaveBeenCalled();
    await subscription.add("b:");
    expect(filters()[2]).toEqual({ toolsListChanged: true, resourceSubscriptions: ["b:"] });
  });
});

describe("a subscription that is refused for want of credentials", () => {
  const UNAUTHORIZED = new ChannelFault({ kind: "http-refused", status: 401 });

  test("is asked for again once a request has come to its end, however often that happens", async () => {
    const { subscription, asked, log, onRestored } = subscribing((attempt) =>
      attempt === 2 || attempt === 3 ? UNAUTHORIZED : undefined,
    );
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(2);
    expect(log).toHaveBeenCalledExactlyOnceWith("debug", "The server does not tell of changes.", {
      server: "s",
      error: "HTTP 401",
    });
    for (const attempts of [3, 4, 4]) {
      for (let request = 0; request < 10; request += 1) subscription.open();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toHaveLength(attempts);
    }
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test("is no request that anybody waits for, unless a resource is to be watched", async () => {
    const { subscription, asked } = subscribing();
    subscription.open();
    await settle();
    await subscription.add("a:");
    asked[1]?.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.map(({ unattended }) => unattended)).toEqual([
      { wasGranted: false },
      undefined,
      { wasGranted: true },
    ]);
  });

  test("is not asked for again if a resource was watched meanwhile, or the session is over", async () => {
    for (const end of ["add", "close"] as const) {
      const { subscription, asked } = subscribing((attempt) => (attempt === 1 ? UNAUTHORIZED : undefined));
      subscription.open();
      await settle();
      await subscription[end]("a:");
      subscription.open();
      if (end === "close") expect(vi.getTimerCount()).toBe(0);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toHaveLength(end === "add" ? 2 : 1);
    }
  });
});

test.each([
  ["refused without a challenge", new ChannelFault({ kind: "http-refused", status: 403 }), 1],
  ["asked for too often", new ChannelFault({ kind: "http-refused", status: 429 }), 5],
  ["failing without a text", Object.create(null), 5],
])("a subscription that is %s is logged as what it is", async (_, refusal, attempts) => {
  const { subscription, asked, log } = subscribing(() => refusal);
  subscription.open();
  await vi.advanceTimersByTimeAsync(600_000);
  subscription.open();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(attempts);
  const error = refusal.facts ? `HTTP ${refusal.facts.status}` : "a value without a text";
  expect(log.mock.lastCall?.at(2)).toEqual({ server: "s", error });
});

describe("a subscription that is lost", () => {
  test("is asked for again with all that is wanted, and its owner is told", async () => {
    const { subscription, asked, filters, onRestored } = subscribing();
    await subscription.add("a:");
    asked[0]?.end();
    await settle();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(filters()).toEqual(Array(2).fill({ toolsListChanged: true, resourceSubscriptions: ["a:"] }));
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test("is given up after five attempts in a row", async () => {
    const { subscription, asked, log } = subscribing((attempt) =>
      attempt > 1 ? Object.assign(new Error("down"), { code: "ECONNREFUSED" }) : undefined,
    );
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(1 + 5);
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("does not tell of changes"), {
      server: "s",
      error: expect.any(String),
    });
  });

  test("is asked for at most twelve times a minute by whoever ends it whenever it is granted", async () => {
    const { subscription, asked } = subscribing();
    subscription.open();
    await settle();
    for (let second = 0; second < 60; second += 1) {
      asked.at(-1)?.end();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.length).toBeLessThanOrEqual(13);
  });

  test("is not asked for once the session is over", async () => {
    const { subscription, asked, onRestored } = subscribing();
    subscription.open();
    await settle();
    subscription.close();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(1);
    expect(onRestored).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([
  ["that does not know the request", Object.assign(new Error("no"), { code: -32601 })],
  ["that has nothing at the address", Object.assign(new Error("no"), { status: 405 })],
])("a server %s is asked once", async (_, refusal) => {
  const { subscription, asked } = subscribing(() => refusal);
  subscription.open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
});
