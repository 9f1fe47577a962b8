import { describe, expect, test } from "vitest";
import { entryAsOf, withBoundedTtl } from "../src/catalog-lifetime.ts";
import { sampleEntry } from "./catalog-samples.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

describe("how long a server may pin its list", () => {
  test.each([
    ["a day at most", 1e18, 24 * HOUR],
    ["a day, if it says forever", Number.POSITIVE_INFINITY, 24 * HOUR],
    ["what it says", 5_000, 5_000],
    ["not at all, if it says nothing sensible", -1, 0],
    ["not at all, if it says no number", Number.NaN, 0],
    ["not at all, if it says text", "5" as unknown as number, 0],
    ["not at all, if it says null", null as unknown as number, 0],
  ])("[T77] %s", (_what, ttlMs, kept) => {
    expect(withBoundedTtl(sampleEntry({ ttlMs })).ttlMs).toBe(kept);
  });

  test("is left to the runtime where it says nothing", () => {
    expect(withBoundedTtl(sampleEntry())).not.toHaveProperty("ttlMs");
  });
});

describe("what is handed out", () => {
  test("is the entry itself where nothing is wrong with it", () => {
    const entry = sampleEntry({ listedAt: NOW, prior: { era: "legacy", at: NOW - 23 * HOUR } });
    expect(entryAsOf(entry, NOW)).toBe(entry);
  });

  test("[T77] is stale if the clock has jumped back behind it", () => {
    const entry = sampleEntry({ listedAt: NOW + 365 * 24 * HOUR });
    expect(entryAsOf(entry, NOW).stale).toBe(true);
  });

  test("is not stale because another machine's clock is a little ahead", () => {
    expect(entryAsOf(sampleEntry({ listedAt: NOW + 1_000 }), NOW).stale).toBeUndefined();
  });

  test.each([
    ["older than a day", NOW - 25 * HOUR],
    ["from the future", NOW + 25 * HOUR],
  ])("has no verdict that the server is a legacy one if that is %s", (_what, at) => {
    expect(entryAsOf(sampleEntry({ prior: { era: "legacy", at } }), NOW).prior).toBeUndefined();
  });

  test("has a modern handshake whatever its age, with the whole discover result", () => {
    const prior = { era: "modern", at: 0, discover: { supportedVersions: ["2026-07-28"], x: [1] } } as const;
    expect(entryAsOf(sampleEntry({ prior }), NOW).prior).toEqual(prior);
  });
});
