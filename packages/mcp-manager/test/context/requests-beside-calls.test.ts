import {
  createFakeConnector,
  passThroughResolver,
  recordStatuses,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { createMcpManager, type McpManager } from "../../src/index.ts";
import { overHttp } from "../http-fixture.ts";
import { tool } from "../manager-fixture.ts";
import { broken, contextSession } from "./context-fixture.ts";

const ECHO = { server: "a", tool: "echo" };
const CAPABILITIES = { tools: {}, prompts: {}, resources: { subscribe: true } };
const UNSENT = { code: "MCP_SESSION_LOST", outcome: "not-sent" };

type Ask = (manager: McpManager, timeoutMs?: number) => Promise<unknown>;

const REQUESTS: readonly [string, Ask][] = [
  ["getPrompt", (manager, timeoutMs) => manager.getPrompt("a", "review", {}, { timeoutMs })],
  ["readResource", (manager, timeoutMs) => manager.readResource("a", "file:///readme", { timeoutMs })],
  [
    "complete",
    (manager, timeoutMs) => {
      const argument = { name: "path", value: "r" };
      return manager.complete("a", { ref: { type: "ref/prompt", name: "review" }, argument }, { timeoutMs });
    },
  ],
  ["subscribe", (manager, timeoutMs) => manager.subscribe("a", "file:///readme", () => {}, { timeoutMs })],
];

const LISTS: readonly [string, Ask][] = [
  ["prompts", (manager) => manager.prompts("a")],
  ["resources", (manager) => manager.resources("a")],
  ["refreshTools", (manager) => manager.refreshTools("a")],
];

/** A server with a call in flight that accepts no more connections. All its lists except that of tools fail. */
async function busyAndUnreachable() {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<{ content: [] }>();
  const answer = (method: string) => {
    if (method === "tools/list") return { items: [tool("echo")] };
    if (method.endsWith("/list")) return "break";
    if (method !== "tools/call") return {};
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
  // The client reads the end of its idle connections: until then, a request could still go out on one.
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  return { manager, server, call, release: () => held.resolve({ content: [] }) };
}

describe.each(REQUESTS)("%s during a call, when the server accepts no more connections", (_, ask) => {
  it("times out as not-sent, and keeps the session for the call", async () => {
    const { manager, server, call, release } = await busyAndUnreachable();
    const late = { code: "MCP_CALL_TIMEOUT", outcome: "not-sent", server: "a" };
    await expect(ask(manager, 100)).rejects.toMatchObject(late);
    release();
    expect(await call).toEqual({ content: [] });
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    expect(server.asked.filter((method) => method === "initialize")).toHaveLength(1);
  });

  it("is answered on the same session as soon as the server accepts connections again", async () => {
    const { manager, server, call, release } = await busyAndUnreachable();
    const asking = ask(manager);
    await expect(manager.refreshTools("a")).rejects.toMatchObject(UNSENT);
    await server.startAgain();
    await asking;
    release();
    expect(await call).toEqual({ content: [] });
    expect(server.asked.filter((method) => method === "initialize")).toHaveLength(1);
  });
});

describe.each(LISTS)("%s during a call, when the server accepts no more connections", (_, ask) => {
  it("rejects as not-sent, and keeps the session for the call", async () => {
    const { manager, server, call, release } = await busyAndUnreachable();
    await expect(ask(manager)).rejects.toMatchObject(UNSENT);
    release();
    expect(await call).toEqual({ content: [] });
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    expect(server.asked.filter((method) => method === "initialize")).toHaveLength(1);
  });
});

describe.each([...REQUESTS, ...LISTS])("%s when the server accepts no more connections", (_, ask) => {
  it("gives the session up if nothing else is in flight", async () => {
    const { manager, call, release } = await busyAndUnreachable();
    release();
    await call;
    const statuses = recordStatuses(manager);
    const failure = ask(manager).then(
      () => undefined,
      ({ outcome }) => outcome,
    );
    await vi.waitFor(() => expect(statuses.of("a")[0]).toBe("backoff"));
    await manager.close();
    expect(await failure).toBe("not-sent");
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
  const read = ann.readResource("a", "file:///readme", { timeoutMs: 100 });
  await expect(read).rejects.toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
  held.resolve({ content: [] });
  expect(await call).toEqual({ content: [] });
  expect(connector.attempts).toHaveLength(1);
});
