import { McpError, type ResolveServer, type ServerDefinition } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  createFakeToolCache,
  type FakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createMcpManager, type McpManager, type McpManagerOptions } from "../../src/index.ts";
import { only, tool } from "../manager-fixture.ts";

const CAPABILITIES = { tools: {}, resources: { subscribe: true } };
const updated = (uri: string) => ({ method: "notifications/resources/updated", params: { uri } });

/** A runtime of these servers, whose sessions open at once. */
function runtime(servers: readonly ServerDefinition[], options: Partial<McpManagerOptions> = {}) {
  const opened: { server: string; principal: string | undefined; session: FakeSession }[] = [];
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      const session = createFakeSession({ tools: [tool("echo")], handshake: { capabilities: CAPABILITIES } });
      attempt.open(session);
      opened.push({ server: attempt.server.name, principal: attempt.options.principal, session });
    },
  });
  const resolvedAs = new Set<string>();
  const resolve: ResolveServer = (definition, at) => {
    resolvedAs.add(`${definition.name} ${at.principal}`);
    return passThroughResolver(definition, at);
  };
  const manager = createMcpManager({ servers, connect: connector.connect, resolve, ...options });
  const of = (server: string, principal?: string) =>
    opened.flatMap((one) => (one.server === server && one.principal === principal ? [one.session] : []));
  return { manager, opened, resolvedAs, of };
}

const own = stdioDefinition("own");
const shared = { ...stdioDefinition("shared", { command: "shared" }), shared: true };

async function userOf(manager: McpManager, principal: string): Promise<McpManager> {
  const user = manager.forPrincipal(principal);
  await user.start();
  return user;
}

/** A runtime of one shared server, with fake timers, that closes sessions after a second without use. */
function idlingRuntime() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return runtime([shared], { limits: { idleTimeoutMs: 1_000 } });
}

describe("a runtime for several users", () => {
  it.each([undefined, null, "", 42, {}, 1n])("refuses %s as a principal", async (principal) => {
    const { manager, opened } = runtime([own]);
    await using _ = manager;
    const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
    expect(() => manager.forPrincipal(principal as string)).toThrow(refusal);
    expect(opened).toEqual([]);
  });

  it("opens separate sessions per user, but a single session of a shared server", async () => {
    const { manager, opened, of, resolvedAs } = runtime([own, shared]);
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const bob = await userOf(manager, "bob");
    const started = opened.map(({ server, principal }) => `${server} ${principal}`);
    expect(started.sort()).toEqual(["own ann", "own bob", "own undefined", "shared undefined"]);
    for (const user of [ann, bob])
      for (const name of ["own", "shared"]) await user.callTool({ server: name, tool: "echo" });
    expect(of("own", "ann")[0]?.requests).toHaveLength(1);
    expect(of("shared")[0]?.requests).toHaveLength(2);
    expect([...resolvedAs].sort()).toEqual(["own ann", "own bob", "own undefined", "shared undefined"]);
  });

  it("tells a shared session whose each request is, and a user's own session nothing", async () => {
    const { manager, of } = runtime([own, shared], { principal: "zoe" });
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const bob = await userOf(ann, "bob"); // Borrows what Ann has borrowed.
    for (const user of [manager, ann, bob])
      for (const name of ["own", "shared"]) await user.callTool({ server: name, tool: "echo" });
    const told = (session: FakeSession | undefined) =>
      session?.requests.map(({ options }) => options.principal);
    expect(told(of("shared")[0])).toEqual(["zoe", "ann", "bob"]);
    for (const user of ["zoe", "ann", "bob"]) expect(told(of("own", user)[0])).toEqual([undefined]);
  });

  it("keeps a shared session open while one user subscribes to a resource of it", async () => {
    const { manager, of } = idlingRuntime();
    await using _ = manager;
    await manager.start();
    const [ann, bob] = await Promise.all([userOf(manager, "ann"), userOf(manager, "bob")]);
    const heard = vi.fn();
    const subscription = await ann.subscribe("shared", "file:///a", heard);
    await vi.advanceTimersByTimeAsync(60_000);
    const statuses = [manager, ann, bob].map((user) => user.servers()[0]?.status);
    expect(statuses).toEqual(["ready", "ready", "idle"]);
    const session = only(of("shared"));
    session.notify(updated("file:///a"));
    await vi.advanceTimersByTimeAsync(500);
    expect(heard).toHaveBeenCalledOnce();
    await subscription.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(session.closed).toBe(true);
  });

  it("leaves an idle shared session closed until a user calls again", async () => {
    const { manager, of } = idlingRuntime();
    await using _ = manager;
    await manager.start();
    const [ann, bob] = await Promise.all([userOf(manager, "ann"), userOf(manager, "bob")]);
    const statuses = () => [manager, ann, bob].map((user) => user.servers()[0]?.status);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(statuses()).toEqual(["idle", "idle", "idle"]);
    expect(of("shared")).toHaveLength(1);
    await ann.callTool({ server: "shared", tool: "echo" });
    expect(statuses()).toEqual(["ready", "ready", "idle"]);
    expect(of("shared").map(({ requests }) => requests.length)).toEqual([0, 1]);
  });

  it("answers a user's call on the next session while the lender's idle one is still closing", async () => {
    const { manager, of } = idlingRuntime();
    await using _ = manager;
    await manager.start();
    const idle = only(of("shared"));
    const closing = Promise.withResolvers<void>();
    const close = idle.close.bind(idle);
    idle.close = () => closing.promise.then(close); // A real session reports its end only once its process has ended.
    await vi.advanceTimersByTimeAsync(500);
    const ann = await userOf(manager, "ann"); // Her own session is idle later than the one she borrows.
    await vi.advanceTimersByTimeAsync(600);
    expect([manager, ann].map((user) => user.servers()[0]?.status)).toEqual(["idle", "ready"]);
    const call = ann.callTool({ server: "shared", tool: "echo" });
    await vi.advanceTimersByTimeAsync(0);
    closing.resolve();
    await expect(call).resolves.toBeDefined();
    expect(of("shared").map(({ requests }) => requests.length)).toEqual([0, 1]);
  });

  it("opens ten sessions for a thousand users of ten shared servers", async () => {
    const servers = Array.from({ length: 10 }, (_, at) => ({ ...stdioDefinition(`s${at}`), shared: true }));
    const { manager, opened } = runtime(servers);
    await using _ = manager;
    await manager.start();
    const names = Array.from({ length: 1_000 }, (_, at) => `user-${at}`);
    const users = await Promise.all(names.map((name) => userOf(manager, name)));
    const before = opened[3]?.session.listed.length ?? 0;
    opened[3]?.session.notify({ method: "notifications/tools/list_changed" });
    await vi.waitFor(() => expect(opened[3]?.session.listed.length).toBeGreaterThan(before));
    expect(opened[3]?.session.listed.length).toBeLessThan(before + 20); // One for the lender, one for all users.
    await Promise.all(users.map((user) => user.callTool("mcp__s3__echo")));
    expect(opened).toHaveLength(10);
    expect(opened[3]?.session.requests).toHaveLength(1_000);
    expect(users.every((user) => user.tools().length === 10)).toBe(true);
  });

  it("keeps separate catalog entries per user, but a single one for a shared server", async () => {
    const cache = createFakeToolCache();
    const { manager } = runtime([own, shared], { cache });
    await manager.start();
    await userOf(manager, "ann");
    await userOf(manager, "bob");
    await manager.close();
    expect([...cache.entries.values()].map(({ server }) => server).sort()).toEqual([
      "own",
      "own",
      "own",
      "shared",
    ]);
  });

  it("keeps a shared subscription until the last user ends it", async () => {
    const { manager, of } = runtime([shared], { limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    await manager.start();
    const [ann, bob] = [await userOf(manager, "ann"), await userOf(manager, "bob")];
    const heard = { ann: vi.fn(), bob: vi.fn() };
    const first = await ann.subscribe("shared", "a:1", heard.ann);
    await bob.subscribe("shared", "a:1", heard.bob);
    const [session] = of("shared");
    session?.notify(updated("a:1"));
    await first.close();
    session?.notify(updated("a:1"));
    expect(heard.ann).toHaveBeenCalledOnce();
    expect(heard.bob).toHaveBeenCalledTimes(2);
    expect(session?.requests.map(({ method }) => method)).toEqual(["resources/subscribe"]);
    await bob.close();
    await vi.waitFor(() => expect(session?.requests.at(-1)?.method).toBe("resources/unsubscribe"));
  });

  it("gives all users the new session when the shared one is lost, and resubscribes", async () => {
    const { manager, of, opened } = runtime([shared], {
      retry: { initialDelayMs: 0, jitter: "none" },
      limits: { resourceUpdateQuietMs: 0 },
    });
    await using _ = manager;
    await manager.start();
    const users = await Promise.all(["ann", "bob"].map((name) => userOf(manager, name)));
    const heard = vi.fn();
    await users[0]?.subscribe("shared", "a:1", heard);
    of("shared")[0]?.lose(new McpError("MCP_SESSION_LOST", "Gone."));
    await vi.waitFor(() =>
      expect(users.map((user) => user.servers()[0]?.status)).toEqual(["ready", "ready"]),
    );
    await Promise.all(users.map((user) => user.callTool("mcp__shared__echo")));
    expect(opened).toHaveLength(2);
    await vi.waitFor(() => expect(of("shared")[1]?.requests[0]?.method).toBe("resources/subscribe"));
    of("shared")[1]?.notify(updated("a:1"));
    expect(heard).toHaveBeenCalledOnce();
  });

  it("unsubscribes on the new session if a subscription from the lost one is closed", async () => {
    const retry = { initialDelayMs: 0, jitter: "none" } as const;
    const { manager, of } = runtime([shared], { retry });
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const subscription = await ann.subscribe("shared", "a:1", () => {});
    of("shared")[0]?.lose(new McpError("MCP_SESSION_LOST", "Gone."));
    const asked = () => of("shared")[1]?.requests.map(({ method }) => method);
    await vi.waitFor(() => expect(asked()).toEqual(["resources/subscribe"]));
    await vi.waitFor(() => expect(ann.servers()).toMatchObject([{ status: "ready" }]));
    await subscription.close();
    await vi.waitFor(() => expect(asked()).toEqual(["resources/subscribe", "resources/unsubscribe"]));
  });

  it("restores subscriptions when a reload replaces the shared server", async () => {
    const { manager, of } = runtime([shared], { limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const heard = vi.fn();
    const subscription = await ann.subscribe("shared", "a:1", heard);
    await manager.reload([{ ...shared, args: ["--new"] }]);
    const asked = () => of("shared")[1]?.requests.map(({ method }) => method);
    await vi.waitFor(() => expect(ann.servers()).toMatchObject([{ status: "ready" }]));
    await vi.waitFor(() => expect(asked()).toContain("resources/subscribe"));
    of("shared")[1]?.notify(updated("a:1"));
    expect(heard).toHaveBeenCalledOnce();
    await subscription.close();
    await vi.waitFor(() => expect(asked()?.at(-1)).toBe("resources/unsubscribe"));
  });

  it("closes only the sessions of the user that is closed", async () => {
    const { manager, of } = runtime([own, shared]);
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const bob = await userOf(manager, "bob");
    await ann.close();
    expect(of("own", "ann")[0]?.closed).toBe(true);
    expect(of("own", "bob")[0]?.closed).toBe(false);
    expect(of("shared")[0]?.closed).toBe(false);
    await expect(ann.callTool("mcp__own__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await bob.callTool("mcp__shared__echo");
    await ann.start(); // The user is started again.
    await ann.callTool("mcp__own__echo");
    expect(of("own", "ann")).toHaveLength(2);
  });

  it("applies a reload to every user", async () => {
    const { manager, of } = runtime([own]);
    await using _ = manager;
    await manager.start();
    const ann = await userOf(manager, "ann");
    const gone = await userOf(manager, "bob");
    await gone.close();
    await manager.reload([shared]);
    expect(ann.servers().map(({ name, status }) => `${name} ${status}`)).toEqual(["shared ready"]);
    expect(of("own", "ann")[0]?.closed).toBe(true);
    expect(of("shared")).toHaveLength(1);
  });

  it("closes every session on close(), and refuses old and new users afterwards", async () => {
    const { manager, opened } = runtime([own, shared]);
    await manager.start();
    const ann = await userOf(manager, "ann");
    await manager.close();
    expect(opened.every(({ session }) => session.closed)).toBe(true);
    await expect(ann.callTool("mcp__own__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await expect(ann.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    expect(() => manager.forPrincipal("bob")).toThrow(expect.objectContaining({ code: "MCP_CLOSED" }));
  });
});
