import type { JsonObject } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import type { HttpFault } from "../../src/servers/http-fault-script.ts";
import type { RpcMessage } from "../../src/servers/rpc-message.ts";
import { collected, messagesOf, type RawHttp, startRawHttp } from "./raw-http.ts";

interface Line extends RawHttp {
  readonly session: Record<string, string>;
  /** The messages of the GET stream. */
  readonly fromGet: AsyncGenerator<RpcMessage>;
}

/** A session with an open GET stream. */
async function start(answer: "json" | "sse", fault: HttpFault): Promise<Line> {
  const http = await startRawHttp({ answer, on: { "tools/call": fault } });
  const session = await http.openSession();
  return { ...http, session, fromGet: messagesOf(await http.get(session)) };
}

async function messagesIn(response: Response): Promise<readonly unknown[]> {
  const isStream = response.headers.get("content-type") === "text/event-stream";
  return isStream ? collected(messagesOf(response)) : [await response.json()];
}

describe.each(["json", "sse"] as const)("a %s answer", (answer) => {
  test.each([
    { answerId: "string", id: "1" },
    { answerId: "unknown", id: 987_654_321 },
    { answerId: "null", id: null },
  ] as const)("can have a wrong id: $answerId", async ({ answerId, id }) => {
    const { call, session } = await start(answer, { answerId });
    expect(await messagesIn(await call(1, {}, session))).toEqual([expect.objectContaining({ id })]);
  });

  test("can have the id of another pending call", async () => {
    const { call, session } = await start(answer, { answerId: "swapped" });
    const [one, two] = await Promise.all([call(1, { n: 1 }, session), call(2, { n: 2 }, session)]);
    const text = (n: number) => ({ content: [{ type: "text", text: JSON.stringify({ n }) }] });
    expect(await messagesIn(one)).toMatchObject([{ id: 2, result: text(1) }]);
    expect(await messagesIn(two)).toMatchObject([{ id: 1, result: text(2) }]);
  });

  test("can come on the GET stream, after a 202 to the POST", async () => {
    const { call, session, fromGet } = await start(answer, { answerOn: "get-stream" });
    const response = await call(1, {}, session);
    expect([response.status, await response.text()]).toEqual([202, ""]);
    expect((await fromGet.next()).value).toMatchObject({ id: 1, result: {} });
  });

  test("can be an error, without the call being carried out", async () => {
    const { call, session, server } = await start(answer, { rpcError: { code: -32000, message: "No." } });
    expect(await messagesIn(await call(1, { nonce: "a" }, session))).toMatchObject([
      { id: 1, error: { code: -32000, message: "No." } },
    ]);
    expect(server.timesCarriedOut("a")).toBe(0);
  });

  test("can come in one batch with its progress", async () => {
    const { post } = await startRawHttp({
      sessionless: true,
      answer,
      progress: 1,
      on: { "tools/call": { batch: true } },
    });
    const params = { name: "echo", _meta: { progressToken: 7 } };
    const response = await post({ id: 1, method: "tools/call", params });
    expect(await messagesIn(response)).toMatchObject([[{ params: { progressToken: 7 } }, { id: 1 }]]);
  });
});

test("an answer can come twice: on its own stream, or in JSON and on the GET stream", async () => {
  const sse = await start("sse", { duplicateAnswers: true });
  expect(await messagesIn(await sse.call(1, {}, sse.session))).toMatchObject([{ id: 1 }, { id: 1 }]);
  expect(sse.server.calls).toHaveLength(1);
  const json = await start("json", { duplicateAnswers: true });
  expect(await messagesIn(await json.call(1, {}, json.session))).toMatchObject([{ id: 1 }]);
  expect((await json.fromGet.next()).value).toMatchObject({ id: 1 });
});

test("unsolicited answers can come first on the call's stream, or on the GET stream", async () => {
  const strays = [{ id: 987_654_321 }, { id: "never asked" }];
  const sse = await start("sse", { strayAnswers: true });
  expect(await messagesIn(await sse.call(1, {}, sse.session))).toMatchObject([...strays, { id: 1 }]);
  const json = await start("json", { strayAnswers: true });
  expect(await messagesIn(await json.call(1, {}, json.session))).toMatchObject([{ id: 1 }]);
  for (const stray of strays) expect((await json.fromGet.next()).value).toMatchObject(stray);
});

describe("a request from the server during a call", () => {
  const roots = { method: "roots/list" };

  test("comes on the call's stream, and the answer follows at once", async () => {
    const { call, session } = await start("sse", { ask: roots });
    expect(await messagesIn(await call(1, {}, session))).toMatchObject([
      { id: "roots/list for 1", method: "roots/list" },
      { id: 1, result: {} },
    ]);
  });

  test("comes on the GET stream for a JSON answer, and can reuse the pending call's id", async () => {
    const { call, session, fromGet } = await start("json", { ask: { ...roots, id: "pending" } });
    expect(await messagesIn(await call(1, {}, session))).toMatchObject([{ id: 1, result: {} }]);
    expect((await fromGet.next()).value).toEqual({ jsonrpc: "2.0", id: 1, method: "roots/list" });
  });

  test("can hold back the call's answer until the client responds", async () => {
    const params: JsonObject = { message: "Name?" };
    const ask = { method: "elicitation/create", params, id: "e", waits: true };
    const { call, post, session } = await start("sse", { ask });
    const messages = messagesOf(await call(1, {}, session));
    expect((await messages.next()).value).toMatchObject({ id: "e", params });
    const answered = await post({ id: "e", result: { action: "decline" } }, session);
    expect([answered.status, await answered.text()]).toEqual([202, ""]);
    expect((await messages.next()).value).toMatchObject({ id: 1, result: {} });
  });
});
