import type { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";
import { count, ECHO, never, open } from "./remote.ts";

describe("a session that the server has forgotten", () => {
  test.each(["json", "sse"] as const)(
    "[R20] is renewed once for 50 callers, and each call runs once: %s",
    async (answer) => {
      const { remote, session } = await open({ answer });
      const onRenewed = vi.fn();
      session.onRenewed(onRenewed);
      const before = count(remote, "initialize");
      remote.forgetSessions();
      const nonces = Array.from({ length: 50 }, (_, index) => `call ${index}`);
      const call = (nonce: string) => session.request("tools/call", { name: "echo", arguments: { nonce } });
      await Promise.all(nonces.map(call));
      expect(count(remote, "initialize")).toBe(before + 1);
      expect(nonces.map((nonce) => remote.timesCarriedOut(nonce))).toEqual(nonces.map(() => 1));
      expect(onRenewed).toHaveBeenCalledTimes(1);
      expect(remote.violations).toEqual([]);
    },
  );

  const json = { "content-type": "application/json" };
  const refusal = (code: number, message: string, id: string | null = null) =>
    JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });

  // The words of servers made after the official examples, in TypeScript and Python, and of fastmcp.
  test.each([
    [400, refusal(-32_000, "Bad Request: No valid session ID provided")],
    [400, refusal(-32_600, "Bad Request: Invalid or missing session ID")],
    [400, refusal(-32_000, "Bad Request: Server not initialized")],
    [404, refusal(-32_001, "Session not found")],
    [503, refusal(-32_000, "Unknown session")],
    [200, refusal(-32_001, "Session not found")],
    [200, refusal(-32_600, "Invalid session")],
    [200, refusal(-32_000, "Bad Request: session ID not found")],
  ])("is renewed for all callers if the server says so with HTTP %d and %s", async (status, body) => {
    const { remote, session } = await open({ unknownSession: { status, headers: json, body } });
    await remote.until(() => remote.streams.length === 1);
    remote.forgetSessions();
    const nonces = ["a", "b", "c"];
    const calls = nonces.map((nonce) =>
      session.request("tools/call", { name: "echo", arguments: { nonce } }),
    );
    expect(await Promise.all(calls)).toHaveLength(3);
    expect(count(remote, "initialize")).toBe(2);
    expect(nonces.map((nonce) => remote.timesCarriedOut(nonce))).toEqual([1, 1, 1]);
  });

  test("[R24] is begun anew when the host says so; a session that is closed before that is not", async () => {
    const turns: PromiseWithResolvers<void>[] = [];
    const beforeRenewal = (signal: AbortSignal) => {
      const turn = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => turn.reject(signal.reason));
      turns.push(turn);
      return turn.promise;
    };
    const { remote, session } = await open({}, { beforeRenewal });
    remote.forgetSessions();
    const call = session.request("tools/call", ECHO);
    await vi.waitFor(() => expect(turns).toHaveLength(1));
    expect(count(remote, "initialize")).toBe(1);
    turns[0]?.resolve();
    expect((await call).content).toHaveLength(1);
    expect(count(remote, "initialize")).toBe(2);
    remote.forgetSessions();
    const closed = failureOf(session.request("tools/call", ECHO));
    await vi.waitFor(() => expect(turns).toHaveLength(2));
    await session.close();
    expect(await closed).toMatchObject({ code: "MCP_CLOSED" });
    expect(count(remote, "initialize")).toBe(2);
  });

  test("is not what a 400 about another matter means, nor one that a new session gets as well", async () => {
    const { remote, session } = await open();
    const answering = (message: string) =>
      remote.setScript({
        on: { "tools/call": { reply: { status: 400, headers: json, body: refusal(-32_000, message) } } },
      });
    answering("Bad Request: odd arguments");
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({
      code: "MCP_TOOL_REJECTED",
      rpcCode: -32_000,
      httpStatus: 400,
    });
    expect(count(remote, "initialize")).toBe(1);
    answering("You have no session with the bank.");
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({
      code: "MCP_TOOL_REJECTED",
      message: expect.stringContaining("with the bank"),
    });
    expect(count(remote, "initialize")).toBe(2);
    remote.setScript({});
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("[R20] is detected and renewed by the server's GET stream, without a call", async () => {
    const { remote, session } = await open();
    await remote.until(() => remote.streams.length === 1);
    const renewed = new Promise<void>((resolve) => session.onRenewed(resolve));
    remote.forgetSessions();
    await renewed;
    await remote.until(() => remote.streams.length === 2);
    expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
  });

  test("is renewed again if it is forgotten again", async () => {
    const { remote, session } = await open();
    for (const round of [1, 2]) {
      remote.forgetSessions();
      await session.request("tools/call", ECHO);
      expect(count(remote, "initialize")).toBe(round + 1);
    }
  });

  test("ends if it cannot be renewed, and the call is rejected", async () => {
    const { remote, session } = await open();
    const ended = new Promise((resolve) => session.onClose(resolve));
    remote.loseSessions();
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({
      code: "MCP_SESSION_LOST",
      outcome: "rejected",
      httpStatus: 404,
      tool: "echo",
      message: expect.not.stringContaining("another server"),
    });
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST" });
    expect(remote.calls).toEqual([]);
  });

  test.each(["json", "sse"] as const)(
    "fails 50 waiting calls as not-sent if it cannot be renewed: %s",
    async (answer) => {
      const { remote, session } = await open({ answer });
      const onClose = vi.fn();
      session.onClose(onClose);
      remote.setScript({ answer, on: { initialize: { lateMs: 100, reply: { status: 500 } } } });
      const before = remote.requests.length;
      remote.forgetSessions();
      const first = failureOf(session.request("tools/call", ECHO));
      await remote.until(() => count(remote, "initialize") === 2);
      const onSettled = vi.fn();
      const waiting = Array.from({ length: 50 }, () =>
        failureOf(session.request("tools/call", ECHO)).finally(onSettled),
      );
      expect(await first).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "rejected", httpStatus: 404 });
      for (const error of await Promise.all(waiting))
        expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent", tool: "echo" });
      expect(onSettled).toHaveBeenCalledTimes(50);
      const sent = remote.requests.slice(before).filter(({ body }) => body?.method === "tools/call");
      expect(sent).toHaveLength(1);
      expect(count(remote, "initialize")).toBe(2);
      expect(remote.calls).toEqual([]);
      await vi.waitUntil(() => onClose.mock.calls.length > 0);
      expect(onClose).toHaveBeenCalledTimes(1);
    },
  );

  test("does not run calls that are aborted during its renewal", async () => {
    const { remote, session } = await open({ on: { initialize: { skip: 1, hang: true } } });
    const controller = new AbortController();
    const call = () => failureOf(session.request("tools/call", ECHO, { signal: controller.signal }));
    remote.forgetSessions();
    const refused = call();
    await remote.until(() => count(remote, "initialize") === 2);
    const waiting = call();
    controller.abort();
    for (const error of [await refused, await waiting])
      expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    expect(remote.calls).toEqual([]);
    expect(count(remote, "notifications/cancelled")).toBe(0);
  });

  const ONE = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: "remote", version: "1.0.0" },
    instructions: "Read, and never delete.",
  };

  /** Starts a server that forgets its session at the first call, and then answers `initialize` with another result. */
  const startChanging = async (first: object, next: object) => {
    let begun = 0;
    const server = await startHttpServer(({ message, status, answer }) => {
      if (message?.method === "tools/call" && begun === 1) status(404);
      else if (message?.method === "initialize") {
        begun += 1;
        answer(begun === 1 ? first : next, { "mcp-session-id": `session-${begun}` });
      } else return undefined;
      return true;
    });
    return { server, begun: () => begun };
  };

  test.each([
    ["protocol version", { protocolVersion: "2025-06-18" }, "protocol version"],
    ["capabilities", { capabilities: { tools: {} } }, "capabilities"],
    ["name", { serverInfo: { name: "other", version: "1.0.0" } }, "name or version (serverInfo)"],
    ["version", { serverInfo: { name: "remote", version: "2.0.0" } }, "name or version (serverInfo)"],
    [
      "title",
      { serverInfo: { name: "remote", version: "1.0.0", title: "Remote" } },
      "name or version (serverInfo)",
    ],
    [
      "name and capabilities",
      { serverInfo: { name: "other", version: "1.0.0" }, capabilities: {} },
      "name or version (serverInfo), capabilities",
    ],
  ])(
    "[T78] ends if another server answers the renewal, and the error names the different %s",
    async (_, change, said) => {
      const { server, begun } = await startChanging(ONE, { ...ONE, ...change });
      const session = await connect(server);
      const ended = new Promise((resolve) => session.onClose(resolve));
      const error = await failureOf(session.request("tools/call", ECHO));
      const message = expect.stringContaining(`another server answers in its place (different: ${said})`);
      expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "rejected", message });
      expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST", message });
      expect(begun()).toBe(2);
      expect(server.log.filter(({ what }) => what === "POST tools/call")).toHaveLength(1);
    },
  );

  test("[T78] ends if its stream finds another server, which gets no call", async () => {
    let begun = 0;
    let streams = 0;
    const asked = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<ServerResponse>();
    const server = await startHttpServer(({ request, response, message, status, answer }) => {
      if (message?.method === "initialize") {
        begun += 1;
        if (begun === 2) asked.resolve();
        const serverInfo = { name: begun === 1 ? "remote" : "other", version: "1.0.0" };
        answer({ ...ONE, serverInfo }, { "mcp-session-id": `session-${begun}` });
        return true;
      }
      if (request.method === "GET") streams += 1;
      if (request.method === "GET" && streams === 1) {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 10\n\n");
        opened.resolve(response);
        return true;
      }
      if (streams < 2 || request.headers["mcp-session-id"] !== "session-1") return undefined;
      status(404);
      return true;
    });
    const session = await connect(server);
    const ended = new Promise<unknown>((resolve) => session.onClose(resolve));
    (await opened.promise).end();
    await asked.promise;
    // The first call may still meet the running renewal, and is then not sent.
    const call = () => failureOf(session.request("tools/call", ECHO));
    expect(await call()).toMatchObject({ code: "MCP_SESSION_LOST" });
    expect(await call()).toMatchObject({ code: "MCP_SESSION_LOST" });
    expect(await ended).toMatchObject({ message: expect.stringContaining("another server answers") });
    const calls = server.log.filter(({ what }) => what === "POST tools/call");
    expect(calls.map(({ headers }) => headers["mcp-session-id"])).toEqual(["session-1"]);
  });

  test.each([
    ["different", "Read. It is now 12:00:01."],
    ["missing", undefined],
  ])("is renewed and keeps its handshake if the server's instructions are %s", async (_, instructions) => {
    const { server, begun } = await startChanging(ONE, { ...ONE, instructions });
    const session = await connect(server);
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(begun()).toBe(2);
    expect(session.handshake.instructions).toBe(ONE.instructions);
  });

  test("is renewed if the server's handshake differs only in its key order", async () => {
    const { server, begun } = await startChanging(
      {
        ...ONE,
        capabilities: { tools: { listChanged: true, "x-more": { a: 1, b: [2] } }, prompts: {} },
      },
      {
        instructions: ONE.instructions,
        serverInfo: { version: "1.0.0", name: "remote" },
        capabilities: { prompts: {}, tools: { "x-more": { b: [2], a: 1 }, listChanged: true } },
        protocolVersion: ONE.protocolVersion,
      },
    );
    expect((await (await connect(server)).request("tools/call", ECHO)).content).toHaveLength(1);
    expect(begun()).toBe(2);
  });

  test.each(["before", "after"])(
    "is renewed if the server sends a notification %s its answer in the same chunk",
    async (where) => {
      let begun = 0;
      const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hi" } };
      const server = await startHttpServer(({ message, status, answer }) => {
        if (message?.method === "tools/call" && begun === 1) status(404);
        else if (message?.method === "initialize" && ++begun === 1)
          answer(ONE, { "mcp-session-id": "session-1" });
        else if (message?.method === "initialize") {
          const result = { jsonrpc: "2.0", id: message.id, result: ONE };
          const messages = where === "before" ? [note, result] : [result, note];
          const body = messages.map((sent) => `data: ${JSON.stringify(sent)}\n\n`).join("");
          status(200, { "content-type": "text/event-stream", "mcp-session-id": "session-2" }, body);
        } else return undefined;
        return true;
      });
      const session = await connect(server);
      expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
      expect(begun).toBe(2);
    },
  );

  test("ends after one renewal if it is forgotten again at once", async () => {
    const server = await startHttpServer(on("tools/call", ({ status }) => status(404)));
    const error = await failureOf((await connect(server)).request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "rejected" });
    expect(server.log.filter(({ what }) => what === "POST initialize")).toHaveLength(2);
  });

  test("calls the other onRenewed listeners if one throws, but not a removed one", async () => {
    const { remote, session } = await open();
    const heard: string[] = [];
    session.onRenewed(() => {
      throw new Error("A listener that throws.");
    });
    session.onRenewed(() => heard.push("kept"));
    session.onRenewed(() => heard.push("taken back"))();
    remote.forgetSessions();
    await session.request("tools/call", ECHO);
    expect(heard).toEqual(["kept"]);
  });
});

describe("a session id", () => {
  test.each(["with space", "x".repeat(2000)])(
    "[T47] that is invalid fails the connection: %j",
    async (sessionId) => {
      const error = await failureOf(open({ sessionId }));
      expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
      expect(error.message).not.toContain(sessionId);
    },
  );

  test("[T47] is taken only from the answer to initialize", async () => {
    const { remote, session } = await open({ sessionIdChanges: true });
    await session.request("tools/call", ECHO);
    await session.request("tools/call", ECHO);
    const ids = remote.requests.map(({ headers }) => headers["mcp-session-id"]).filter(Boolean);
    expect(new Set(ids).size).toBe(1);
  });
});
