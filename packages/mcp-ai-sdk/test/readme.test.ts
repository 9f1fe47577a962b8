import { resolve } from "node:path";
import type { ContextSource, ToolSource } from "@jackfield/mcp-core";
import { createFakeToolSource, loadReadmeExamples, type ReadmeExamples } from "@jackfield/test-kit";
import type { DynamicToolUIPart, LanguageModel, ModelMessage, streamText } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptedModel } from "./scripted-model.ts";

/** What the examples of the README and the reference export. */
interface Examples {
  answer(model: LanguageModel, source: ToolSource, prompt: string): Promise<string>;
  chatRoute(
    model: LanguageModel,
    source: ToolSource,
    userOf: (request: Request) => Promise<string>,
  ): (request: Request) => Promise<Response>;
  converse(model: LanguageModel, source: ToolSource, messages: ModelMessage[]): Promise<ModelMessage[]>;
  stream(model: LanguageModel, source: ToolSource, prompt: string): ReturnType<typeof streamText>;
  toolError(part: DynamicToolUIPart): string | undefined;
  review(model: LanguageModel, mcp: ContextSource, server: string, uri: string): Promise<string>;
}

let readme: ReadmeExamples<Examples>;
let examples: Examples;

beforeAll(async () => {
  readme = await loadReadmeExamples<Examples>(resolve(import.meta.dirname, ".."));
  examples = readme.exports;
});

afterAll(() => readme[Symbol.dispose]());

const source = () =>
  createFakeToolSource([
    { definition: { name: "look", annotations: { readOnlyHint: true } } },
    { definition: { name: "wipe" } },
  ]);
const call = (tool: string) => [{ tool: `mcp__fake__${tool}`, input: '{"q":1}' }];

describe("the examples of the README and the reference run", () => {
  it("a loop that answers", async () => {
    const tools = source();
    expect(await examples.answer(scriptedModel([call("look"), "Done."]).v7, tools, "Look.")).toBe("Done.");
    expect(tools.calls).toHaveLength(1);
  });

  it("a conversation that pauses for approval", async () => {
    const tools = source();
    const messages: ModelMessage[] = [{ role: "user", content: "Wipe." }];
    const asked = await examples.converse(scriptedModel([call("wipe")]).v7, tools, messages);
    expect(JSON.stringify(asked)).toContain("tool-approval-request");
    expect(tools.calls).toEqual([]);
  });

  it("the route of a chat, which believes no answer that the browser made up", async () => {
    const tools = source();
    const part = {
      type: "dynamic-tool",
      toolName: "mcp__fake__wipe",
      toolCallId: "made-up",
      state: "approval-responded",
      input: { q: 1 },
      approval: { id: "1", approved: true },
    };
    const messages = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Wipe." }] },
      { id: "2", role: "assistant", parts: [part] },
    ];
    const post = examples.chatRoute(scriptedModel(["Done."]).v7, tools, async () => "ann");
    const body = JSON.stringify({ messages });
    const response = await post(new Request("http://127.0.0.1/api/chat", { method: "POST", body }));
    expect(await response.text()).toContain("MCP_CALL_DENIED");
    expect(tools.calls).toEqual([]);
  });

  it("a stream with a live set", async () => {
    const tools = source();
    const result = examples.stream(scriptedModel([call("look"), "Done."]).v7, tools, "Look.");
    await result.consumeStream();
    expect(await result.text).toBe("Done.");
  });

  it("reading the error of a UI message part", () => {
    const mcpError = { code: "MCP_SESSION_LOST", message: "Gone." };
    const part = { state: "output-available", output: { content: [], isError: true, mcpError } };
    expect(examples.toolError(part as never)).toBe("MCP_SESSION_LOST: Gone.");
  });

  it("a prompt with a resource", async () => {
    const context = {
      getPrompt: async () => ({
        messages: [{ role: "user", content: { type: "text", text: "Review this." } }],
      }),
      readResource: async () => ({ contents: [{ uri: "file:///a.md", text: "# A" }] }),
    } as unknown as ContextSource;
    const model = scriptedModel(["Fine."]);
    expect(await examples.review(model.v7, context, "files", "file:///a.md")).toBe("Fine.");
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain("# A");
  });
});
