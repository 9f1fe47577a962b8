import { type CatalogEntry, type CatalogIdentity, McpError } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { failedEntry, judge, listedEntry } from "../../src/server/catalog-record.ts";
import { tool } from "../manager-fixture.ts";

const HOUR = 3_600_000;
const identity = { id: "id", credentials: "token-1" } as CatalogIdentity;
const entry: CatalogEntry = { server: "a", credentials: "token-1", tools: [tool("one")], listedAt: 0 };

describe("what a catalog entry is good for", () => {
  it.each<[title: string, entry: CatalogEntry | undefined, now: number, freshness: string]>([
    ["nothing, if there is none", undefined, 0, "none"],
    ["nothing, if the server was never listed", { ...entry, tools: undefined }, 0, "none"],
    ["everything, while it is young", entry, HOUR - 1, "fresh"],
    ["[L1] less, if it has no tools", { ...entry, tools: [], capabilities: { tools: {} } }, 0, "stale"],
    ["everything, if its server says it has none", { ...entry, tools: [], capabilities: {} }, 0, "fresh"],
    ["less, when it is old", entry, HOUR, "stale"],
    ["as long as the server said, even if that is longer", { ...entry, ttlMs: 2 * HOUR }, HOUR, "fresh"],
    ["as long as the server said, even if that is shorter", { ...entry, ttlMs: 10 }, 10, "stale"],
    ["nothing, if the server says so", { ...entry, ttlMs: 0 }, 0, "stale"],
    ["a day, though the server says more", { ...entry, ttlMs: 1e300 }, 24 * HOUR - 1, "fresh"],
    ["no longer than a day, though the server says more", { ...entry, ttlMs: 1e300 }, 24 * HOUR, "stale"],
    ["nothing, if the server says less than that", { ...entry, ttlMs: -HOUR }, 0, "stale"],
    ["nothing, if what the server says is no number", { ...entry, ttlMs: Number.NaN }, 0, "stale"],
    ["less, if another token wrote it", { ...entry, credentials: "token-2" }, 0, "stale"],
    ["less, if it was marked", { ...entry, stale: true }, 0, "stale"],
  ])("%s", (_title, stored, now, freshness) => {
    expect(judge(stored, identity, now, HOUR).freshness).toBe(freshness);
  });

  it("remembers that the last attempt failed", () => {
    const failed = { ...entry, lastOutcome: { ok: false, at: 0, tookMs: 1 } };
    expect(judge(failed, identity, 0, HOUR).failedLastTime).toBe(true);
    expect(judge(entry, identity, 0, HOUR).failedLastTime).toBe(false);
  });
});

describe("what is written into the catalog", () => {
  it("after a list: the list with its time, and what the handshake taught", () => {
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
  ])("a list that holds for %s ms is kept for %s", (given, kept) => {
    const { handshake } = createFakeSession();
    const listing = { items: [], ttlMs: given, beganAt: 4 };
    const outcome = { ok: true, at: 7, tookMs: 3 };
    const written = listedEntry(entry, "a", identity, { handshake, listing, outcome, changeAnnouncedAt: 0 });
    expect(written.ttlMs).toBe(kept);
  });

  it("after a list that was begun before the server announced a change: that it is doubtful", () => {
    const { handshake } = createFakeSession();
    const listing = { items: [], beganAt: 4 };
    const outcome = { ok: true, at: 7, tookMs: 3 };
    const written = listedEntry(entry, "a", identity, { handshake, listing, outcome, changeAnnouncedAt: 5 });
    expect(written.stale).toBe(true);
  });

  it("after a failure: that it failed; the tools and their time stay", () => {
    const error = new McpError("MCP_CONNECT_TIMEOUT", "late");
    const written = failedEntry(entry, "a", identity, { error, at: 9, tookMs: 2 });
    expect(written).toEqual({
      ...entry,
      lastOutcome: { ok: false, at: 9, tookMs: 2, code: "MCP_CONNECT_TIMEOUT" },
    });
  });

  it("after a failure of a server nobody knew: no tools, so that a list beats it whatever its time", () => {
    const error = new McpError("MCP_CONNECT_FAILED", "refused");
    const written = failedEntry(undefined, "a", identity, { error, at: 9, tookMs: 2 });
    expect(written).toMatchObject({ server: "a", credentials: "token-1", listedAt: 0 });
    expect(written.tools).toBeUndefined();
  });
});
