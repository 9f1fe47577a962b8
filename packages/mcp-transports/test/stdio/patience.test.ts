import { stat } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { patienceOf } from "../../src/stdio/stdio-transport.ts";

test("patience ends only after events that came while the host was busy", async () => {
  const heard: string[] = [];
  await nextTurn();
  stat(import.meta.filename, () => heard.push("an event"));
  const patience = patienceOf(10);
  patience.addEventListener("abort", () => heard.push("the end of patience"));
  const busyUntil = performance.now() + 100;
  while (performance.now() < busyUntil);
  while (!patience.aborted) await nextTurn();
  expect(heard).toEqual(["an event", "the end of patience"]);
});
