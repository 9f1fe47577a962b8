import { expect, test } from "vitest";
import { createKeyedQueue } from "../src/keyed-queue.ts";

test("tasks with one key run in order, tasks with another key do not wait", async () => {
  const queue = createKeyedQueue();
  const steps: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = [
    queue.run("a", async () => {
      steps.push("a1 begins");
      await first.promise;
      steps.push("a1 ends");
    }),
    queue.run("a", async () => void steps.push("a2")),
  ];
  await queue.run("b", async () => void steps.push("b"));
  first.resolve();
  await Promise.all(runs);
  expect(steps).toEqual(["a1 begins", "b", "a1 ends", "a2"]);
});

test("a failing task does not stop the next one", async () => {
  const queue = createKeyedQueue();
  const failing = queue.run("a", () => Promise.reject(new Error("no")));
  const next = queue.run("a", async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});
