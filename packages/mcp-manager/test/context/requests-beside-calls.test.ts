import { createFakeConnector, passThroughResolver, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMcpManager, type McpManager } from "../../src/index.ts";
import { overHttp } from "../http-fixture.ts";
import { tool } from "../manager-fixture.ts";
import { broken, contextSession } from "./context-fixture.ts";

const ECHO = { server: "a", tool: "echo" };
const CAPABILITIES = { tools: {}, prompts: {}, resources: { subscribe: true } };
const UNSENT = { code: "MCP_SESSION_LOST", outcome: "not-sent" };

const QUESTIONS: readonly [string, (manager: McpManager) => Promise<unknown>][] = [
  ["getPrompt", (manager) => manager.getPrompt("a", "review")],
  ["readResource", (manager) => manager.readResource("a", "file:///readme")],
  [
    "complete",
    (manager) => {
      const argument = { name: "path", value: "r" };
      return manager.complete("a", { ref: { type: "ref/prompt", name: "review" }, argument });
    },
  ],
  ["subscribe", (manager) => manager.subscribe("a", "file:///readme", () => {})],
  ["prompts", (manager) => manager.prompts("a")],
  ["resources", (manager) => manager.resources("a")],
];

/** A server with a call in flight that accepts no more connections. All its lists except that of tools fail. */
async function busyAndUnreachable() {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<{ content: [] }>();
  const answer = (method: string) => {
    if (method === "tools/list") return { items: [tool("echo")] };
    if (method !== "tools/call") return "break";
    begun.resolve();
    return held.promise;
  };
  const { manager, server } = await overHttp({ capabilities: CAPABILITIES, answer });
  await manager.start();
  const call = manager.callTool(ECHO);
  await begun.promise;
  // The first requests for the lists have failed by then, so they are sent again.
  await Promise.all([manager.prompts(), manager.resources(), manager.resourceTemplates()]);
  server.refuse();
  return { manager, server, call, release: () => held.resolve({ content: [] }) };
}

describe.each(QUESTIONS)("%s when the server accepts no more connections", (_, ask) => {
  it("rejects, and keeps the session for a call in flight", async () => {
    const { manager, server, call, release } = await busyAndUnreachable();
    await expect(ask(manager)).rejects.toMatchObject(UNSENT);
    release();
    expect(await call).toEqual({ content: [] });
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    expect(server.asked.filter((method) => method === "initialize")).toHaveLength(1);
  });

  it("gives the session up if nothing else is in flight", async () => {
    const { manager, call, release } = await busyAndUnreachable();
    release();
    await call;
    const isAway = Promise.withResolvers<void>();
    manager.on("statusChanged", ({ snapshot }) => snapshot.status === "backoff" && isAway.resolve());
    const asking = ask(manager).catch(() => {});
    await isAway.promise;
    await manager.close();
    await asking;
  });
});

it("a request of one user does not end a shared session during another user's call", async () => {
  const held = Promise.withResolvers<unknown>();
  const session = contextSession({
    answer: (method) => {
      if (method === "tools/call") return held.promise;
      throw broken;
    },
  });
  session.setTools([tool("echo")]);
  const connector = createFakeConnector({ onAttempt: (attempt) => attempt.open(session) });
  const manager = createMcpManager({
    servers: [{ ...stdioDefinition("a"), shared: true }],
    connect: connector.connect,
    resolve: passThroughResolver,
  });
  await using _ = manager;
  await manager.start();
  const [ann, bob] = [manager.forPrincipal("ann"), manager.forPrincipal("bob")];
  await Promise.all([ann.start(), bob.start()]);
  const call = bob.callTool(ECHO);
  await expect(ann.readResource("a", "file:///readme")).rejects.toMatchObject(UNSENT);
  held.resolve({ content: [] });
  expect(await call).toEqual({ content: [] });
  expect(connector.attempts).toHaveLength(1);
});
