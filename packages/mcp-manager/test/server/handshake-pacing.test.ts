import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A runtime whose owner is up, and users that start at once; at most two connections may be opened at the same time. */
async function usersAtOnce(users: number) {
  const { manager, connector } = createFixture(["mail"], { byHand: true, startup: { concurrency: 2 } });
  const started = manager.start();
  (await connector.nextAttempt()).open();
  await started;
  const managers = Array.from({ length: users }, (_, index) => manager.forPrincipal(`u${index}`));
  const starts = managers.map((user) => user.start());
  for (const start of starts) start.catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  const begun = () => connector.attempts.length - 1;
  return { manager, managers, connector, starts, begun };
}

describe("users that are opened at once", () => {
  it("start in turn: no more connections are opened at the same time than the runtime may", async () => {
    const { manager, starts, connector, begun } = await usersAtOnce(5);
    for (let opened = 0; opened < 5; opened += 1) {
      expect(begun()).toBe(Math.min(5, opened + 2));
      (await connector.nextAttempt()).open();
      await vi.advanceTimersByTimeAsync(0);
    }
    await Promise.all(starts);
    await manager.close();
  });

  it("are not held up by connections that hang", async () => {
    const { manager, begun } = await usersAtOnce(6);
    expect(begun()).toBe(2);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(begun()).toBe(4);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(begun()).toBe(6);
    await manager.close();
  });

  it("take no turn if they are closed while they wait", async () => {
    const { manager, managers, connector, begun } = await usersAtOnce(4);
    await managers[2]?.close();
    (await connector.nextAttempt()).open();
    (await connector.nextAttempt()).open();
    await vi.advanceTimersByTimeAsync(0);
    expect(begun()).toBe(3);
    expect(connector.attempts.at(-1)?.options.principal).toBe("u3");
    await manager.close();
  });
});

describe("sessions that are renewed on their connections", () => {
  it("[R24] begin anew with the retries in one pace, and a closed one no longer waits", async () => {
    const { manager, connector } = createFixture(["mail"], { retry: { maxPerSecond: 2 } });
    await manager.start();
    const renew = connector.attempts[0]?.options.beforeRenewal;
    const closing = new AbortController();
    const begun: number[] = [];
    const from = Date.now();
    for (let at = 0; at < 5; at += 1)
      void renew?.(new AbortController().signal).then(() => begun.push(Date.now() - from));
    const refused = expect(renew?.(closing.signal)).rejects.toThrow("closed");
    closing.abort(new Error("closed"));
    await refused;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual([0, 0, 1_001, 1_001, 2_002]);
    await manager.close();
  });
});
