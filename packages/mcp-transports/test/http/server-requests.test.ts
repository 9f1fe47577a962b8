import { describe, expect, test, vi } from "vitest";
import { connect } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";
import { count, ECHO, open } from "./remote.ts";

const TEXT = [{ type: "text", text: JSON.stringify(ECHO.arguments) }];

/** The client's answers to server requests. */
const answersOf = ({ requests }: Awaited<ReturnType<typeof open>>["remote"]) =>
  requests.flatMap(({ body }) => (body && body.method === undefined && body.id !== undefined ? [body] : []));

const WAYS = ["json", "sse", "legacy-sse"] as const;

describe.each(WAYS)("a server request during a call (%s)", (answer) => {
  const asking = (method: string, params?: Record<string, unknown>, more: object = {}) => ({
    answer,
    on: { "tools/call": { ask: { method, waits: true, ...(params && { params }), ...more } } },
  });

  test("[N14] for a ping gets an empty result", async () => {
    const { remote, session } = await open(asking("ping"));
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(answersOf(remote).map(({ result }) => result)).toEqual([{}]);
  });

  test.each(["roots/list", "sampling/createMessage", "elicitation/create", "made/up"])(
    "[N16] %s without a handler gets -32601, and no capability is announced for it",
    async (method) => {
      const { remote, session } = await open(asking(method, { messages: [], maxTokens: 1, message: "?" }));
      await session.request("tools/call", ECHO);
      expect(answersOf(remote)).toMatchObject([{ error: { code: -32601 } }]);
      const initialize = remote.requests.find(({ body }) => body?.method === "initialize");
      expect(initialize?.body?.params?.capabilities).toEqual({});
    },
  );

  test("for elicitation is answered by the host's handler", async () => {
    const elicit = vi.fn(async () => ({ action: "accept" as const, content: { name: "Ada" } }));
    const params = {
      mode: "form",
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    };
    const { remote, session } = await open(asking("elicitation/create", params), { handlers: { elicit } });
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toMatchObject([{ result: { action: "accept", content: { name: "Ada" } } }]);
    expect(elicit).toHaveBeenCalledWith(
      expect.objectContaining({ mode: "form", message: "Who are you?" }),
      expect.objectContaining({ server: "remote" }),
    );
  });

  test("for roots is answered with the host's roots", async () => {
    const roots = [{ uri: "file:///work", name: "work" }, { uri: "file:///tmp" }];
    const { remote, session } = await open(asking("roots/list"), { handlers: { roots: async () => roots } });
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toMatchObject([{ result: { roots } }]);
  });

  test("for sampling is answered by the host's handler", async () => {
    const result = { role: "assistant", model: "m", content: { type: "text", text: "hello" } };
    const sample = vi.fn(async () => result);
    const params = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 };
    const { remote, session } = await open(asking("sampling/createMessage", params), {
      handlers: { sample },
    });
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toMatchObject([{ result }]);
    expect(sample).toHaveBeenCalledWith(
      expect.objectContaining(params),
      expect.objectContaining({ server: "remote" }),
    );
  });

  test("gets -32603 without the reason when the host's handler throws", async () => {
    const roots = async () => {
      throw new Error("the disk with /home/ada is gone");
    };
    const { remote, session } = await open(asking("roots/list"), { handlers: { roots } });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(answersOf(remote)).toMatchObject([{ error: { code: -32603 } }]);
    expect(JSON.stringify(answersOf(remote))).not.toContain("ada");
  });

  test("for URL elicitation is answered by the host's handler", async () => {
    const elicit = vi.fn(async () => ({ action: "decline" as const }));
    const params = { mode: "url", message: "Sign in", url: "https://example.test/", elicitationId: "e1" };
    const { remote, session } = await open(asking("elicitation/create", params), { handlers: { elicit } });
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toMatchObject([{ result: { action: "decline" } }]);
    expect(elicit).toHaveBeenCalledWith(
      expect.objectContaining({ mode: "url", url: "https://example.test/" }),
      expect.anything(),
    );
  });

  test("[N17] with the id of the pending call does not resolve that call", async () => {
    const { remote, session } = await open(asking("ping", undefined, { id: "pending" }));
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(answersOf(remote).map(({ result }) => result)).toEqual([{}]);
  });

  test("[N18] with id 0 is answered", async () => {
    const { remote, session } = await open(asking("ping", undefined, { id: 0 }));
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toEqual([{ jsonrpc: "2.0", id: 0, result: {} }]);
  });

  test("[N19] whose answer cannot be delivered does not affect the call", async () => {
    const { remote, session } = await open({
      answer,
      on: {
        "tools/call": { ask: { method: "ping" } },
        POST: { skip: answer === "legacy-sse" ? 2 : 3, drop: "arrival", times: 1 },
      },
    });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(count(remote, "tools/call")).toBe(1);
  });
});

describe.each(WAYS)("the log messages of a server (%s)", (answer) => {
  const line = { level: "warning", logger: "disk", data: { free: "2 %" } };
  const note = { method: "notifications/message", params: line };

  test("reach notification listeners without any handler", async () => {
    const { remote, session } = await open({ answer });
    const heard = new Promise((resolve) => session.onNotification(resolve));
    await remote.until(() => count(remote, "GET") === 1);
    remote.notify(note);
    expect(await heard).toEqual(note);
  });

  test("are requested by level with logging/setLevel", async () => {
    const { remote, session } = await open({ answer });
    expect(await session.request("logging/setLevel", { level: "error" })).toEqual({});
    const asked = remote.requests.find(({ body }) => body?.method === "logging/setLevel");
    expect(asked?.body?.params).toMatchObject({ level: "error" });
  });
});

test("a log message before the answer on the same stream is delivered before the answer", async () => {
  const note = { method: "notifications/message", params: { level: "info", data: "half way" } };
  const server = await startHttpServer(
    on("tools/call", ({ response, message }) => {
      const events = [
        { jsonrpc: "2.0", ...note },
        { jsonrpc: "2.0", id: message.id, result: { content: [] } },
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    }),
  );
  const session = await connect(server);
  const heard: unknown[] = [];
  session.onNotification((notification) => heard.push(notification));
  await session.request("tools/call", ECHO);
  expect(heard).toEqual([note]);
});
