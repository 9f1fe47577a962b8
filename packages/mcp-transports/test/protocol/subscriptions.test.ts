import { silentLogger } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TransportFault } from "../../src/faults.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import { ENVELOPE_KEYS } from "../../src/protocol/handshake.ts";
import type { OutgoingRequest, PendingRequest } from "../../src/protocol/pending-request.ts";
import { ChangeSubscription } from "../../src/protocol/subscriptions.ts";

const CAPABILITIES = { tools: { listChanged: true }, resources: { listChanged: false }, prompts: {} };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** One subscriptions/listen request. */
interface Asked {
  readonly filter: { readonly resourceSubscriptions?: readonly string[] | undefined };
  readonly unattended: OutgoingRequest["unattended"];
  readonly close: () => void;
  /** Ends it as the server would. */
  end(): void;
}

/** `hasLogin`: credentials can be renewed, which `meetChallenge` does. */
function subscribing(
  grant: (attempt: number) => Error | undefined = () => undefined,
  { hasLogin = true }: { readonly hasLogin?: boolean } = {},
) {
  let meetChallenge = () => {};
  const asked: Asked[] = [];
  const request = async ({ params, options, unattended, begun }: OutgoingRequest) => {
    const filter = params.notifications as Asked["filter"];
    const closed = Promise.withResolvers<object>();
    closed.promise.catch(() => {}); // may be refused before anybody waits for its end
    const close = vi.fn(() => closed.reject(new Error("it was closed")));
    options.signal?.addEventListener("abort", close);
    asked.push({ filter, unattended, close, end: () => closed.resolve({}) });
    const id = asked.length;
    begun?.({ id, stayOpen() {} } as unknown as PendingRequest);
    const refusal = grant(id);
    if (refusal) throw refusal;
    const acknowledged = {
      _meta: { [ENVELOPE_KEYS.subscriptionId]: id },
      notifications: { resourceSubscriptions: filter.resourceSubscriptions ?? [] },
    };
    const method = "notifications/subscriptions/acknowledged";
    queueMicrotask(() => subscription.take({ jsonrpc: "2.0", method, params: acknowledged }));
    return closed.promise;
  };
  const onRestored = vi.fn();
  const log = vi.fn(silentLogger);
  const subscription: ChangeSubscription = new ChangeSubscription({
    connection: { request } as unknown as Connection,
    capabilities: CAPABILITIES,
    server: "s",
    log,
    onChallengeMet: hasLogin
      ? (listener) => {
          meetChallenge = listener;
        }
      : undefined,
    onRestored,
  });
  return {
    asked,
    subscription,
    onRestored,
    log,
    meetChallenge: () => meetChallenge(),
    filters: () => asked.map(({ filter }) => filter),
  };
}

/** Runs everything that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe("the filter of subscriptions/listen", () => {
  test("contains the lists that the server declares with listChanged", async () => {
    const { subscription, filters } = subscribing();
    subscription.open();
    subscription.open();
    await settle();
    expect(filters()).toEqual([{ toolsListChanged: true }]);
  });

  test("adds watched resources, several of them in one request", async () => {
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

  test("keeps what was granted if the server refuses more", async () => {
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

describe("a subscription refused for lack of credentials", () => {
  const UNAUTHORIZED = new TransportFault({ kind: "http-refused", status: 401 });

  test("is requested again once after other requests end, however many end", async () => {
    const { subscription, asked, log, onRestored } = subscribing((attempt) =>
      attempt === 2 || attempt === 3 ? UNAUTHORIZED : undefined,
    );
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(2);
    expect(log).toHaveBeenCalledExactlyOnceWith("debug", "The server does not report changes.", {
      error: "HTTP 401",
    });
    for (const attempts of [3, 4, 4]) {
      for (let request = 0; request < 10; request += 1) subscription.open();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toHaveLength(attempts);
    }
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test.each([
    ["HTTP 401", UNAUTHORIZED],
    [
      "HTTP 403 with a challenge",
      new TransportFault({ kind: "http-refused", status: 403, challenge: "Bearer" }),
    ],
  ])("is not requested again after %s if nothing can renew them", async (_, refusal) => {
    for (const refused of [1, 2]) {
      const grant = (attempt: number) => (attempt >= refused ? refusal : undefined);
      const { subscription, asked, log } = subscribing(grant, { hasLogin: false });
      subscription.open();
      await settle();
      asked[0]?.end();
      for (let request = 0; request < 10; request += 1) {
        await vi.advanceTimersByTimeAsync(60_000);
        subscription.open();
      }
      expect(asked).toHaveLength(refused);
      expect(log).toHaveBeenCalledExactlyOnceWith("debug", expect.any(String), expect.any(Object));
    }
  });

  test("is requested again at most five times in a row; a met challenge resets the count", async () => {
    let isRenewed = false;
    const { subscription, asked, meetChallenge } = subscribing((attempt) =>
      attempt === 1 || isRenewed ? undefined : UNAUTHORIZED,
    );
    const request = async () => {
      subscription.open();
      await vi.advanceTimersByTimeAsync(60_000);
    };
    subscription.open();
    await settle();
    asked[0]?.end();
    for (let count = 0; count < 10; count += 1) await request();
    expect(asked).toHaveLength(1 + 5);
    meetChallenge();
    await settle();
    expect(asked).toHaveLength(1 + 5 + 1);
    for (let count = 0; count < 10; count += 1) await request();
    expect(asked).toHaveLength(1 + 5 + 5);
    isRenewed = true;
    meetChallenge();
    await settle();
    meetChallenge();
    await request();
    expect(asked).toHaveLength(1 + 5 + 5 + 1);
  });

  test("is requested again at once when a challenge was met", async () => {
    const { subscription, asked, meetChallenge } = subscribing((attempt) =>
      attempt === 1 ? UNAUTHORIZED : undefined,
    );
    subscription.open();
    await settle();
    subscription.open();
    await settle();
    expect(asked).toHaveLength(1);
    meetChallenge();
    await settle();
    expect(asked).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("comes back even if another error follows once", async () => {
    const outcomes = [undefined, ...Array(4).fill(UNAUTHORIZED), new Error("down")];
    const { subscription, asked, log, onRestored } = subscribing((attempt) => outcomes[attempt - 1]);
    subscription.open();
    await settle();
    asked[0]?.end();
    for (let request = 0; request < 10; request += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
      subscription.open();
    }
    expect(asked).toHaveLength(outcomes.length + 1);
    expect(log).not.toHaveBeenCalledWith("warn", expect.anything(), expect.anything());
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test("is requested ever more rarely, however many challenges are met", async () => {
    const { subscription, asked, meetChallenge } = subscribing(() => UNAUTHORIZED);
    subscription.open();
    for (let second = 0; second < 59; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      meetChallenge();
    }
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThanOrEqual(14);
  });

  test("is requested as unattended, except when a resource is added", async () => {
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

  test("is not requested again after a resource was added or the session closed", async () => {
    for (const end of ["add", "close"] as const) {
      const { subscription, asked, meetChallenge } = subscribing((attempt) =>
        attempt === 1 ? UNAUTHORIZED : undefined,
      );
      subscription.open();
      await settle();
      await subscription[end]("a:");
      subscription.open();
      meetChallenge();
      if (end === "close") expect(vi.getTimerCount()).toBe(0);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toHaveLength(end === "add" ? 2 : 1);
    }
  });
});

test.each([
  ["refused with HTTP 403 but no challenge", new TransportFault({ kind: "http-refused", status: 403 }), 1],
  ["refused with HTTP 429", new TransportFault({ kind: "http-refused", status: 429 }), 5],
  ["refused with a value without a text", Object.create(null), 5],
])("a subscription that is %s is logged with that error", async (_, refusal, attempts) => {
  const { subscription, asked, log } = subscribing(() => refusal);
  subscription.open();
  await vi.advanceTimersByTimeAsync(600_000);
  subscription.open();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(attempts);
  const error = refusal.facts ? `HTTP ${refusal.facts.status}` : "a value without a text";
  expect(log.mock.lastCall?.at(2)).toEqual({ error });
});

describe("a lost subscription", () => {
  test("is requested again with the same filter and reported as restored", async () => {
    const { subscription, asked, filters, onRestored } = subscribing();
    await subscription.add("a:");
    asked[0]?.end();
    await settle();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(filters()).toEqual(Array(2).fill({ toolsListChanged: true, resourceSubscriptions: ["a:"] }));
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test.each([403, 404, 405, 408, 409, 425, 429, 503])("comes back after HTTP %i", async (status) => {
    const { subscription, asked, onRestored } = subscribing((attempt) =>
      attempt === 2 ? new TransportFault({ kind: "http-refused", status }) : undefined,
    );
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(3);
    expect(onRestored).toHaveBeenCalledOnce();
  });

  test("is given up at once after error -32601", async () => {
    const { subscription, asked } = subscribing((attempt) =>
      attempt > 1 ? Object.assign(new Error("no"), { code: -32601 }) : undefined,
    );
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ["ECONNREFUSED", Object.assign(new Error("down"), { code: "ECONNREFUSED" })],
    ["HTTP 404", new TransportFault({ kind: "http-refused", status: 404 })],
  ])("is given up after five failures in a row with %s", async (_, failure) => {
    const { subscription, asked, log } = subscribing((attempt) => (attempt > 1 ? failure : undefined));
    subscription.open();
    await settle();
    asked[0]?.end();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(1 + 5);
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("does not report changes"), {
      error: expect.any(String),
    });
  });

  test("is requested ever more rarely if the server keeps ending it", async () => {
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

  test("is not requested again after the session is closed", async () => {
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
  ["without subscriptions/listen", Object.assign(new Error("no"), { code: -32601 })],
  ["that answers HTTP 405", new TransportFault({ kind: "http-refused", status: 405 })],
])("a server %s is asked to subscribe once", async (_, refusal) => {
  const { subscription, asked } = subscribing(() => refusal);
  subscription.open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
});
