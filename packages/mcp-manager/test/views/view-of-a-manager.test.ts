import { createFakeSession, httpDefinition, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

const LOGGED = { method: "notifications/message", params: { data: "hello" } };

/** Two servers: `files` has a tool, `docs` only prompts and resources. */
async function twoServers(options: Parameters<typeof createFixture>[1] = {}) {
  const fixture = createFixture(["files", "docs"], { ...options, byHand: true });
  const starting = fixture.manager.start();
  const files = (await fixture.connector.nextAttempt()).open(createFakeSession({ tools: [tool("read")] }));
  const docs = (await fixture.connector.nextAttempt()).open(
    createFakeSession({
      handshake: { capabilities: { prompts: {}, resources: { subscribe: true } } },
      items: { prompts: [{ name: "review" }], resources: [{ uri: "docs:a", name: "a" }] },
    }),
  );
  await starting;
  await fixture.manager.prompts("docs");
  return { ...fixture, files, docs };
}

describe("a view of a runtime", () => {
  it("offers the prompts and resources of its own servers only", async () => {
    const { manager, docs } = await twoServers();
    await using _ = manager;
    const view = manager.view({ servers: ["docs"] });
    expect(await view.prompts()).toEqual([{ name: "review", server: "docs" }]);
    expect(await view.resources("docs")).toEqual([{ uri: "docs:a", name: "a", server: "docs" }]);
    await view.getPrompt("docs", "review");
    await view.readResource("docs", "docs:a");
    expect(docs.requests.map(({ method }) => method)).toEqual(["prompts/get", "resources/read"]);
    const blind = manager.view({ servers: ["files"] });
    expect(await blind.prompts()).toEqual([]);
    for (const asked of [
      blind.prompts("docs"),
      blind.readResource("docs", "docs:a"),
      blind.getPrompt("docs", "review"),
      blind.complete("docs", {
        ref: { type: "ref/prompt", name: "review" },
        argument: { name: "a", value: "" },
      }),
      blind.subscribe("docs", "docs:a", () => {}),
    ])
      await expect(asked).rejects.toMatchObject({ code: "MCP_SERVER_UNKNOWN", outcome: "not-sent" });
    expect(docs.requests).toHaveLength(2);
  });

  it("asks an async filter also about servers without tools, and about later ones", async () => {
    const { manager, connector } = await twoServers();
    await using _ = manager;
    const asked: string[] = [];
    const servers = async (server: string) => {
      asked.push(server);
      return server !== "files";
    };
    const view = await manager.viewFor({ servers });
    expect(view.servers().map(({ name }) => name)).toEqual(["docs"]);
    expect(await view.prompts()).toHaveLength(1);
    const configured = ["files", "docs"].map((name) => stdioDefinition(name));
    const reloading = manager.reload([...configured, httpDefinition("late")]);
    const session = createFakeSession({ handshake: { capabilities: { prompts: {} } } });
    (await connector.nextAttempt()).open(session);
    await reloading;
    await vi.waitFor(() => expect(view.servers().map(({ name }) => name)).toContain("late"));
    expect(asked).toEqual(["files", "docs", "late"]);
  });

  it("[N9] takes only the buffered events of its own servers; the rest stay buffered", async () => {
    const { manager, files, docs } = await twoServers();
    await using _ = manager;
    files.notify(LOGGED);
    docs.notify(LOGGED);
    const view = manager.view({ servers: ["docs"] });
    const seen: string[] = [];
    view.on("notification", ({ server }) => seen.push(`view ${server}`));
    files.notify(LOGGED);
    manager.on("notification", ({ server }) => seen.push(`all ${server}`));
    docs.notify(LOGGED);
    expect(seen).toEqual(["view docs", "all files", "all files", "view docs", "all docs"]);
  });

  it("emits the events of its own servers only, and none after close()", async () => {
    const { manager, files, docs } = await twoServers({ limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    await using view = manager.view({ servers: ["docs"] });
    const heard: string[] = [];
    view.on("statusChanged", ({ snapshot }) => heard.push(`${snapshot.name} ${snapshot.status}`));
    view.on("catalogChanged", ({ server, kind }) => heard.push(`${server} ${kind}`));
    view.on("resourceUpdated", ({ server, uri }) => heard.push(`${server} ${uri}`));
    await view.subscribe("docs", "docs:a", () => {});
    docs.notify({ method: "notifications/resources/updated", params: { uri: "docs:a" } });
    await manager.disconnect("files");
    await manager.disconnect("docs");
    expect(files.closed && docs.closed).toBe(true);
    const told = [
      "docs prompts",
      "docs resources",
      "docs docs:a",
      "docs resources",
      "docs prompts",
      "docs idle",
    ];
    expect(new Set(heard)).toEqual(new Set(told));
    const before = heard.length;
    await view.close();
    view.on("statusChanged", ({ snapshot }) => heard.push(snapshot.name));
    void manager.reconnect("docs").catch(() => {});
    expect(heard).toHaveLength(before);
    expect(view.servers()).toEqual([]);
    await expect(view.prompts()).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("ends the subscriptions made through it on close(), and the pending one, but no others", async () => {
    const { manager, docs } = await twoServers({ limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    const view = manager.view({ servers: ["docs"] });
    const heard: string[] = [];
    await view.subscribe("docs", "docs:a", () => heard.push("view"));
    await view.view({}).subscribe("docs", "docs:a", () => heard.push("inner view"));
    await manager.subscribe("docs", "docs:a", () => heard.push("manager"));
    await view.subscribe("docs", "docs:b", () => {});
    const ended = await view.subscribe("docs", "docs:c", () => {});
    await ended.close();
    const late = view.subscribe("docs", "docs:d", () => {});
    const refused = expect(late).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await view.close();
    await refused;
    docs.notify({ method: "notifications/resources/updated", params: { uri: "docs:a" } });
    expect(heard).toEqual(["manager"]);
    const unsubscribed = docs.requests.filter(({ method }) => method === "resources/unsubscribe");
    expect(unsubscribed.map(({ params }) => params.uri).sort()).toEqual(["docs:b", "docs:c", "docs:d"]);
  });
});
