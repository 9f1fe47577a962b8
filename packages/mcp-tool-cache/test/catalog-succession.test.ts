import { describe, expect, test } from "vitest";
import {
  type CatalogRecord,
  LISTING_LIFETIME_MS,
  markedStale,
  successor,
} from "../src/catalog-succession.ts";
import { sampleEntry, sampleTool } from "./catalog-samples.ts";

const NOW = 10_000;

function kept(changes: Parameters<typeof sampleEntry>[0] = {}, suspect = false): CatalogRecord {
  return { entry: sampleEntry(changes), suspect, expiresAt: 99_999 };
}

describe("the successor of an entry", () => {
  test("is the first entry if there was none", () => {
    const first = sampleEntry();
    expect(successor(undefined, first, NOW)).toMatchObject({ entry: first, suspect: false });
  });

  test("is never an entry that was listed earlier", () => {
    expect(successor(kept({ listedAt: 2_000 }), sampleEntry({ listedAt: 1_999 }), NOW)).toBeUndefined();
  });

  test("is an entry that was listed later or at the same time", () => {
    const later = sampleEntry({ listedAt: 2_000, tools: [sampleTool("write")] });
    expect(successor(kept(), later, NOW)).toMatchObject({ entry: later, suspect: false });
    expect(successor(kept({ listedAt: 2_000 }), later, NOW)).toMatchObject({ entry: later });
  });

  test("[T77] is a normally dated entry after one dated a year ahead", () => {
    const future = kept({ listedAt: NOW + 365 * 86_400_000 });
    const next = sampleEntry({ listedAt: NOW, tools: [sampleTool("write")] });
    expect(successor(future, next, NOW)?.entry).toEqual(next);
  });
});

describe("the expiry of an entry", () => {
  test("is thirty days after the first write of its listing, whatever is rewritten", () => {
    const first = successor(undefined, sampleEntry(), NOW);
    expect(first?.expiresAt).toBe(NOW + LISTING_LIFETIME_MS);
    const lastOutcome = { ok: false, at: 5_000, tookMs: 1 };
    expect(successor(first, sampleEntry({ lastOutcome }), NOW + 5_000)?.expiresAt).toBe(first?.expiresAt);
    const next = successor(first, sampleEntry({ listedAt: 2_000 }), NOW + 5_000);
    expect(next?.expiresAt).toBe(NOW + 5_000 + LISTING_LIFETIME_MS);
  });
});

describe("a stale mark", () => {
  test("is cleared by a later listing", () => {
    const next = sampleEntry({ listedAt: 5_000 });
    const after = successor(markedStale(kept(), 5_000), next, NOW);
    expect(after?.entry).toEqual(next);
    expect(after?.staleSince).toBeUndefined();
  });

  test("[L17] outlasts a listing begun before the mark, even if it is written twice", () => {
    const marked = markedStale(kept(), 5_000);
    const underWay = sampleEntry({ listedAt: 4_999, tools: [sampleTool("old")] });
    const after = successor(marked, underWay, NOW);
    expect(after?.entry).toEqual({ ...underWay, stale: true });
    expect(successor(after, underWay, NOW)?.entry.stale).toBe(true);
    expect(successor(after, sampleEntry({ listedAt: 5_001 }), NOW)?.entry.stale).toBeUndefined();
  });
});

describe("a stale mark dated far ahead by a wrong clock", () => {
  const marked = markedStale(kept(), NOW + 20 * 86_400_000);

  test("is cleared by the next listing once the clock is right", () => {
    const next = sampleEntry({ listedAt: NOW });
    const after = successor(marked, next, NOW);
    expect(after?.entry).toEqual(next);
    expect(after?.staleSince).toBeUndefined();
  });

  test("remains while the clock is wrong", () => {
    const ahead = NOW + 20 * 86_400_000;
    const underWay = sampleEntry({ listedAt: ahead - 1 });
    expect(successor(marked, underWay, ahead)?.entry.stale).toBe(true);
  });
});

describe("a server that lists no tools", () => {
  const empty = sampleEntry({ listedAt: 2_000, tools: [], credentials: "other", instructions: "New." });
  const suspicious = () => kept({ listedAt: 2_000, stale: true }, true);

  test("keeps its last good list, stale and with that list's credentials", () => {
    expect(successor(kept(), empty, NOW)).toMatchObject({
      entry: { ...empty, tools: [sampleTool("read")], credentials: "c", stale: true },
      suspect: true,
    });
  });

  test("has no tools after a second, later empty list", () => {
    const confirmed = { ...empty, listedAt: 3_000 };
    expect(successor(suspicious(), confirmed, NOW)).toMatchObject({ entry: confirmed, suspect: false });
  });

  test("keeps its last good list when the same listing is written again", () => {
    const again = successor(suspicious(), empty, NOW);
    expect(again?.entry.tools).toEqual([sampleTool("read")]);
    expect(again?.suspect).toBe(true);
  });

  test("stays suspect when its entry is written back with another outcome", () => {
    const record = suspicious();
    const lastOutcome = { ok: false, at: 2_500, tookMs: 1 };
    expect(successor(record, { ...record.entry, stale: undefined, lastOutcome }, NOW)).toMatchObject({
      entry: { ...record.entry, lastOutcome, stale: true },
      suspect: true,
    });
  });

  test("is trusted again when a later list has tools", () => {
    const back = sampleEntry({ listedAt: 3_000 });
    expect(successor(suspicious(), back, NOW)).toMatchObject({ entry: back, suspect: false });
  });

  test("[L1] is suspect at its first empty list and believed at the second", () => {
    for (const before of [undefined, kept({ tools: undefined })]) {
      const first = successor(before, empty, NOW);
      expect(first).toMatchObject({ entry: { ...empty, stale: true }, suspect: true });
      expect(successor(first, empty, NOW)?.entry.stale).toBe(true);
      const second = { ...empty, listedAt: 3_000 };
      const believed = successor(first, second, NOW);
      expect(believed).toMatchObject({ entry: second, suspect: false });
      const third = { ...empty, listedAt: 4_000 };
      expect(successor(believed, third, NOW)).toMatchObject({ entry: third, suspect: false });
    }
  });
});
