import { describe, expect, test } from "vitest";
import { entryAsOf, withBoundedTtl } from "../src/catalog-succession.ts";
import { sampleEntry } from "./catalog-samples.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

describe("the ttlMs of a server's list", () => {
  test.each([
    ["is limited to a day", 1e18, 24 * HOUR],
    ["is limited to a day if infinite", Number.POSITIVE_INFINITY, 24 * HOUR],
    ["is kept if shorter than a day", 5_000, 5_000],
    ["becomes 0 if negative", -1, 0],
    ["becomes 0 if NaN", Number.NaN, 0],
    ["becomes 0 if it is text", "5" as unknown as number, 0],
    ["becomes 0 if null", null as unknown as number, 0],
  ])("[T77] %s", (_what, ttlMs, kept) => {
    expect(withBoundedTtl(sampleEntry({ ttlMs })).ttlMs).toBe(kept);
  });

  test("stays undefined if the server sends none", () => {
    expect(withBoundedTtl(sampleEntry())).not.toHaveProperty("ttlMs");
  });
});

describe("an entry read at a later time", () => {
  test("is returned as it is if nothing is wrong with it", () => {
    const entry = sampleEntry({ listedAt: NOW, prior: { era: "legacy", at: NOW - 23 * HOUR } });
    expect(entryAsOf(entry, NOW)).toBe(entry);
  });

  test("[T77] is stale if it was listed a year in the future", () => {
    const entry = sampleEntry({ listedAt: NOW + 365 * 24 * HOUR });
    expect(entryAsOf(entry, NOW).stale).toBe(true);
  });

  test("is not stale if it was listed one second in the future", () => {
    expect(entryAsOf(sampleEntry({ listedAt: NOW + 1_000 }), NOW).stale).toBeUndefined();
  });

  test.each([
    ["older than a day", NOW - 25 * HOUR],
    ["from the future", NOW + 25 * HOUR],
  ])("loses a legacy prior that is %s", (_what, at) => {
    expect(entryAsOf(sampleEntry({ prior: { era: "legacy", at } }), NOW).prior).toBeUndefined();
  });

  test("keeps a modern prior of any age, with the whole discover result", () => {
    const prior = { era: "modern", at: 0, discover: { supportedVersions: ["2026-07-28"], x: [1] } } as const;
    expect(entryAsOf(sampleEntry({ prior }), NOW).prior).toEqual(prior);
  });
});
