import { describe, expect, test } from "vitest";
import { type CatalogRecord, successor } from "../src/catalog-succession.ts";
import { sampleEntry, sampleTool } from "./catalog-samples.ts";

function kept(changes: Parameters<typeof sampleEntry>[0] = {}, suspect = false): CatalogRecord {
  return { entry: sampleEntry(changes), suspect };
}

describe("which entry is kept", () => {
  test("the first one, whatever it says", () => {
    const empty = sampleEntry({ tools: [] });
    expect(successor(undefined, empty)).toEqual({ entry: empty, suspect: false });
  });

  test("an entry that was listed earlier never replaces one that was listed later", () => {
    expect(successor(kept({ listedAt: 2_000 }), sampleEntry({ listedAt: 1_999 }))).toBeUndefined();
  });

  test("one that was listed later or at the same time does", () => {
    const later = sampleEntry({ listedAt: 2_000, tools: [sampleTool("write")] });
    expect(successor(kept(), later)).toEqual({ entry: later, suspect: false });
    expect(successor(kept({ listedAt: 2_000 }), later)).toEqual({ entry: later, suspect: false });
  });

  test("a new list clears the stale mark", () => {
    const next = sampleEntry({ listedAt: 2_000 });
    expect(successor(kept({ stale: true }), next)).toEqual({ entry: next, suspect: false });
  });
});

describe("a server that suddenly answers with no tools", () => {
  const empty = sampleEntry({ listedAt: 2_000, tools: [], credentials: "other", instructions: "New." });

  test("keeps its last good list, stale, with the credentials that list was taken with", () => {
    expect(successor(kept(), empty)).toEqual({
      entry: { ...empty, tools: [sampleTool("read")], credentials: "c", stale: true },
      suspect: true,
    });
  });

  test("has no tools once a later list is empty too", () => {
    const confirmed = { ...empty, listedAt: 3_000 };
    expect(successor(kept({ listedAt: 2_000, stale: true }, true), confirmed)).toEqual({
      entry: confirmed,
      suspect: false,
    });
  });

  test("is not confirmed by the same listing, written once more", () => {
    const again = successor(kept({ listedAt: 2_000, stale: true }, true), empty);
    expect(again?.entry.tools).toEqual([sampleTool("read")]);
    expect(again?.suspect).toBe(true);
  });

  test("stays under suspicion when the kept entry is written back with another outcome", () => {
    const record = kept({ listedAt: 2_000, stale: true }, true);
    const lastOutcome = { ok: false, at: 2_500, tookMs: 1 };
    expect(successor(record, { ...record.entry, stale: undefined, lastOutcome })).toEqual({
      entry: { ...record.entry, lastOutcome, stale: true },
      suspect: true,
    });
  });

  test("is trusted again when a later list has tools", () => {
    const back = sampleEntry({ listedAt: 3_000 });
    expect(successor(kept({ listedAt: 2_000, stale: true }, true), back)).toEqual({
      entry: back,
      suspect: false,
    });
  });

  test("has an empty list at once if it never had tools", () => {
    for (const tools of [undefined, []]) {
      expect(successor(kept({ tools }), empty)).toEqual({ entry: empty, suspect: false });
    }
  });
});
