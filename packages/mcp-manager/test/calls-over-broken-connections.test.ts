import { describe, expect, it } from "vitest";
import type { McpManager } from "../src/index.ts";
import { overHttp } from "./http-fixture.ts";
import { tool } from "./manager-fixture.ts";

const ECHO = { server: "a", tool: "echo" };

describe.each([
  ["with session ids", true],
  ["without session ids", false],
])("an HTTP server %s that restarts", (_title, withIds) => {
  it("answers calls that were made while it was down", async () => {
    const { manager, server } = await overHttp({ withIds });
    await manager.start();
    await manager.callTool(ECHO);
    await server.stop();
    const reconnecting = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") reconnecting.resolve();
    });
    const calls = [1, 2, 3].map(() => manager.callTool(ECHO));
    await reconnecting.promise;
    await server.startAgain();
    expect(await Promise.all(calls)).toEqual([1, 2, 3].map(() => ({ content: [] })));
    expect(server.asked.filter((method) => method === "tools/call")).toHaveLength(4);
  });

  it("is waited for by several requests besides calls that find it away at the same time", async () => {
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const { manager, server } = await overHttp({ withIds, capabilities });
    await manager.start();
    await server.stop();
    const isAway = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") isAway.resolve();
    });
    const asking = Promise.all([
      ...[1, 2, 3].map((at) => manager.readResource("a", `file:///${at}`)),
      ...[1, 2].map((at) => manager.subscribe("a", `file:///${at}`, () => {})),
    ]);
    await Promise.race([isAway.promise, asking]);
    await server.startAgain();
    expect(await asking).toHaveLength(5);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
  });

  it.each<[string, (manager: McpManager) => Promise<unknown>]>([
    ["a prompt", (manager) => manager.getPrompt("a", "review")],
    ["a resource", (manager) => manager.readResource("a", "file:///readme")],
    [
      "a completion",
      (manager) =>
        manager.complete("a", {
          ref: { type: "ref/prompt", name: "review" },
          argument: { name: "path", value: "r" },
        }),
    ],
    ["its tools", (manager) => manager.refreshTools("a")],
  ])("answers a request for %s that was made while it was down", async (_what, ask) => {
    const { manager, server } = await overHttp({ withIds });
    await manager.start();
    await server.stop();
    const reconnecting = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") reconnecting.resolve();
    });
    const asking = ask(manager);
    await Promise.race([reconnecting.promise, asking]);
    await server.startAgain();
    await asking;
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
  });

  it.each([
    ["is not waited for if its prompts are cached", true],
    ["is waited for if none of its prompts are cached", false],
  ])("%s", async (_what, isCached) => {
    let isListing = isCached;
    const answer = (method: string) => {
      if (method === "tools/list") return { items: [tool("echo")] };
      return isListing ? { items: [{ name: "review" }] } : "break";
    };
    const { manager, server } = await overHttp({ withIds, capabilities: { tools: {}, prompts: {} }, answer });
    await manager.start();
    if (isCached) await manager.prompts("a");
    isListing = false;
    await manager.reconnect("a");
    await manager.refreshTools("a"); // Prompts are listed after the tools.
    await manager.prompts("a").catch(() => {}); // That listing broke off: the session must be asked again.
    isListing = true;
    await server.stop();
    const reconnecting = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") reconnecting.resolve();
    });
    const asking = manager.prompts("a");
    if (!isCached) {
      await Promise.race([reconnecting.promise, asking]);
      await server.startAgain();
    }
    expect(await asking).toEqual([{ name: "review", server: "a" }]);
    if (isCached) expect(await manager.prompts()).toEqual(await asking);
  });

  it("is not waited for if the next retry is beyond the deadline", async () => {
    const { manager, server } = await overHttp(
      { withIds },
      { retry: { initialDelayMs: 600_000, maxDelayMs: 600_000, jitter: "none" } },
    );
    await manager.start();
    await server.stop();
    const lost = { code: "MCP_SESSION_LOST", outcome: "not-sent", tool: "echo" };
    await expect(manager.callTool(ECHO, {}, { timeoutMs: 300_000 })).rejects.toMatchObject(lost);
    const unasked = { code: "MCP_SESSION_LOST", outcome: "not-sent", server: "a" };
    await expect(manager.getPrompt("a", "review", {}, { timeoutMs: 300_000 })).rejects.toMatchObject(unasked);
    expect(manager.servers()).toMatchObject([{ status: "backoff" }]);
  });

  it("gets the call that it crashed on once more if replay allows", async () => {
    let deaths = 0;
    const answer = (method: string) => {
      if (method === "tools/list") return { items: [tool("echo")] };
      if (deaths > 0) return { content: [] };
      deaths += 1;
      void server.stop();
      return "die";
    };
    const { manager, server } = await overHttp({ withIds, answer });
    await manager.start();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "backoff" && deaths === 1) {
        deaths += 1;
        void server.startAgain();
      }
    });
    await expect(manager.callTool(ECHO, {}, { replay: 2 })).resolves.toEqual({ content: [] });
    expect(server.asked.filter((method) => method === "tools/call")).toHaveLength(2);
  });
});
