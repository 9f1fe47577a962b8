import { type CatalogEntry, type CatalogIdentity, McpError } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { failedEntry, judge, listedEntry } from "../../src/server/catalog-record.ts";
import { tool } from "../manager-fixture.ts";

const HOUR = 3_600_000;
const identity = { id: "id", credentials: "token-1" } as CatalogIdentity;
const entry: CatalogEntry = { server: "a", credentials: "token-1", tools: [tool("one")], listedAt: 0 };

describe("the freshness of a catalog entry", () => {
  it.each<[title: string, entry: CatalogEntry | undefined, now: number, freshness: string]>([
    ["is none if there is no entry", undefined, 0, "none"],
    ["is none if the server was never listed", { ...entry, tools: undefined }, 0, "none"],
    ["is fresh while the entry is young", entry, HOUR - 1, "fresh"],
    [
      "[L1] is stale if the entry has no tools though the server declares the capability",
      { ...entry, tools: [], capabilities: { tools: {} } },
      0,
      "stale",
    ],
    [
      "is fresh without tools if the server does not declare the capability",
      { ...entry, tools: [], capabilities: {} },
      0,
      "fresh",
    ],
    ["is stale when the entry is old", entry, HOUR, "stale"],
    [
      "is fresh until ttlMs is over, even if that is longer than the default",
      { ...entry, ttlMs: 2 * HOUR },
      HOUR,
      "fresh",
    ],
    ["is fresh while it is young, however short its ttlMs", { ...entry, ttlMs: 10 }, HOUR - 1, "fresh"],
    [
      "is fresh with a ttlMs of 0, the default of the official server SDK",
      { ...entry, ttlMs: 0 },
      1,
      "fresh",
    ],
    ["is stale when it is old, with a ttlMs of 0", { ...entry, ttlMs: 0 }, HOUR, "stale"],
    ["is fresh for a day if ttlMs is longer", { ...entry, ttlMs: 1e300 }, 24 * HOUR - 1, "fresh"],
    ["is stale after a day even if ttlMs is longer", { ...entry, ttlMs: 1e300 }, 24 * HOUR, "stale"],
    ["is fresh while it is young, with a negative ttlMs", { ...entry, ttlMs: -HOUR }, 1, "fresh"],
    ["is fresh while it is young, with a ttlMs of NaN", { ...entry, ttlMs: Number.NaN }, 1, "fresh"],
    [
      "is stale if the entry was written with other credentials",
      { ...entry, credentials: "token-2" },
      0,
      "stale",
    ],
    ["is stale if the entry was marked stale", { ...entry, stale: true }, 0, "stale"],
  ])("%s", (_title, stored, now, freshness) => {
    expect(judge(stored, identity, now, HOUR).freshness).toBe(freshness);
  });

  it.each([
    [0, 59_999, true],
    [0, 60_000, false],
    [HOUR, 0, false],
  ])(
    "the verdict also says whether the last attempt failed lately: at %d, now %d",
    (at, now, failedLately) => {
      const failed = { ...entry, lastOutcome: { ok: false, at, tookMs: 1 } };
      expect(judge(failed, identity, now, 2 * HOUR).failedLately).toBe(failedLately);
      expect(judge(entry, identity, now, 2 * HOUR).failedLately).toBe(false);
    },
  );
});

describe("a written catalog entry", () => {
  it("after a listing, has the tools, their time and the handshake", () => {
    const { handshake } = createFakeSession();
    const outcome = { ok: true, at: 7, tookMs: 3 };
    const listing = { items: [tool("two")], ttlMs: 5, beganAt: 4 };
    const written = listedEntry({ ...entry, stale: true, prompts: [] }, "a", identity, {
      handshake,
      listing,
      outcome,
      changeAnnouncedAt: 4,
    });
    expect(written).toMatchObject({
      tools: [{ name: "two" }],
      ttlMs: 5,
      listedAt: 4,
      prior: handshake.prior,
      prompts: [],
    });
    expect(written.stale).toBeUndefined();
  });

  it.each([
    [Number.POSITIVE_INFINITY, 24 * HOUR],
    [-1, 0],
    [Number.NaN, 0],
    [undefined, undefined],
  ])("stores a ttlMs of %s as %s", (given, kept) => {
    const { handshake } = createFakeSession();
    const listing = { items: [], ttlMs: given, beganAt: 4 };
    const outcome = { ok: true, at: 7, tookMs: 3 };
    const written = listedEntry(entry, "a", identity, { handshake, listing, outcome, changeAnnouncedAt: 0 });
    expect(written.ttlMs).toBe(kept);
  });

  it("is stale if the server announced a change after the list was requested", () => {
    const { handshake } = createFakeSession();
    const listing = { items: [], beganAt: 4 };
    const outcome = { ok: true, at: 7, tookMs: 3 };
    const written = listedEntry(entry, "a", identity, { handshake, listing, outcome, changeAnnouncedAt: 5 });
    expect(written.stale).toBe(true);
  });

  it("after a failure, records the failure and keeps the tools and their time", () => {
    const error = new McpError("MCP_CONNECT_TIMEOUT", "late");
    const written = failedEntry(entry, "a", identity, { error, at: 9, tookMs: 2 });
    expect(written).toEqual({
      ...entry,
      lastOutcome: { ok: false, at: 9, tookMs: 2, code: "MCP_CONNECT_TIMEOUT" },
    });
  });

  it("after the failure of an unknown server, has no tools and a listedAt of 0", () => {
    const error = new McpError("MCP_CONNECT_FAILED", "refused");
    const written = failedEntry(undefined, "a", identity, { error, at: 9, tookMs: 2 });
    expect(written).toMatchObject({ server: "a", credentials: "token-1", listedAt: 0 });
    expect(written.tools).toBeUndefined();
  });
});
