import { McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeToolSource } from "@jackfield/test-kit";
import {
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type ToolMessage,
} from "@langchain/core/messages";
import { RunCollectorCallbackHandler } from "@langchain/core/tracers/run_collector";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { isFailedCall, langchainTools } from "../src/index.ts";
import { mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { CALL, SETUPS } from "./setups.ts";

const RESULT: ToolCallResult = {
  content: [
    { type: "text", text: "A dot:" },
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  ],
  structuredContent: { rows: [1] },
  _meta: { "a/b": 1 },
};
const LOST = new McpError("MCP_SESSION_LOST", "The connection ended.", { cause: new Error("token=s3cret") });

const source = (answer: ToolCallResult | McpError) =>
  createFakeToolSource([
    {
      definition: { name: "ask", title: "Ask", annotations: { readOnlyHint: true } },
      call: () => {
        if (answer instanceof McpError) throw answer;
        return answer;
      },
    },
  ]);

/** A value after a round trip through JSON. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe("a trace", () => {
  it.each<[string, (tools: FakeToolSource) => object]>([
    ["tools", (tools) => ({ tools: langchainTools(tools) })],
    ["the middleware", (tools) => ({ middleware: [mcpMiddleware(tools)] })],
  ])("of an agent with %s serializes to JSON with the call's inputs and artifact", async (_name, parts) => {
    const collector = new RunCollectorCallbackHandler();
    const model = new ScriptedModel([[{ tool: CALL.name, args: { q: 1 } }], "Done."]);
    await createAgent({ model, ...parts(source(RESULT)) }).invoke(
      { messages: "Do it." },
      { callbacks: [collector] },
    );
    const json = JSON.stringify(collector.tracedRuns);
    const runs = json.match(/"run_type":"tool"/g);
    expect(runs).toHaveLength(1);
    expect(json).toContain('"inputs":{"q":1}');
    expect(json).toContain('"artifact":{"content"');
  });

  it("names the tool, its server, title and annotations", async () => {
    const collector = new RunCollectorCallbackHandler();
    await langchainTools(source(RESULT))[0]?.invoke(CALL, { callbacks: [collector] });
    const [run] = collector.tracedRuns;
    expect(run).toMatchObject({ name: CALL.name, run_type: "tool" });
    expect(stored(run?.extra?.metadata)).toMatchObject({
      server: "fake",
      tool: "ask",
      title: "Ask",
      annotations: { readOnlyHint: true },
    });
  });

  it("of a tool serializes without constructor arguments", () => {
    const [tool] = langchainTools(source(RESULT));
    expect(stored(tool)).toMatchObject({ type: "not_implemented" });
    expect(JSON.stringify(tool)).not.toContain("kwargs");
  });
});

describe.each(SETUPS)("a message from $name", ({ ask }) => {
  it.each<[string, ToolCallResult | McpError]>([
    ["a result", RESULT],
    ["an error result", { ...RESULT, isError: true }],
    ["a failed call", LOST],
  ])("keeps %s and its artifact when stored and restored", async (_name, answer) => {
    const message = await ask(source(answer));
    const [again] = mapStoredMessagesToChatMessages(stored(mapChatMessagesToStoredMessages([message])));
    expect((again as ToolMessage).artifact).toEqual(message.artifact);
    expect((again as ToolMessage).status).toBe(message.status);
    expect(again?.contentBlocks).toEqual(message.contentBlocks);
    expect(isFailedCall((again as ToolMessage).artifact)).toBe(answer === LOST);
    expect(JSON.stringify(again)).not.toContain("s3cret");
  });
});
