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

/** A server that fails to list what it has besides tools, and has a call under way when it takes no more connections. */
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
  // What was under way for the lists has failed then, and they are asked for again.
  await Promise.all([manager.prompts(), manager.resources(), manager.resourceTemplates()]);
  server.refuse();
  return { manager, server, call, release: () => held.resolve({ content: [] }) };
}

describe.each(QUESTIONS)("%s over a session that cannot be used", (_, ask) => {
  it("rejects where a call is under way, which is answered", async () => {
    const { manager, server, call, release } = await busyAndUnreachable();
    await expect(ask(manager)).rejects.toMatchObject(UNSENT);
    release();
    expect(await call).toEqual({ content: [] });
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    expect(server.asked.filter((method) => method === "initialize")).toHaveLength(1);
  });

  it("gives it up where nothing else is under way", async () => {
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

it("a request of one user does not end a shared session while another user's call is under way", async () => {
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
