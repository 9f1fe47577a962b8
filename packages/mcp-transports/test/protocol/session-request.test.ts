import { describe, expect, test } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { received, scriptedServer } from "../scripted-server.ts";

const CALL = { name: "echo", arguments: { a: 1 } };

describe.concurrent("an answer", () => {
  test("is returned as the server sent it", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/call") return undefined;
      const content = [{ type: "text", text: "hi", "x-mark": 1 }];
      answer({ content, structuredContent: { n: 1 }, isError: true, _meta: { k: "v" }, "x-more": true });
      return true;
    });
    expect(await (await connect(server)).request("tools/call", CALL)).toEqual({
      content: [{ type: "text", text: "hi", "x-mark": 1 }],
      structuredContent: { n: 1 },
      isError: true,
      _meta: { k: "v" },
      "x-more": true,
    });
  });

  test("without content gets an empty content", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/call") return undefined;
      answer({ structuredContent: { n: 1 } });
      return true;
    });
    const result = await (await connect(server)).request("tools/call", CALL);
    expect(result).toEqual({ content: [], structuredContent: { n: 1 } });
  });

  test.each<[string, object, object]>([
    ["a text in place of blocks", { content: "text" }, { content: [{ type: "text", text: "text" }] }],
    [
      "one block in place of a list",
      { content: { type: "text", text: "a" } },
      { content: [{ type: "text", text: "a" }] },
    ],
    [
      "a block that is a text",
      { content: ["a", 1] },
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "1" },
        ],
      },
    ],
    [
      "blocks of an unknown kind, without their parts or with null for them",
      {
        content: [
          { type: "hologram" },
          { type: "image" },
          { type: "text", text: "a", annotations: null, _meta: null },
        ],
      },
      {
        content: [
          { type: "hologram" },
          { type: "image" },
          { type: "text", text: "a", annotations: null, _meta: null },
        ],
      },
    ],
    [
      "null, or nonsense, for what is optional",
      { content: [], structuredContent: null, isError: null, _meta: 5 },
      { content: [] },
    ],
  ])("of a finished call is never thrown away: %s", async (_, said, read) => {
    const server = scriptedServer(
      (message, { answer, process }) => {
        if (message.method !== "tools/call") return undefined;
        answer(JSON.parse(process.env.SAID ?? ""));
        return true;
      },
      { env: { SAID: JSON.stringify(said) } },
    );
    expect(await (await connect(server)).request("tools/call", CALL)).toEqual(read);
  });

  test("is not validated against the tool's outputSchema", async () => {
    const pattern = "^(a+)+$";
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/call") return undefined;
      answer({ content: [], structuredContent: { s: `${"a".repeat(40)}!` } });
      return true;
    });
    const tool = {
      name: "echo",
      inputSchema: { type: "object" as const },
      outputSchema: { type: "object", properties: { s: { type: "string", pattern } } },
    };
    const result = await (await connect(server)).request("tools/call", CALL, { tool });
    expect(result.structuredContent).toBeDefined();
  });

  test("the caller's `_meta` is sent with the call", async () => {
    const server = scriptedServer();
    await (await connect(server)).request("tools/call", CALL, { meta: { trace: "t1" } });
    const call = server.received().find(({ method }) => method === "tools/call");
    expect(call?.params._meta).toMatchObject({ trace: "t1", progressToken: call?.id });
  });

  test.each(["ping", "logging/setLevel"] as const)("to %s is returned like any other", async (method) => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "logging/setLevel") return undefined;
      answer({});
      return true;
    });
    const session = await connect(server);
    const params = method === "ping" ? undefined : { level: "info" };
    expect(await session.request(method, params as never)).toEqual({});
  });
});

describe.concurrent("a refusal", () => {
  const refusing = () =>
    scriptedServer(
      (message, { refuse }) => {
        if (message.method !== "tools/call" && message.method !== "resources/read") return undefined;
        refuse(404, "no such thing as key-123456");
        return true;
      },
      { secrets: ["key-123456"] },
    );

  test("[H18] of a tool call reports code 404 as rpcCode, not as httpStatus", async () => {
    const error = await failureOf((await connect(refusing())).request("tools/call", CALL));
    expect(error).toMatchObject({
      code: "MCP_TOOL_REJECTED",
      rpcCode: 404,
      httpStatus: undefined,
      outcome: "unknown",
      tool: "echo",
      server: "scripted",
      phase: "call",
    });
  });

  test("of another request is MCP_REQUEST_REJECTED and names no tool", async () => {
    const error = await failureOf((await connect(refusing())).request("resources/read", { uri: "a:b" }));
    expect(error).toMatchObject({
      code: "MCP_REQUEST_REJECTED",
      rpcCode: 404,
      outcome: "unknown",
      tool: undefined,
    });
  });

  test("[X19] contains no secret, neither in the message nor when inspected", async () => {
    const { inspect } = await import("node:util");
    const error = await failureOf((await connect(refusing())).request("tools/call", CALL));
    expect(error.message).toContain("no such thing as [redacted]");
    expect(inspect(error, { depth: 10 })).not.toContain("key-123456");
  });

  test("comes without sending if the server's era lacks the method", async () => {
    const server = scriptedServer(undefined, { isModern: true, capabilities: { tools: {} } });
    const error = await failureOf((await connect(server)).request("ping", undefined));
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", outcome: "not-sent" });
  });
});

describe.concurrent("deadlines", () => {
  const silent = () => scriptedServer((message) => message.method === "tools/call");

  test("an unanswered call times out with an unknown outcome and is cancelled", async () => {
    const server = silent();
    const error = await failureOf((await connect(server)).request("tools/call", CALL, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown", tool: "echo" });
    expect(error.message).toContain("within 50 ms without progress");
    const call = server.received().find(({ method }) => method === "tools/call");
    expect((await received(server, "notifications/cancelled"))?.params.requestId).toBe(call?.id);
  });

  test("the server's callTimeoutMs applies if the request sets no limit", async () => {
    const server = scriptedServer((message) => message.method === "tools/call", {
      limits: { callTimeoutMs: 60 },
    });
    const error = await failureOf((await connect(server)).request("tools/call", CALL));
    expect(error.message).toContain("within 60 ms");
  });

  test("progress that increases keeps a request alive beyond its deadline", async () => {
    const server = scriptedServer((message, { send, answer }) => {
      if (message.method !== "tools/call") return undefined;
      let progress = 0;
      const timer = setInterval(() => {
        progress += 1;
        const { progressToken } = message.params._meta;
        send({ method: "notifications/progress", params: { progressToken, progress, total: 8 } });
        if (progress < 8) return;
        clearInterval(timer);
        answer({ content: [] });
      }, 100);
      return true;
    });
    const seen: number[] = [];
    const result = (await connect(server)).request("tools/call", CALL, {
      timeoutMs: 600,
      maxTotalMs: 0,
      onProgress({ progress }) {
        seen.push(progress);
        throw new Error("a listener's own fault");
      },
    });
    expect(await result).toEqual({ content: [] });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("progress that does not increase lets the call time out", async () => {
    const server = scriptedServer((message, { send }) => {
      if (message.method !== "tools/call") return undefined;
      const { progressToken } = message.params._meta;
      setInterval(
        () => send({ method: "notifications/progress", params: { progressToken, progress: 1 } }),
        20,
      );
      return true;
    });
    const error = await failureOf((await connect(server)).request("tools/call", CALL, { timeoutMs: 200 }));
    expect(error.code).toBe("MCP_CALL_TIMEOUT");
  });

  test("the total deadline holds despite progress", async () => {
    const server = scriptedServer((message, { send }) => {
      if (message.method !== "tools/call") return undefined;
      const { progressToken } = message.params._meta;
      let progress = 0;
      setInterval(() => {
        progress += 1;
        send({ method: "notifications/progress", params: { progressToken, progress } });
      }, 20);
      return true;
    });
    const options = { timeoutMs: 0, maxTotalMs: 200 };
    const error = await failureOf((await connect(server)).request("tools/call", CALL, options));
    expect(error.message).toContain("within 200 ms in total");
  });
});

describe.concurrent("aborting a call", () => {
  test("fails the call at once and sends notifications/cancelled", async () => {
    const server = scriptedServer((message) => message.method === "tools/call");
    const session = await connect(server);
    const controller = new AbortController();
    const failing = failureOf(session.request("tools/call", CALL, { signal: controller.signal }));
    await received(server, "tools/call");
    controller.abort(new Error("never mind"));
    expect(await failing).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown", tool: "echo" });
    expect(await received(server, "notifications/cancelled")).toBeDefined();
    expect(await session.request("ping", undefined)).toEqual({});
  });

  test("before it is sent sends nothing", async () => {
    const server = scriptedServer();
    const session = await connect(server);
    const error = await failureOf(session.request("tools/call", CALL, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    await session.request("ping", undefined);
    expect(server.received().map(({ method }) => method)).not.toContain("tools/call");
  });

  test("an answer that comes after the deadline is ignored", async () => {
    const server = scriptedServer((message, { send }) => {
      const state = globalThis as { late?: unknown };
      if (message.method === "tools/call") state.late = message.id;
      // Answers the call only once it was given up.
      if (message.method === "notifications/cancelled") send({ id: state.late, result: { content: [] } });
      return message.method === "tools/call";
    });
    const session = await connect(server);
    await failureOf(session.request("tools/call", CALL, { timeoutMs: 10 }));
    expect((await session.list("tools", { signal: new AbortController().signal })).items).toHaveLength(1);
  });
});

describe.concurrent("when the server dies during a call", () => {
  const dying = () =>
    scriptedServer((message, { process }) => {
      if (message.method !== "tools/call" && message.method !== "resources/read") return undefined;
      process.stderr.write("out of memory\n");
      process.exit(137);
    });

  test("[H2] a tool call fails with an unknown outcome and the reason", async () => {
    const session = await connect(dying());
    const error = await failureOf(session.request("tools/call", CALL, { timeoutMs: 0, maxTotalMs: 0 }));
    expect(error).toMatchObject({
      code: "MCP_OUTCOME_UNKNOWN",
      outcome: "unknown",
      tool: "echo",
      stderr: "out of memory\n",
      cause: { code: "MCP_SERVER_EXITED" },
    });
    expect(error.message).toMatch(/may or may not have been carried out.*ended with code 137.*out of memory/);
  });

  test("another request fails with MCP_SESSION_LOST", async () => {
    const error = await failureOf((await connect(dying())).request("resources/read", { uri: "a:b" }));
    expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "unknown" });
  });

  test("a later call fails as not sent", async () => {
    const session = await connect(dying());
    await failureOf(session.request("tools/call", CALL));
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent" });
    expect(error.message).toContain("ended with code 137");
  });

  test("[X2] a message too large for the pipe fails if the server never reads it", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "ping") return undefined;
      process.stdin.pause();
      setTimeout(() => process.exit(5), 200);
      return true;
    });
    const session = await connect(server);
    const pinging = failureOf(session.request("ping", undefined));
    await received(server, "ping");
    const huge = { name: "echo", arguments: { text: "x".repeat(8_000_000) } };
    const error = await failureOf(session.request("tools/call", huge));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", cause: { code: "MCP_SERVER_EXITED" } });
    expect(await pinging).toMatchObject({ code: "MCP_SESSION_LOST" });
  });
});

describe("[H12] the deadline of a call", () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

  test("keeps the process alive while the call is pending, and no longer", async () => {
    const server = scriptedServer(() => undefined);
    const session = await connect(server);
    const idle = timers();
    const calling = session.request("tools/call", CALL, { timeoutMs: 60_000, maxTotalMs: 600_000 });
    expect(timers()).toBe(idle + 1);
    await calling;
    expect(timers()).toBe(idle);
  });
});
