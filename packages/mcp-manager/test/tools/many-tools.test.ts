import type { LogFields, ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { createFakeSession, createFakeToolCache, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

const many = (count: number): readonly ToolDefinition[] =>
  Array.from({ length: count }, (_, index) => tool(`t${index}`));

describe("a server with more tools than its limit", () => {
  it("offers the first 5,000, in the order of its list, and one warning names the option", async () => {
    const log = vi.fn<(level: string, message: string, fields?: LogFields) => void>();
    const { manager, sessions } = createFixture(["a"], { tools: many(150_000), log });
    await using _ = manager;
    await manager.start();
    expect(manager.tools()).toHaveLength(5_000);
    expect(manager.tools().some(({ originalName }) => originalName === "t5000")).toBe(false);
    expect(manager.tools().some(({ originalName }) => originalName === "t4999")).toBe(true);
    sessions.get("a")?.notify({ method: "notifications/tools/list_changed" });
    await manager.refreshTools("a");
    const warnings = log.mock.calls.filter(([, message]) => message.includes("maxTools"));
    expect(warnings).toEqual([
      [
        "warn",
        'The server lists more than 5000 tools; the first 5000 are taken, and the rest is left out. Raise "maxTools" in its limits if they are expected.',
        { server: "a" },
      ],
    ]);
  });

  it("offers as many as the limits of all servers say, or its own", async () => {
    const own = stdioDefinition("own", { limits: { maxTools: 3 } });
    const { manager } = createFixture(["a", own], { tools: many(10), limits: { maxTools: 2 } });
    await using _ = manager;
    await manager.start();
    expect(manager.tools().map(({ name }) => name)).toEqual([
      "mcp__a__t0",
      "mcp__a__t1",
      "mcp__own__t0",
      "mcp__own__t1",
      "mcp__own__t2",
    ]);
  });

  it("is offered from the catalog up to the limit of today", async () => {
    const cache = createFakeToolCache();
    const { manager } = createFixture(["a"], { tools: many(10), cache });
    await manager.start();
    await manager.close();
    const later = createFixture(["a"], { byHand: true, cache, limits: { maxTools: 4 } });
    await using _ = later.manager;
    await later.manager.start();
    expect(later.manager.tools()).toHaveLength(4);
  });

  it("refuses a limit that is no number", () => {
    expect(() => createFixture(["a"], { limits: { maxTools: "all" as never } })).toThrow('"limits.maxTools"');
  });

  it("lists 20,000 resources at most, and one warning says how to reach the others", async () => {
    const log = vi.fn<(level: string, message: string, fields?: LogFields) => void>();
    const resources = Array.from({ length: 20_001 }, (_, index) => ({
      uri: `memo://${index}`,
      name: "memo",
    }));
    const session = createFakeSession({
      items: { resources },
      handshake: { capabilities: { resources: {} } },
    });
    const { manager, connector } = createFixture(["a"], { byHand: true, log });
    await using _ = manager;
    const starting = manager.start();
    (await connector.nextAttempt()).open(session);
    await starting;
    expect(await manager.resources("a")).toHaveLength(20_000);
    expect(log.mock.calls.filter(([, message]) => message.includes("20000 resources"))).toHaveLength(1);
  });
});

describe("a long list that replaces another", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const versioned = (version: string) =>
    Array.from({ length: 1_000 }, (_, index) => tool(`t${index}`, { description: version }));

  /** A manager whose server lists "old" tools. On its clock, the preparation of each tool takes a millisecond. */
  async function started(prepared: (count: number, version: string) => void = () => {}) {
    const now = performance.now.bind(performance);
    let count = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + count);
    const prepare = ({ description = "" }: ToolDefinition) => {
      count += 1;
      prepared(count, description);
    };
    const policy: ToolListPolicy = Object.assign((judged: Parameters<ToolListPolicy>[0]) => judged, {
      prepare,
    });
    const { manager, sessions } = createFixture(["a"], { tools: versioned("old"), toolPolicies: [policy] });
    await manager.start();
    const session = sessions.get("a");
    const change = (version: string) => {
      session?.setTools(versioned(version));
      session?.notify({ method: "notifications/tools/list_changed" });
    };
    const offered = () => [...new Set(manager.tools().map(({ description }) => description))];
    return { manager, change, offered, prepared: () => count };
  }

  it("is prepared while other work has its turns, and is offered as a whole", async () => {
    const { manager, change, offered } = await started();
    await using _ = manager;
    const changed = Promise.withResolvers<readonly string[]>();
    manager.on("toolsChanged", () => changed.resolve(offered()));
    const seen: string[] = [];
    let isChanged = false;
    const look = () => {
      seen.push(offered().join());
      if (!isChanged) setImmediate(look);
    };
    change("new");
    setImmediate(look);
    expect(await changed.promise).toEqual(["new"]);
    isChanged = true;
    expect(seen.length).toBeGreaterThan(100);
    expect(new Set(seen)).toEqual(new Set(["old"]));
  });

  it("gives way to one that was announced meanwhile", async () => {
    const begun = Promise.withResolvers<void>();
    const { manager, change, offered } = await started((_, version) => {
      if (version === "new") begun.resolve();
    });
    await using _ = manager;
    const newest = Promise.withResolvers<void>();
    const seen: string[] = [];
    manager.on("toolsChanged", () => {
      seen.push(offered().join());
      if (seen.at(-1) === "newest") newest.resolve();
    });
    seen.length = 0;
    change("new");
    await begun.promise;
    change("newest");
    await newest.promise;
    expect(seen).toEqual(["newest"]);
  });

  it("is prepared no further once the manager closes", async () => {
    const begun = Promise.withResolvers<void>();
    const { manager, change, offered, prepared } = await started((_, version) => {
      if (version === "new") begun.resolve();
    });
    const before = prepared();
    const seen: string[] = [];
    manager.on("toolsChanged", () => seen.push(offered().join()));
    seen.length = 0;
    change("new");
    await begun.promise;
    await manager.close();
    const closed = prepared();
    for (let turn = 0; turn < 10; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(prepared()).toBe(closed);
    expect(closed - before).toBeLessThan(1_000);
    expect(seen).not.toContain("new");
  });

  it("is offered from the catalog after a preparation, too", async () => {
    const cache = createFakeToolCache();
    const { manager } = createFixture(["a"], { tools: versioned("old"), cache });
    await manager.start();
    await manager.close();
    const prepare = vi.fn();
    const policy: ToolListPolicy = Object.assign((judged: Parameters<ToolListPolicy>[0]) => judged, {
      prepare,
    });
    const later = createFixture(["a"], { byHand: true, cache, toolPolicies: [policy] });
    await using _ = later.manager;
    await later.manager.start();
    expect(later.manager.tools()).toHaveLength(1_000);
    expect(prepare).toHaveBeenCalledTimes(1_000);
  });
});
