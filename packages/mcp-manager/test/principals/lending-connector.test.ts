import { McpError, silentLogger } from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { lendingConnector } from "../../src/principals.ts";

const resolved = (name: string) => ({ ...stdioDefinition(name), env: {}, secrets: [] }) as never;
const options = { signal: new AbortController().signal, log: silentLogger };

/** Users of one lender, whose server is called `shared`. */
function lending(lent: FakeSession | Promise<FakeSession>) {
  const connect = vi.fn(async () => createFakeSession());
  const session = vi.fn(async () => Object.assign(await lent, { isIdle: false }));
  const stop = vi.fn(async () => {});
  const subscribe = vi.fn(async () => stop);
  const lender = { openSession: undefined, session, reportLoss: vi.fn(), context: { subscribe } };
  const connector = lendingConnector(connect, (name) => (name === "shared" ? lender : undefined));
  return { connect, session, subscribe, stop, connector };
}

const borrowFrom = (lent: FakeSession) => lending(lent).connector(resolved("shared"), options);

describe("a borrowed session", () => {
  it("sends its requests and listings over the lent session", async () => {
    const lent = createFakeSession({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
    const borrowed = await borrowFrom(lent);
    expect(borrowed.handshake).toBe(lent.handshake);
    expect((await borrowed.list("tools", options)).items).toHaveLength(1);
    await borrowed.request("tools/call", { name: "t" });
    expect(lent.requests).toHaveLength(1);
  });

  it("leaves the lent session open when it is closed, and rejects further requests", async () => {
    const lent = createFakeSession();
    const borrowed = await borrowFrom(lent);
    const heard = vi.fn();
    const closed = vi.fn();
    borrowed.onNotification(heard);
    borrowed.onClose(closed);
    await borrowed.close();
    await borrowed.close();
    lent.notify({ method: "notifications/message" });
    expect(closed).toHaveBeenCalledOnce();
    expect(heard).not.toHaveBeenCalled();
    expect(lent.closed).toBe(false);
    await expect(borrowed.request("ping", undefined)).rejects.toMatchObject({
      code: "MCP_CLOSED",
      outcome: "not-sent",
    });
    expect(lent.requests).toEqual([]);
  });

  it("is lost with the lent session, for the same cause", async () => {
    const lent = createFakeSession();
    const lost = vi.fn();
    const borrowed = await borrowFrom(lent);
    borrowed.onClose(lost);
    const cause = new McpError("MCP_SESSION_LOST", "Gone.");
    lent.lose(cause);
    void borrowed.close();
    expect(lost).toHaveBeenCalledExactlyOnceWith(cause);
  });
});

describe("lists of a shared session", () => {
  const never = { signal: new AbortController().signal };

  it("are requested once for all callers of one turn, and again for later callers", async () => {
    const session = createFakeSession({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
    const { list } = await borrowFrom(session);
    const [one, other] = await Promise.all([
      list("tools", never),
      list("tools", never),
      list("prompts", never),
    ]);
    expect(session.listed).toEqual(["tools", "prompts"]);
    expect(other).toBe(one);
    const release = session.holdLists();
    const early = list("tools", never);
    await Promise.resolve();
    const late = list("tools", never);
    release();
    await Promise.all([early, late]);
    expect(session.listed).toHaveLength(4);
  });

  it("continue when one caller aborts, and are aborted with the last", async () => {
    const session = createFakeSession();
    const { list } = await borrowFrom(session);
    const [one, other] = [new AbortController(), new AbortController()];
    const release = session.holdLists();
    const given = list("tools", { signal: one.signal }).catch((error: unknown) => error);
    const kept = list("tools", { signal: other.signal });
    one.abort(new Error("enough"));
    expect(await given).toMatchObject({ message: "enough" });
    release();
    expect((await kept).items).toEqual([]);
    session.holdLists();
    const ended = vi.spyOn(session, "list");
    const last = list("tools", { signal: other.signal }).catch(() => {});
    await Promise.resolve();
    other.abort(new Error("enough"));
    await last;
    expect(ended.mock.calls[0]?.[1].signal.aborted).toBe(true);
  });
});

describe("the lending connector", () => {
  it("opens no connection for a shared server, whatever the number of users", async () => {
    const lent = createFakeSession();
    const { connect, connector } = lending(lent);
    const borrowed = await Promise.all([1, 2, 3].map(() => connector(resolved("shared"), options)));
    await Promise.all(borrowed.map((session) => session.request("ping", undefined)));
    expect(connect).not.toHaveBeenCalled();
    expect(lent.requests).toHaveLength(3);
  });

  it("opens the user's own session for a server that is not shared", async () => {
    const { connect, session, connector } = lending(createFakeSession());
    await connector(resolved("own"), options);
    expect(connect).toHaveBeenCalledOnce();
    expect(session).not.toHaveBeenCalled();
  });

  it("rejects with the error that keeps the lender from connecting", async () => {
    const error = new McpError("MCP_CONNECT_FAILED", "No.");
    const { connector } = lending(Promise.reject(error));
    await expect(connector(resolved("shared"), options)).rejects.toBe(error);
  });

  it("subscribes and unsubscribes through the lender, not on the lent session", async () => {
    const lent = createFakeSession();
    const { subscribe, stop, connector } = lending(lent);
    const [one, other] = await Promise.all([1, 2].map(() => connector(resolved("shared"), options)));
    const uri = "file:///a";
    for (const session of [one, other]) await session?.request("resources/subscribe", { uri });
    expect(subscribe.mock.calls).toHaveLength(2);
    await one?.request("resources/unsubscribe", { uri });
    await one?.close();
    expect(stop).toHaveBeenCalledOnce();
    await other?.close();
    expect(stop).toHaveBeenCalledTimes(2);
    expect(lent.requests).toEqual([]);
  });
});
