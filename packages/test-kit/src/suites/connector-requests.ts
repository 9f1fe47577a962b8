import { expect, test } from "vitest";
import { arrivalOf, type ConnectorBench, failureOf, never, paramsOf } from "./connector-under-test.ts";

const ECHO = { name: "echo", arguments: { text: "hello" } };
/** A server that does not answer calls. */
const MUTE = { silentOn: ["tools/call"] };

export interface RequestTraits {
  readonly carriesProgress: boolean;
  readonly tellsOfAborts: boolean;
}

/** Tests how requests are answered, refused, aborted and timed out. */
export function describeRequests(bench: ConnectorBench, traits: RequestTraits): void {
  describeAnswers(bench);
  describeAborts(bench, traits);
  describeDeadlines(bench, traits);
}

function describeAnswers({ open }: ConnectorBench): void {
  test("a call returns its content", async () => {
    const { session } = await open();
    const { content, isError } = await session.request("tools/call", ECHO);
    expect(content).toEqual([{ type: "text", text: '{"text":"hello"}' }]);
    expect(isError ?? false).toBe(false);
  });

  test("a failing tool returns a result with isError, not an exception", async () => {
    const { session } = await open();
    const result = await session.request("tools/call", { name: "fail" });
    expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });

  test("structured content arrives as the server sent it", async () => {
    const { session } = await open();
    const data = { n: 1.5, list: [null, { "": "😀" }] };
    const result = await session.request("tools/call", { name: "structured", arguments: data });
    expect(result.structuredContent).toEqual(data);
  });

  test("concurrent calls each get their own answer", async () => {
    const { session } = await open();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const results = await Promise.all(
      numbers.map((n) => session.request("tools/call", { name: "echo", arguments: { n } })),
    );
    const texts = results.map(({ content }) => content[0]);
    expect(texts).toEqual(numbers.map((n) => ({ type: "text", text: JSON.stringify({ n }) })));
  });

  test("a call that the server rejects keeps the JSON-RPC code, outcome rejected", async () => {
    const { session, server } = await open();
    const error = await failureOf(session.request("tools/call", { name: "no_such_tool" }));
    expect(error).toMatchObject({
      code: "MCP_TOOL_REJECTED",
      outcome: "rejected",
      rpcCode: -32602,
      server: server.name,
      tool: "no_such_tool",
    });
  });

  test("any other rejected request fails with MCP_REQUEST_REJECTED", async () => {
    const errorOn = { "prompts/get": { code: -32602, message: "Unknown prompt" } };
    const { session } = await open({ prompts: [], errorOn });
    const error = await failureOf(session.request("prompts/get", { name: "none" }));
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", outcome: "rejected", rpcCode: -32602 });
  });
}

function describeAborts({ open }: ConnectorBench, { tellsOfAborts }: RequestTraits): void {
  test("a call with an aborted signal is not sent", async () => {
    const subject = await open();
    const error = await failureOf(
      subject.session.request("tools/call", ECHO, { signal: AbortSignal.abort() }),
    );
    expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    await subject.session.list("tools", { signal: never });
    expect(paramsOf(subject, "tools/call")).toEqual([]);
  });

  test("an aborted call settles with outcome unknown, and the session still works", async () => {
    const subject = await open(MUTE);
    const controller = new AbortController();
    const failing = failureOf(subject.session.request("tools/call", ECHO, { signal: controller.signal }));
    await arrivalOf(subject, "tools/call");
    controller.abort();
    expect(await failing).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown", tool: "echo" });
    expect((await subject.session.list("tools", { signal: never })).items).toHaveLength(4);
  });

  if (tellsOfAborts)
    test("an aborted call sends one notifications/cancelled to the server", async () => {
      const subject = await open(MUTE);
      const controller = new AbortController();
      const failing = failureOf(subject.session.request("tools/call", ECHO, { signal: controller.signal }));
      await arrivalOf(subject, "tools/call");
      controller.abort();
      await failing;
      await arrivalOf(subject, "notifications/cancelled");
      await subject.session.list("tools", { signal: never });
      expect(paramsOf(subject, "notifications/cancelled")).toEqual([
        expect.objectContaining({ requestId: expect.anything() }),
      ]);
    });

  test("a late answer to an aborted call does not disturb the next call", async () => {
    const subject = await open({ answerLateMs: { "tools/call": 100 } });
    const controller = new AbortController();
    const failing = failureOf(subject.session.request("tools/call", ECHO, { signal: controller.signal }));
    await arrivalOf(subject, "tools/call");
    controller.abort();
    await failing;
    const { content } = await subject.session.request("tools/call", ECHO);
    expect(content).toEqual([{ type: "text", text: '{"text":"hello"}' }]);
  });
}

function describeDeadlines({ open }: ConnectorBench, { carriesProgress }: RequestTraits): void {
  test("an unanswered call times out with outcome unknown", async () => {
    const { session } = await open(MUTE);
    const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown", tool: "echo" });
  });

  test("the server's limits apply to a request that sets none", async () => {
    const { session } = await open(MUTE, { limits: { callTimeoutMs: 50 } });
    expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_CALL_TIMEOUT");
  });

  test("an unanswered list times out", async () => {
    const { session } = await open({ silentOn: ["tools/list"] }, { limits: { callTimeoutMs: 50 } });
    expect(await failureOf(session.list("tools", { signal: never }))).toMatchObject({
      code: "MCP_CALL_TIMEOUT",
      phase: "list",
    });
  });

  if (!carriesProgress) return;
  const slow = { answerLateMs: { "tools/call": 2400 }, progress: 19 };

  test("progress extends a call's deadline, even if its listener is missing or throws", async () => {
    const { session } = await open(slow);
    const seen: number[] = [];
    const onProgress = ({ progress }: { readonly progress: number }) => {
      seen.push(progress);
      throw new Error("A listener that throws.");
    };
    const results = await Promise.all([
      session.request("tools/call", ECHO, { timeoutMs: 1200, onProgress }),
      session.request("tools/call", ECHO, { timeoutMs: 1200 }),
    ]);
    for (const { content } of results) expect(content).toHaveLength(1);
    expect(seen).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  });

  test("progress does not extend the total deadline", async () => {
    const { session } = await open(slow);
    const limits = { timeoutMs: 1200, maxTotalMs: 250 };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("250 ms");
  });
}
