import { McpError } from "@jackfield/mcp-core";
import { createFakeToolCache, passThroughResolver, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import {
  contextFixture,
  contextSession,
  FILE,
  LOG,
  openedFixture,
  README,
  REVIEW,
} from "./context-fixture.ts";

const RESOURCES_CHANGED = { method: "notifications/resources/list_changed" };
const LOST = new McpError("MCP_SESSION_LOST", "Gone.");
const owned = (...items: object[]) => items.map((item) => ({ ...item, server: "s" }));

describe("lists of resources, resource templates and prompts", () => {
  it("are requested once, after the tool list has arrived", async () => {
    const { manager, open } = contextFixture();
    await using _ = manager;
    const session = contextSession();
    const release = session.holdLists();
    const starting = manager.start();
    await open(session);
    await vi.waitFor(() => expect(session.listed).toEqual(["tools"]));
    release();
    await starting;
    await vi.waitFor(() =>
      expect(session.listed).toEqual(["tools", "resources", "resourceTemplates", "prompts"]),
    );
    expect(await manager.resources("s")).toEqual(owned(README, LOG));
    expect(await manager.resourceTemplates()).toEqual(owned(FILE));
    expect(await manager.prompts("s")).toEqual(owned(REVIEW));
    expect(session.listed).toHaveLength(4);
  });

  it("come from the session, not the catalog, if a request connected the server before start()", async () => {
    const cache = createFakeToolCache();
    const resolved = await passThroughResolver(stdioDefinition("s"), { signal: AbortSignal.timeout(1_000) });
    cache.seed(resolved, { tools: [], prompts: [{ name: "outdated" }] });
    const { manager, open } = contextFixture({ cache });
    await using _ = manager;
    const asking = manager.prompts("s");
    await open();
    await asking;
    await manager.start();
    expect(await manager.prompts("s")).toEqual(owned(REVIEW));
  });

  it("are not requested if the server does not declare the capability", async () => {
    const handshake = { capabilities: { tools: {}, prompts: {} } };
    const { manager, session } = await openedFixture({}, contextSession({ handshake }));
    await using _ = manager;
    expect(await manager.resources("s")).toEqual([]);
    expect(await manager.resourceTemplates("s")).toEqual([]);
    expect(await manager.prompts("s")).toEqual(owned(REVIEW));
    expect(session.listed).toEqual(["tools", "prompts"]);
  });

  it("[N2] fail independently: the failed kind rejects, the others are returned", async () => {
    const refusal = new McpError("MCP_REQUEST_REJECTED", "No templates today.");
    const log = vi.fn();
    const session = contextSession({ failing: new Map([["resourceTemplates", refusal]]) });
    const { manager } = await openedFixture({ log }, session);
    await using _ = manager;
    expect(await manager.resources("s")).toEqual(owned(README, LOG));
    expect(await manager.prompts("s")).toEqual(owned(REVIEW));
    await expect(manager.resourceTemplates("s")).rejects.toBe(refusal);
    expect(await manager.resourceTemplates()).toEqual([]);
    expect(manager.servers()).toMatchObject([{ status: "ready", error: undefined }]);
    expect(log).toHaveBeenCalledWith("warn", refusal.message, expect.objectContaining({ server: "s" }));
  });

  it("[N8] are requested twice for a burst of list_changed, and only the changed kind", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    await manager.resources("s");
    await manager.resourceTemplates("s");
    await manager.prompts("s");
    const before = session.listed.length;
    const release = session.holdLists();
    session.setItems("resources", [README]);
    for (let change = 0; change < 5; change += 1) session.notify(RESOURCES_CHANGED);
    const asked = [manager.resources("s"), manager.resources("s")];
    release();
    await Promise.all(asked);
    await vi.waitFor(async () => expect(await manager.resources("s")).toEqual(owned(README)));
    const since = session.listed.slice(before);
    expect(since.filter((kind) => kind === "resources")).toHaveLength(2);
    expect(since.filter((kind) => kind === "prompts")).toEqual([]);
  });

  it("[N8] come from the new session when the old one is lost during a listing", async () => {
    const { manager, session, open } = await openedFixture({ retry: { initialDelayMs: 0, jitter: "none" } });
    await using _ = manager;
    await manager.resources("s");
    const release = session.holdLists();
    session.setItems("resources", [README]);
    session.notify(RESOURCES_CHANGED);
    const next = contextSession({ items: { resources: [LOG] } });
    session.lose(LOST);
    await open(next);
    release();
    await vi.waitFor(() => expect(next.listed).toContain("prompts"));
    expect(await manager.resources("s")).toEqual(owned(LOG));
  });

  it("wait for the next session when theirs ends during the listing, instead of being empty", async () => {
    const { manager, open } = contextFixture({ retry: { initialDelayMs: 0, jitter: "none" } });
    await using _ = manager;
    const first = contextSession();
    first.holdLists();
    void manager.start().catch(() => {});
    await open(first);
    const asked = manager.resources("s");
    await vi.waitFor(() => expect(first.listed).toContain("resources"));
    first.lose(LOST);
    await open();
    expect(await asked).toEqual(owned(README, LOG));
  });

  it("are requested again after re-initialization, and a difference emits catalogChanged", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    await manager.prompts("s");
    const changes: unknown[] = [];
    manager.on("catalogChanged", ({ kind }) => changes.push(kind));
    changes.length = 0;
    session.setItems("prompts", []);
    session.renew();
    await vi.waitFor(() => expect(changes).toEqual(["prompts"]));
    expect(await manager.prompts("s")).toEqual([]);
  });

  it("[N12] are up to date when a listener gets the list_changed notification", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    await manager.resources("s");
    const lists = () => session.listed.filter((kind) => kind === "resources").length;
    const before = lists();
    const seen: unknown[] = [];
    manager.on("notification", async ({ method }) => {
      if (method !== RESOURCES_CHANGED.method) return;
      seen.push("heard");
      seen.push(await manager.resources("s"));
    });
    session.setItems("resources", [LOG]);
    const release = session.holdLists();
    session.notify(RESOURCES_CHANGED);
    await vi.waitFor(() => expect(lists()).toBe(before + 1));
    expect(seen).toEqual([]);
    release();
    await vi.waitFor(() => expect(seen).toEqual(["heard", owned(LOG)]));
  });

  it("[N10] are not requested twice because of notifications during the handshake", async () => {
    const session = contextSession();
    const said = ["notifications/tools/list_changed", "notifications/message", RESOURCES_CHANGED.method];
    const listen = session.onNotification.bind(session);
    session.onNotification = (listener) => {
      for (const method of said) listener({ method });
      return listen(listener);
    };
    const { manager } = await openedFixture({}, session);
    await using _ = manager;
    await vi.waitFor(() => expect(session.listed).toContain("prompts"));
    await manager.resources("s");
    const heard: string[] = [];
    manager.on("notification", ({ method }) => heard.push(method));
    expect(heard).toEqual(said);
    expect(session.listed).toEqual(["tools", "resources", "resourceTemplates", "prompts"]);
  });

  it("[N22] emit catalogChanged to a listener added after they arrived", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    await vi.waitFor(() => expect(session.listed).toContain("prompts"));
    await manager.prompts("s");
    const kinds = new Set<string>();
    manager.on("catalogChanged", ({ server, kind }) => kinds.add(`${server} ${kind}`));
    expect([...kinds].sort()).toEqual(["s prompts", "s resources"]);
  });

  it("stay available while the server is down, until it is disconnected", async () => {
    const { manager, session, connector } = await openedFixture({ retry: { maxRetries: 0 } });
    await using _ = manager;
    await manager.resources("s");
    await manager.prompts("s");
    session.lose(LOST);
    expect(await manager.resources("s")).toEqual(owned(README, LOG));
    expect(await manager.prompts()).toEqual(owned(REVIEW));
    expect(connector.attempts).toHaveLength(1);
    await manager.disconnect("s");
    expect(await manager.resources()).toEqual([]);
    await expect(manager.resources("s")).rejects.toMatchObject({ outcome: "not-sent" });
  });

  it("come from the catalog until the server is ready; only a difference emits catalogChanged", async () => {
    const cache = createFakeToolCache();
    const { manager } = await openedFixture({ cache });
    await manager.resources("s");
    await manager.resourceTemplates("s");
    await manager.prompts("s");
    await manager.close();
    const next = contextFixture({ cache });
    await using _ = next.manager;
    await next.manager.start();
    expect(await next.manager.resources("s")).toEqual(owned(README, LOG));
    expect(await next.manager.resourceTemplates("s")).toEqual(owned(FILE));
    expect(await next.manager.prompts()).toEqual(owned(REVIEW));
    const changes: string[] = [];
    next.manager.on("catalogChanged", ({ kind }) => changes.push(kind));
    await next.open(contextSession({ items: { resources: [README, LOG], resourceTemplates: [FILE] } }));
    await vi.waitFor(() => expect(changes).toEqual(["prompts"])); // The rest is as it was remembered.
    expect(await next.manager.prompts("s")).toEqual([]);
  });
});
