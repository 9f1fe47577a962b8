import { describe, expect, it } from "vitest";
import type { McpManager } from "../src/index.ts";
import { overHttp } from "./http-fixture.ts";
import { tool } from "./manager-fixture.ts";

const ECHO = { server: "a", tool: "echo" };

describe.each([
  ["with session ids", true],
  ["without session ids", false],
])("a server over HTTP, %s, that is restarted", (_title, withIds) => {
  it("is waited for by the calls that find it away, within their time", async () => {
    const { manager, server } = await overHttp({ withIds });
    await manager.start();
    await manager.callTool(ECHO);
    await server.stop();
    const isAway = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") isAway.resolve();
    });
    const calls = [1, 2, 3].map(() => manager.callTool(ECHO));
    await isAway.promise;
    await server.startAgain();
    expect(await Promise.all(calls)).toEqual([1, 2, 3].map(() => ({ content: [] })));
    expect(server.asked.filter((method) => method === "tools/call")).toHaveLength(4);
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
  ])("is waited for by whoever asks for %s", async (_what, ask) => {
    const { manager, server } = await overHttp({ withIds });
    await manager.start();
    await server.stop();
    const isAway = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") isAway.resolve();
    });
    const asking = ask(manager);
    await Promise.race([isAway.promise, asking]);
    await server.startAgain();
    await asking;
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
  });

  it.each([
    ["gives what is known of its prompts at once", true],
    ["is waited for by whoever asks for prompts of which nothing is known", false],
  ])("%s", async (_what, isKnown) => {
    let isListing = isKnown;
    const answer = (method: string) => {
      if (method === "tools/list") return { items: [tool("echo")] };
      return isListing ? { items: [{ name: "review" }] } : "break";
    };
    const { manager, server } = await overHttp({ withIds, capabilities: { tools: {}, prompts: {} }, answer });
    await manager.start();
    if (isKnown) await manager.prompts("a");
    isListing = false;
    await manager.reconnect("a");
    await manager.refreshTools("a"); // What else it offers is asked for when its tools are in.
    await manager.prompts("a").catch(() => {}); // From now on the session has to be asked again.
    isListing = true;
    await server.stop();
    const isAway = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "connecting") isAway.resolve();
    });
    const asking = manager.prompts("a");
    if (!isKnown) {
      await Promise.race([isAway.promise, asking]);
      await server.startAgain();
    }
    expect(await asking).toEqual([{ name: "review", server: "a" }]);
    if (isKnown) expect(await manager.prompts()).toEqual(await asking);
  });

  it("is not waited for where it will be tried again too late", async () => {
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

  it("is waited for by a call that it died of, where that may be repeated", async () => {
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
