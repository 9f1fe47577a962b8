import { expect, it } from "vitest";
import { KeyedQueue } from "../src/index.ts";

it("runs work of one key in order, and does not let work of another key wait", async () => {
  const queue = new KeyedQueue();
  const steps: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = [
    queue.run("a", async (hadToWait) => {
      steps.push(`a1 begins, ${hadToWait}`);
      await first.promise;
      steps.push("a1 ends");
    }),
    queue.run("a", async (hadToWait) => void steps.push(`a2, ${hadToWait}`)),
  ];
  await queue.run("b", async () => void steps.push("b"));
  first.resolve();
  await Promise.all(runs);
  expect(steps).toEqual(["a1 begins, false", "b", "a1 ends", "a2, true"]);
});

it("goes on after work that fails", async () => {
  const queue = new KeyedQueue();
  const failing = queue.run("a", () => Promise.reject(new Error("no")));
  const next = queue.run("a", async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});

it("never starts work whose caller has given up, nor lets the next overtake what runs", async () => {
  const queue = new KeyedQueue();
  const first = Promise.withResolvers<void>();
  const steps: string[] = [];
  const running = queue.run("a", () => first.promise.then(() => void steps.push("first")));
  const caller = new AbortController();
  const givenUp = queue.run("a", async () => void steps.push("given up"), caller.signal);
  const last = queue.run("a", async () => void steps.push("last"));
  caller.abort("enough");
  await expect(givenUp).rejects.toMatchObject({ code: "MCP_ABORTED", cause: "enough" });
  expect(steps).toEqual([]);
  first.resolve();
  await Promise.all([running, last]);
  expect(steps).toEqual(["first", "last"]);
  const late = queue.run("b", async () => void steps.push("late"), caller.signal);
  await expect(late).rejects.toMatchObject({ code: "MCP_ABORTED" });
  expect(steps).toEqual(["first", "last"]);
});
