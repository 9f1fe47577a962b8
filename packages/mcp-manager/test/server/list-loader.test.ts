import { type Listing, McpError } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ListLoader } from "../../src/server/list-loader.ts";
import { tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A loader on a session whose list takes 10 ms, and what it published. */
function setUp({ pollIntervalMs = 0, onList = (_session: FakeSession) => {} } = {}) {
  const published: string[][] = [];
  const failures: McpError[] = [];
  const session = createFakeSession({ tools: [tool("first")] });
  const loader = new ListLoader({
    server: "a",
    kind: "tools",
    repeatAfterMs: () => pollIntervalMs,
    list: async (listed) => {
      const listing: Listing<"tools"> = await listed.list("tools", { signal: new AbortController().signal });
      onList(listed as FakeSession);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return listing;
    },
    loaded: (_session, { items }) => published.push(items.map(({ name }) => name)),
    failed: (error) => failures.push(error),
  });
  return { loader, session, published, failures };
}

async function loaded(options?: Parameters<typeof setUp>[0]) {
  const all = setUp(options);
  const loading = all.loader.load(all.session);
  await vi.advanceTimersByTimeAsync(10);
  await loading;
  return all;
}

describe("a burst of changes", () => {
  it("[L19] costs two listings and publishes once, with the last state", async () => {
    const { loader, session, published } = await loaded();
    for (const name of ["one", "two", "three"]) {
      session.setTools([tool(name)]);
      void loader.announce(session);
      await vi.advanceTimersByTimeAsync(2);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(session.listed).toHaveLength(3);
    expect(published).toEqual([["first"], ["three"]]);
    loader.reset();
  });

  it("lasting half a second costs at most three listings and publishes its last state", async () => {
    const { loader, session, published } = await loaded();
    for (let change = 0; change < 500; change += 1) {
      session.setTools([tool(`t${change}`)]);
      void loader.announce(session);
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(1_100);
    expect(session.listed.length).toBeLessThanOrEqual(4);
    expect(published.at(-1)).toEqual(["t499"]);
    loader.reset();
  });

  it("during load() makes it wait for the list that follows and is published", async () => {
    const { loader, session, published } = await loaded();
    session.setTools([tool("asked")]);
    let seen: string[] | undefined;
    const waiting = loader.load(session).then(() => {
      seen = published.at(-1);
    });
    await vi.advanceTimersByTimeAsync(5);
    void loader.announce(session);
    await vi.advanceTimersByTimeAsync(20);
    await waiting;
    expect(seen).toEqual(["asked"]);
    loader.reset();
  });

  it("and a poll at the same time share one listing", async () => {
    const { loader, session } = await loaded({ pollIntervalMs: 1_000 });
    await vi.advanceTimersByTimeAsync(995);
    void loader.announce(session);
    await vi.advanceTimersByTimeAsync(500);
    expect(session.listed).toHaveLength(2);
    loader.reset();
  });
});

describe("announce()", () => {
  /** Changes the list, says so, and notes what was published when that change had been seen. */
  function changing({ loader, session, published }: ReturnType<typeof setUp>) {
    const seen: string[][] = [];
    const change = (name: string) => {
      session.setTools([tool(name)]);
      void loader.announce(session).then(() => seen.push([name, ...(published.at(-1) ?? [])]));
    };
    return { seen, change };
  }

  it("[N12] resolves when a list with the change is published, even if that is delayed", async () => {
    const all = await loaded();
    const { seen, change } = changing(all);
    for (const name of ["one", "two", "three"]) {
      change(name);
      await vi.advanceTimersByTimeAsync(150);
    }
    expect(seen).toEqual([["one", "one"]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen.slice(1)).toEqual([
      ["two", "three"],
      ["three", "three"],
    ]);
    all.loader.reset();
  });

  it("[N12] resolves in the order of the changes if the server lists slowly", async () => {
    const all = await loaded();
    const { seen, change } = changing(all);
    change("one");
    await vi.advanceTimersByTimeAsync(5);
    change("two");
    await vi.advanceTimersByTimeAsync(10); // The list that follows is under way.
    change("three");
    await vi.advanceTimersByTimeAsync(1_100);
    expect(seen).toEqual([
      ["one", "two"],
      ["two", "two"],
      ["three", "three"],
    ]);
    all.loader.reset();
  });

  it("resolves with a list that another caller has requested since", async () => {
    const all = await loaded();
    const { seen, change } = changing(all);
    change("one");
    await vi.advanceTimersByTimeAsync(50);
    change("two");
    void all.loader.load(all.session);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen.at(-1)).toEqual(["two", "two"]);
    all.loader.reset();
  });

  it("resolves in order even if the list fails or the session ends", async () => {
    const all = await loaded();
    const { seen, change } = changing(all);
    all.session.failLists(new McpError("MCP_REQUEST_REJECTED", "not now"));
    change("one");
    await vi.advanceTimersByTimeAsync(50);
    change("two");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(seen.map(([name]) => name)).toEqual(["one", "two"]);
    all.session.failLists(undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const name of ["three", "four", "five"]) {
      change(name);
      await vi.advanceTimersByTimeAsync(6);
    }
    all.loader.reset();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.slice(2).map(([name]) => name)).toEqual(["three", "four", "five"]);
    change("six");
    await vi.advanceTimersByTimeAsync(10);
    change("seven");
    all.loader.reset();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.slice(5).map(([name]) => name)).toEqual(["six", "seven"]);
  });
});

describe("a server that announces a change after each listing", () => {
  it("is listed at most ten times a minute", async () => {
    const { loader, session } = setUp({
      onList: (listed) => queueMicrotask(() => void loader.announce(listed)),
    });
    void loader.load(session);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.listed.length).toBeGreaterThan(2);
    expect(session.listed.length).toBeLessThanOrEqual(10);
    loader.reset();
  });

  it("is listed at once again after a quiet minute", async () => {
    const { loader, session } = await loaded();
    for (let time = 0; time < 3; time += 1) {
      void loader.announce(session);
      await vi.advanceTimersByTimeAsync(10_000);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    const before = session.listed.length;
    void loader.announce(session);
    expect(session.listed).toHaveLength(before + 1);
    await vi.advanceTimersByTimeAsync(10);
    loader.reset();
  });
});

describe("polling", () => {
  it("lists at its interval, publishes what it finds, and stops with the session", async () => {
    const { loader, session, published } = await loaded({ pollIntervalMs: 60_000 });
    session.setTools([tool("unannounced")]);
    await vi.advanceTimersByTimeAsync(60_010);
    expect(published.at(-1)).toEqual(["unannounced"]);
    loader.reset();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(session.listed).toHaveLength(2);
  });

  it("continues after a list that failed", async () => {
    const { loader, session, published, failures } = await loaded({ pollIntervalMs: 1_000 });
    session.failLists(new McpError("MCP_REQUEST_REJECTED", "not now"));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(failures).toHaveLength(1);
    session.failLists(undefined);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(published).toHaveLength(2);
    expect(loader.state.status).toBe("live");
    loader.reset();
  });
});

describe("a caller of load()", () => {
  it("gets the outcome of its own list, even if another is loading by then", async () => {
    const cause = new McpError("MCP_REQUEST_REJECTED", "no list");
    const { loader, session } = setUp({
      onList: () => {
        throw cause;
      },
    });
    const [first, second] = [loader.load(session), loader.load(session)];
    const states = first.then((outcome) => [outcome, loader.state]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await states).toEqual([{ status: "failed", error: cause }, { status: "loading" }]);
    expect(await second).toEqual({ status: "failed", error: cause });
    expect(session.listed).toHaveLength(4); // Each of the two lists was tried twice.
  });

  it("gets a list begun after its call, shared with all callers that wait", async () => {
    const { loader, session, published } = await loaded();
    const first = loader.load(session);
    session.setTools([tool("newer")]);
    const others = [loader.load(session), loader.load(session)];
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all([first, ...others]);
    expect(session.listed).toHaveLength(3);
    expect(published.at(-1)).toEqual(["newer"]);
    loader.reset();
  });

  it("does not keep lists from being published by calling again and again", async () => {
    const { loader, session, published } = await loaded();
    const asking = setInterval(() => void loader.load(session), 3);
    await vi.advanceTimersByTimeAsync(200);
    clearInterval(asking);
    expect(published.length).toBeGreaterThan(5);
    await vi.advanceTimersByTimeAsync(50);
    loader.reset();
  });

  it("[L17] returns at once when the session ends, and the late list is not published", async () => {
    const { loader, session, published } = await loaded();
    const loading = loader.load(session);
    const again = loader.load(session);
    loader.reset();
    await Promise.all([loading, again]);
    await vi.advanceTimersByTimeAsync(50);
    expect(published).toEqual([["first"]]);
    expect(loader.state.status).toBe("none");
  });

  it.each([
    ["gets no second try after a list that timed out", "MCP_CALL_TIMEOUT", undefined, 1],
    ["gets no second try if the error has a retryAfterMs", "MCP_CONNECT_FAILED", 60_000, 1],
    ["[S12] gets the error after the list has failed twice", "MCP_INTERNAL", undefined, 2],
  ] as const)("%s", async (_title, code, retryAfterMs, lists) => {
    const { loader, session, failures } = setUp({
      onList: () => {
        throw new McpError(code, "Not today.", { retryAfterMs });
      },
    });
    await loader.load(session);
    expect(session.listed).toHaveLength(lists);
    expect(failures).toMatchObject([{ code }]);
    loader.reset();
  });
});
