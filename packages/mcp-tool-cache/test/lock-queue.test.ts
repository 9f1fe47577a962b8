import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LockQueue } from "../src/lock-queue.ts";

/** An error as SQLite throws it for a lock of another process. */
const LOCKED = Object.assign(new Error("database is locked"), { errcode: 5 });

/** A held lock, and the name of every task that has tried to take it, in order. */
function heldLock() {
  const attempts: string[] = [];
  const lock = { isHeld: true };
  const attempt = (name: string) => () => {
    attempts.push(name);
    if (lock.isHeld) throw LOCKED;
    return name;
  };
  return { lock, attempts, attempt };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the queue of tasks that need a lock", () => {
  test("runs a task at once if the lock is free", async () => {
    expect(await new LockQueue().run(() => "done", 0)).toBe("done");
  });

  test("lets only the first task retry, and runs all of them in order once the lock is free", async () => {
    const { lock, attempts, attempt } = heldLock();
    const queue = new LockQueue();
    const names = Array.from({ length: 20 }, (_, index) => `write-${index}`);
    const writes = names.map((name) => queue.run(attempt(name), 5_000));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(attempts)).toEqual(new Set(["write-0"]));
    lock.isHeld = false;
    attempts.length = 0;
    await vi.runAllTimersAsync();
    expect(await Promise.all(writes)).toEqual(names);
    expect(attempts).toEqual(names);
  });

  test("rejects a task at its own timeout while another still waits", async () => {
    const { lock, attempt } = heldLock();
    const queue = new LockQueue();
    const patient = queue.run(attempt("patient"), 5_000);
    const impatient = expect(queue.run(attempt("impatient"), 100)).rejects.toBe(LOCKED);
    await vi.advanceTimersByTimeAsync(120);
    await impatient;
    lock.isHeld = false;
    await vi.runAllTimersAsync();
    expect(await patient).toBe("patient");
  });

  test("keeps a task's timeout when the clock is set back", async () => {
    const { attempt } = heldLock();
    const late = expect(new LockQueue().run(attempt("late"), 2_000)).rejects.toBe(LOCKED);
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(1_520);
    await late;
  });

  test("continues after a task that fails for another reason", async () => {
    const { lock, attempt } = heldLock();
    const queue = new LockQueue();
    const first = queue.run(attempt("first"), 5_000);
    const fails = expect(
      queue.run(() => {
        throw new Error("disk is full");
      }, 5_000),
    ).rejects.toThrow("disk is full");
    const last = queue.run(attempt("last"), 5_000);
    lock.isHeld = false;
    await vi.runAllTimersAsync();
    await fails;
    expect(await Promise.all([first, last])).toEqual(["first", "last"]);
  });
});
