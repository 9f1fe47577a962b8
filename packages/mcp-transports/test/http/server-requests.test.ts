import { describe, expect, test, vi } from "vitest";
import { count, ECHO, open } from "./remote.ts";

const TEXT = [{ type: "text", text: JSON.stringify(ECHO.arguments) }];

/** What the client has answered to the server's own requests. */
const answersOf = ({ requests }: Awaited<ReturnType<typeof open>>["remote"]) =>
  requests.flatMap(({ body }) => (body && body.method === undefined && body.id !== undefined ? [body] : []));

describe.each(["json", "sse"] as const)("a request of the server in the course of a call (%s)", (answer) => {
  const asking = (method: string, params?: Record<string, unknown>, more: object = {}) => ({
    answer,
    on: { "tools/call": { ask: { method, waits: true, ...(params && { params }), ...more } } },
  });

  test("[N14] a ping is answered with nothing but life", async () => {
    const { remote, session } = await open(asking("ping"));
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(answersOf(remote)).toMatchObject([{ result: {} }]);
  });

  test.each(["roots/list", "sampling/createMessage", "elicitation/create", "made/up"])(
    "[N16] %s without a handler is refused with -32601, and was not announced",
    async (method) => {
      const { remote, session } = await open(asking(method, { messages: [], maxTokens: 1, message: "?" }));
      await session.request("tools/call", ECHO);
      expect(answersOf(remote)).toMatchObject([{ error: { code: -32601 } }]);
      const initialize = remote.requests.find(({ body }) => body?.method === "initialize");
      expect(initialize?.body?.params?.capabilities).toEqual({});
    },
  );

  test("is answered by the host's handlers", async () => {
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

  test("may have the person open an address", async () => {
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

  test("[N17] with the id of the pending call is a request, and resolves no call", async () => {
    const { remote, session } = await open(asking("ping", undefined, { id: "pending" }));
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(answersOf(remote)).toMatchObject([{ result: {} }]);
  });

  test("[N18] with the id 0 is a request", async () => {
    const { remote, session } = await open(asking("ping", undefined, { id: 0 }));
    await session.request("tools/call", ECHO);
    expect(answersOf(remote)).toMatchObject([{ id: 0, result: {} }]);
  });

  test("[N19] whose answer nobody takes disturbs nothing", async () => {
    const { remote, session } = await open({
      answer,
      on: { "tools/call": { ask: { method: "ping" } }, POST: { skip: 3, drop: "arrival", times: 1 } },
    });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    expect(count(remote, "tools/call")).toBe(1);
  });
});
