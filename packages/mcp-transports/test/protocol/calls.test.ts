import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { ECHO, open } from "../http/remote.ts";
import { received, type Script, scriptedServer } from "../scripted-server.ts";

const META = "io.modelcontextprotocol/";

/** Answers calls by the name of the tool: plainly, with an image, with an error, or not at all. */
const obliging: Script = (message, { answer, refuse, send }) => {
  if (message.method !== "tools/call") return undefined;
  const { name, _meta } = message.params;
  if (name === "progressing") {
    const { progressToken } = _meta;
    send({ method: "notifications/progress", params: { progressToken, progress: 1, message: "half" } });
  }
  const text = { type: "text", text: name };
  if (name === "refusing") refuse(-32000, "not today");
  else if (name === "painting") answer({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] });
  else if (name === "stating") answer({ content: [text], isError: true, structuredContent: { n: 1 } });
  else if (name !== "silent") answer({ content: [text] });
  return true;
};

const call = (name: string) => ({ name, arguments: {} });

describe.concurrent.each([
  ["legacy", {}],
  ["modern", { isModern: true }],
])("a call to a %s server", (era, options) => {
  const opened = async () => {
    const server = scriptedServer(obliging, { capabilities: { tools: {} }, ...options });
    const session = await connect(server);
    const requests = (method: string) => server.received().filter((message) => message.method === method);
    return { server, session, requests };
  };

  test("has a number as its id and, in the modern era, the envelope keys", async () => {
    const { session, requests } = await opened();
    await session.request("tools/call", call("plain"), { meta: { trace: "t1" } });
    const [sent] = requests("tools/call");
    expect(sent?.id).toEqual(expect.any(Number));
    expect(sent?.params).toMatchObject({ ...call("plain"), _meta: { trace: "t1", progressToken: sent?.id } });
    const envelopeKeys = Object.keys(sent?.params._meta ?? {}).filter((key) => key.startsWith(META));
    expect(envelopeKeys).toHaveLength(era === "modern" ? 3 : 0);
  });

  test("reaches the server once and returns its whole answer, of any kind", async () => {
    const { session, requests } = await opened();
    const results = await Promise.all(
      ["plain", "painting", "stating"].map((name) => session.request("tools/call", call(name))),
    );
    expect(results).toMatchObject([
      { content: [{ text: "plain" }] },
      { content: [{ type: "image", data: "aGk=" }] },
      { content: [{ text: "stating" }], isError: true, structuredContent: { n: 1 } },
    ]);
    for (const result of results) expect(result).not.toHaveProperty("resultType");
    expect(requests("tools/call").map(({ params }) => params.name)).toEqual(["plain", "painting", "stating"]);
  });

  test("is not cancelled after it was refused", async () => {
    const { session, requests } = await opened();
    const error = await failureOf(session.request("tools/call", call("refusing")));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", rpcCode: -32000, tool: "refusing" });
    await session.request("tools/call", call("plain"));
    expect(requests("tools/call")).toHaveLength(2);
    expect(requests("notifications/cancelled")).toEqual([]);
  });

  test("sends notifications/cancelled with its id when it is aborted", async () => {
    const { server, session, requests } = await opened();
    const controller = new AbortController();
    const pending = failureOf(session.request("tools/call", call("silent"), { signal: controller.signal }));
    await received(server, "tools/call");
    controller.abort();
    expect(await pending).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    await received(server, "notifications/cancelled");
    const [sent] = requests("tools/call");
    const [cancelled] = requests("notifications/cancelled");
    expect(cancelled?.params.requestId).toBe(sent?.id);
    expect(Object.keys(cancelled?.params._meta ?? {})).toHaveLength(era === "modern" ? 3 : 0);
  });

  test("reports its progress", async () => {
    const { session } = await opened();
    const onProgress = vi.fn();
    await session.request("tools/call", call("progressing"), { onProgress });
    expect(onProgress).toHaveBeenCalledExactlyOnceWith({ progress: 1, message: "half" });
  });
});

test("[R39] a second answer over HTTP is logged as stray, not as a problem", async () => {
  const log = vi.fn();
  const { session } = await open(
    { answer: "sse", on: { "tools/call": { duplicateAnswers: true } } },
    { log },
  );
  await session.request("tools/call", ECHO);
  await vi.waitFor(() =>
    expect(log).toHaveBeenCalledWith(
      "debug",
      expect.stringContaining("answers to no pending request"),
      expect.anything(),
    ),
  );
  expect(log.mock.calls.filter(([, message]) => message.includes("reported a problem"))).toEqual([]);
});
