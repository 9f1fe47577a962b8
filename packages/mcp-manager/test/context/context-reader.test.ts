import { type CatalogKind, type ContextSource, McpError } from "@jackfield/mcp-core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { tool } from "../manager-fixture.ts";
import { broken, contextFixture, contextSession, openedFixture, README } from "./context-fixture.ts";

/** Every way to ask one server for something besides tools. */
const QUESTIONS: readonly [string, (source: ContextSource, server: string) => Promise<unknown>][] = [
  ["resources", (source, server) => source.resources(server)],
  ["resourceTemplates", (source, server) => source.resourceTemplates(server)],
  ["prompts", (source, server) => source.prompts(server)],
  ["readResource", (source, server) => source.readResource(server, "file:///readme")],
  ["getPrompt", (source, server) => source.getPrompt(server, "review")],
  [
    "complete",
    (source, server) => {
      const argument = { name: "path", value: "r" };
      return source.complete(server, { ref: { type: "ref/prompt", name: "review" }, argument });
    },
  ],
  ["subscribe", (source, server) => source.subscribe(server, "file:///readme", () => {})],
];

describe.each(QUESTIONS)("%s", (_, ask) => {
  test("rejects, and does not throw synchronously, for an unknown server", async () => {
    const { manager } = await openedFixture();
    await using _ = manager;
    const asked = ask(manager, "nobody");
    await expect(asked).rejects.toMatchObject({ code: "MCP_SERVER_UNKNOWN", outcome: "not-sent" });
  });

  test("rejects, and does not throw synchronously, after the manager was closed", async () => {
    const { manager } = await openedFixture();
    await manager.close();
    const asked = ask(manager, "s");
    await expect(asked).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });
});

test.each([
  [1, "listed"],
  [2, "MCP_SESSION_LOST not-sent"],
])(
  "prompts() tries one more session, and no third, when %d could not be asked",
  async (failing, expected) => {
    const unusable = () => contextSession({ failing: new Map([["prompts", broken]]) });
    const { manager, connector, open } = await openedFixture(
      { retry: { initialDelayMs: 0, jitter: "none" } },
      unusable(),
    );
    await using _ = manager;
    const asking = manager.prompts("s").then(
      () => "listed",
      ({ code, outcome }: McpError) => `${code} ${outcome}`,
    );
    await open(failing === 2 ? unusable() : contextSession());
    expect(await asking).toBe(expected);
    expect(connector.attempts).toHaveLength(failing + (failing === 1 ? 1 : 0));
  },
);

test("resources() that times out after the list was sent rejects with the outcome unknown", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const session = contextSession();
  const list = session.list.bind(session);
  session.list = async (kind, options) => {
    if (kind !== "resources") return list(kind, options);
    await new Promise((resolve) => setTimeout(resolve, 600)); // Two lists take longer than the limit.
    throw new McpError("MCP_REQUEST_REJECTED", "busy");
  };
  const { manager } = await openedFixture({ limits: { callTimeoutMs: 1_000 } }, session);
  const asking = manager.resources("s");
  const rejected = expect(asking).rejects.toMatchObject({
    code: "MCP_CALL_TIMEOUT",
    outcome: "unknown",
    message: '1000 ms passed before server "s" answered.',
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await rejected;
  await manager.close();
});

describe("readResource() during a call, over a connection that cannot be used", () => {
  async function paused() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const session = contextSession({
      answer: (method) => {
        if (method === "tools/call") return new Promise(() => {});
        throw broken;
      },
    });
    session.setTools([tool("echo")]);
    const { manager } = await openedFixture({}, session);
    manager.callTool({ server: "s", tool: "echo" }, {}, { timeoutMs: 0, maxTotalMs: 0 }).catch(() => {});
    const caller = new AbortController();
    const asking = manager.readResource("s", "file:///a", { signal: caller.signal, timeoutMs: 0 });
    const ended = asking.catch(({ code, outcome }: McpError) => `${code} ${outcome}`);
    const asked = () => session.requests.filter(({ method }) => method === "resources/read").length;
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toBe(2);
    return { manager, ended, asked, caller };
  }

  test("is sent again after 50 ms, then after twice as long each time, up to a second", async () => {
    const { manager, asked, caller, ended } = await paused();
    for (const pauseMs of [50, 100, 200, 400, 800, 1_000, 1_000]) {
      const before = asked();
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(asked()).toBe(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked()).toBe(before + 1);
    }
    caller.abort();
    expect(await ended).toBe("MCP_ABORTED not-sent");
    await manager.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("rejects when the manager closes, without waiting for the pause", async () => {
    const { manager, ended } = await paused();
    await manager.close();
    expect(await ended).toBe("MCP_CLOSED not-sent");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the lists of all servers", () => {
  const unusable = () => contextSession({ failing: new Map([["prompts", broken]]) });

  test("omit a server whose connection is broken, without waiting for its next session", async () => {
    const { manager, connector } = await openedFixture({}, unusable());
    await using _ = manager;
    expect(await manager.prompts()).toEqual([]);
    expect(manager.servers()).toMatchObject([{ status: "backoff" }]);
    expect(await manager.prompts()).toEqual([]);
    expect(connector.attempts).toHaveLength(1);
  });

  test("omit a server whose session ends before its list arrives", async () => {
    const { manager, connector, open } = contextFixture();
    await using _ = manager;
    const first = contextSession();
    first.holdLists();
    void manager.start().catch(() => {});
    await open(first);
    const asked = manager.prompts();
    await vi.waitFor(() => expect(first.listed).toContain("prompts"));
    first.lose(new McpError("MCP_SESSION_LOST", "Gone."));
    expect(await asked).toEqual([]);
    expect(connector.attempts).toHaveLength(1);
  });

  test("keep the last known items of a server that can no longer be asked", async () => {
    const failing = new Map<CatalogKind, McpError>();
    const { manager, session } = await openedFixture({}, contextSession({ failing }));
    await using _ = manager;
    const known = await manager.resources("s");
    failing.set("resources", broken);
    session.renew();
    await vi.waitFor(() => expect(session.listed.filter((kind) => kind === "tools")).toHaveLength(2));
    expect(await manager.resources()).toEqual(known);
    expect(known).toContainEqual({ ...README, server: "s" });
  });
});

describe.each([
  ["readResource", QUESTIONS[3]?.[1]],
  ["subscribe", QUESTIONS[6]?.[1]],
])("%s when the connection breaks before the request is sent", (_, ask) => {
  /** A session whose first requests fail before they are sent, as many as `times`. */
  function failing(times: number) {
    let left = times;
    return contextSession({
      answer: () => {
        left -= 1;
        if (left >= 0) throw broken;
        return { contents: [] };
      },
    });
  }

  test.each([
    [1, 0, 2, 0],
    [2, 0, 2, 1],
    [2, 1, 2, 1],
  ])(
    "tries twice on one session, then once on the next (%d and %d failures)",
    async (first, second, asked, after) => {
      const { manager, session, connector, open } = await openedFixture(
        { retry: { initialDelayMs: 0, jitter: "none" } },
        failing(first),
      );
      await using _ = manager;
      const asking = ask?.(manager, "s").then(
        () => "answered",
        ({ code, outcome }: McpError) => `${code} ${outcome}`,
      );
      const next = after === 0 ? undefined : await open(failing(second));
      expect(await asking).toBe(second === 0 ? "answered" : "MCP_SESSION_LOST not-sent");
      expect([session.requests.length, connector.attempts.length]).toEqual([asked, after + 1]);
      if (next !== undefined) expect(next.requests.length).toBeGreaterThanOrEqual(1);
    },
  );

  test("an abort before the second attempt rejects as MCP_ABORTED, not-sent", async () => {
    const caller = new AbortController();
    const session = contextSession({
      answer: () => {
        setImmediate(() => caller.abort());
        throw broken;
      },
    });
    const { manager } = await openedFixture({}, session);
    await using _ = manager;
    const options = { signal: caller.signal };
    const asked =
      ask === QUESTIONS[3]?.[1]
        ? manager.readResource("s", "file:///readme", options)
        : manager.subscribe("s", "file:///readme", vi.fn(), options);
    await expect(asked).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(session.requests.filter(({ method }) => method !== "resources/unsubscribe")).toHaveLength(1);
  });
});
