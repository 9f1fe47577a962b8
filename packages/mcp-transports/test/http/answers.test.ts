import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";
import { count, ECHO, never, open } from "./remote.ts";

const TEXT = [{ type: "text", text: JSON.stringify(ECHO.arguments) }];
const ANSWERS = ["json", "sse"] as const;

describe.each(ANSWERS)("an answer (%s)", (answer) => {
  test("in a batch is read", async () => {
    const { session } = await open({ answer, on: { "tools/call": { batch: true } } });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
  });

  test("may arrive on the server's GET stream after a 202", async () => {
    const { remote, session } = await open({ answer, on: { "tools/call": { answerOn: "get-stream" } } });
    await remote.until(() => remote.streams.length > 0);
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
  });

  test("[R40] with its id as a string is accepted", async () => {
    const { session } = await open({ answer, on: { "tools/call": { answerId: "string" } } });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
  });

  test("[R40] with an unknown id leaves the call's outcome unknown", async () => {
    const { session } = await open({ answer, on: { "tools/call": { answerId: "unknown" } } });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
  });

  test("[R39] [R40] that is duplicated or unsolicited does not affect other calls", async () => {
    const { session } = await open({
      answer,
      on: { "tools/call": { duplicateAnswers: true, strayAnswers: true } },
    });
    for (let round = 0; round < 5; round += 1)
      expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
  });

  test("[T48] with the id of another call resolves neither call", async () => {
    const { session } = await open({ answer, on: { "tools/call": { answerId: "swapped" } } });
    const calls = ["mine", "yours"].map((text) =>
      failureOf(session.request("tools/call", { name: "echo", arguments: { text } })),
    );
    for (const error of await Promise.all(calls)) expect(error.outcome).toBe("unknown");
  });

  test.each(["truncated", "not-json", "not-rpc"] as const)(
    "[X11] that is %s fails the call as a protocol violation, and the session stays usable",
    async (garbled) => {
      const { session } = await open({ answer, on: { "tools/call": { garbled } } });
      const error = await failureOf(session.request("tools/call", ECHO));
      expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown" });
      expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
    },
  );

  test.each(["deep", "wide"] as const)(
    "[T86] that is too %s is refused, and the next call works",
    async (garbled) => {
      const { session } = await open({ answer, on: { "tools/call": { garbled, times: 1 } } });
      expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_PROTOCOL_VIOLATED");
      expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    },
  );

  test("with its content type twice, as some gateways send it, is of that type", async () => {
    const { session } = await open({
      on: {
        "tools/call": {
          reply: {
            status: 200,
            headers: { "content-type": "application/json, application/json; charset=utf-8" },
            body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"read"}}',
          },
        },
      },
    });
    expect((await failureOf(session.request("tools/call", ECHO))).message).toContain("read");
  });

  test("with another content type is a protocol violation", async () => {
    const { session } = await open({ answer, on: { "tools/call": { contentType: "text/html" } } });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown" });
    expect(error.message).toContain("text/html");
  });

  test.each(["arrival", "run", "headers", "body"] as const)(
    "[R23] [R28] that is cut off at %s fails its call at once",
    async (drop) => {
      const { session } = await open({ answer, on: { "tools/call": { drop, dropBy: "rst" } } });
      const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 }));
      expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", tool: "echo" });
    },
  );

  test("that arrives byte by byte is read", async () => {
    const { session } = await open({ answer, on: { "tools/call": { dripMs: 0 } } });
    expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
  });
});

test.each([
  ["labelled as JSON", { "content-type": "application/json" }],
  ["labelled as an event stream", { "content-type": "text/event-stream" }],
  ["without a content type", {}],
])("an answer may arrive on the server's GET stream after an empty 202 %s", async (_, headers) => {
  const stream = Promise.withResolvers<ServerResponse>();
  const server = await startHttpServer(({ request, response, message, status }) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      stream.resolve(response);
      return true;
    }
    if (message?.method !== "tools/call") return undefined;
    status(202, { ...headers, connection: "close" });
    const answered = { jsonrpc: "2.0", id: message.id, result: { content: TEXT } };
    // The client closes the connection once it has read the 202.
    request.socket.once("close", () =>
      stream.promise.then((own) => own.write(`data: ${JSON.stringify(answered)}\n\n`)),
    );
    return true;
  });
  const session = await connect(server);
  await stream.promise;
  expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
});

describe("a notification", () => {
  test("[X10] may be answered with a 202 and a JSON, event stream or text body", async () => {
    for (const [contentType, body] of [
      ["application/json", "null"],
      ["text/event-stream", ": thanks\n\n"],
      ["text/plain", "accepted"],
    ]) {
      const headers = { "content-type": contentType as string };
      const reply = { status: 202, headers, body };
      const { session } = await open({ on: { "notifications/initialized": { reply, runs: true } } });
      expect((await session.request("tools/call", ECHO)).content).toEqual(TEXT);
    }
  });

  test("[X10] may be answered with a 202 whose events are delivered", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    const headers = { "content-type": "text/event-stream" };
    const reply = { status: 202, headers, body: `data: ${JSON.stringify(note)}\n\n` };
    const { session } = await open({ on: { "notifications/initialized": { reply, runs: true } } });
    const heard = await new Promise((resolve) => session.onNotification(resolve));
    expect(heard).toMatchObject({ method: note.method });
  });
});

describe("an answer's stream with event ids", () => {
  test("[R27] resumes each time it breaks off, and the call is sent once", async () => {
    const { remote, session } = await open({
      answer: "sse",
      eventIds: true,
      progress: 3,
      answerLateMs: { "tools/call": 40 },
      on: { "tools/call": { endAfterEvents: 1, retryMs: 0 }, GET: { endAfterEvents: 1, retryMs: 0 } },
    });
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => seen.push(progress);
    const result = await session.request("tools/call", ECHO, { onProgress });
    expect(result.content).toEqual(TEXT);
    expect(seen).toEqual([1, 2, 3]);
    expect(remote.calls).toHaveLength(1);
    expect(count(remote, "tools/call")).toBe(1);
  });

  test("[R27] drops the events that the server repeats", async () => {
    const { session } = await open({
      answer: "sse",
      eventIds: true,
      replay: "all",
      progress: 2,
      answerLateMs: { "tools/call": 30 },
      on: { "tools/call": { endAfterEvents: 2, retryMs: 0 } },
    });
    const seen: number[] = [];
    await session.request("tools/call", ECHO, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
  });

  test("that cannot be resumed leaves the call's outcome unknown", async () => {
    const { remote, session } = await open({
      answer: "sse",
      eventIds: true,
      on: { "tools/call": { endAfterMs: 0, retryMs: 0 }, GET: { reply: { status: 405 } } },
      silentOn: ["tools/call"],
    });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(count(remote, "tools/call")).toBe(1);
  });

  test("[R27] is not resumed with a modern server", async () => {
    const { remote, session } = await open({
      era: "modern",
      answer: "sse",
      eventIds: true,
      on: { "tools/call": { endAfterMs: 0 } },
      silentOn: ["tools/call"],
    });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(count(remote, "GET")).toBe(0);
  });
});
