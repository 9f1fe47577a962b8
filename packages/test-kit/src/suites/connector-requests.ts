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
  test("a call is answered with content", async () => {
    const { session } = await open();
    const { content, isError } = await session.request("tools/call", ECHO);
    expect(content).toEqual([{ type: "text", text: '{"text":"hello"}' }]);
    expect(isError ?? false).toBe(false);
  });

  test("a tool that fails is an answer, not an exception", async () => {
    const { session } = await open();
    const result = await session.request("tools/call", { name: "fail" });
    expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });

  test("structured content comes out as it was sent", async () => {
    const { session } = await open();
    const data = { n: 1.5, list: [null, { "": "😀" }] };
    const result = await session.request("tools/call", { name: "structured", arguments: data });
    expect(result.structuredContent).toEqual(data);
  });

  test("many calls at once are each given their own answer", async () => {
    const { session } = await open();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const results = await Promise.all(
      numbers.map((n) => session.request("tools/call", { name: "echo", arguments: { n } })),
    );
    const texts = results.map(({ content }) => content[0]);
    expect(texts).toEqual(numbers.map((n) => ({ type: "text", text: JSON.stringify({ n }) })));
  });

  test("a call that the server refuses keeps its code, and nothing was done", async () => {
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

  test("any other request that the server refuses is not called a tool's", async () => {
    const errorOn = { "prompts/get": { code: -32602, message: "Unknown prompt" } };
    const { session } = await open({ prompts: [], errorOn });
    const error = await failureOf(session.request("prompts/get", { name: "none" }));
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", outcome: "rejected", rpcCode: -32602 });
  });
}

function describeAborts({ open }: ConnectorBench, { tellsOfAborts }: RequestTraits): void {
  test("a call whose signal has fired already is not sent", async () => {
    const subject = await open();
    const error = await failureOf(
      subject.session.request("tools/call", ECHO, { signal: AbortSignal.abort() }),
    );
    expect(error).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    await subject.session.list("tools", { signal: never });
    expect(paramsOf(subject, "tools/call")).toEqual([]);
  });

  test("a call that is given up settles at once, with an unknown outcome, and harms no other", async () => {
    const subject = await open(MUTE);
    const controller = new AbortController();
    const failing = failureOf(subject.session.request("tools/call", ECHO, { signal: controller.signal }));
    await arrivalOf(subject, "tools/call");
    controller.abort();
    expect(await failing).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown", tool: "echo" });
    expect((await subject.session.list("tools", { signal: never })).items).toHaveLength(4);
  });

  if (tellsOfAborts)
    test("the server is told of a call that is given up, once", async () => {
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

  test("an answer that comes after all disturbs nothing", async () => {
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
  test("a call without an answer times out with an unknown outcome", async () => {
    const { session } = await open(MUTE);
    const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown", tool: "echo" });
  });

  test("the server's own limits hold where a request sets none", async () => {
    const { session } = await open(MUTE, { limits: { callTimeoutMs: 50 } });
    expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_CALL_TIMEOUT");
  });

  test("a list times out too", async () => {
    const { session } = await open({ silentOn: ["tools/list"] }, { limits: { callTimeoutMs: 50 } });
    expect(await failureOf(session.list("tools", { signal: never }))).toMatchObject({
      code: "MCP_CALL_TIMEOUT",
      phase: "list",
    });
  });

  if (!carriesProgress) return;
  const slow = { answerLateMs: { "tools/call": 2400 }, progress: 19 };

  test("progress keeps a call alive beyond its deadline, be its listener missing or throwing", async () => {
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

  test("the total deadline holds whatever the progress", async () => {
    const { session } = await open(slow);
    const limits = { timeoutMs: 1200, maxTotalMs: 250 };
    const error = await failureOf(session.request("tools/call", ECHO, limits));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("250 ms");
  });
}
