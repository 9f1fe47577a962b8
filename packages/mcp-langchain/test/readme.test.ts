import { resolve } from "node:path";
import type { ContextSource, ToolSource } from "@jackfield/mcp-core";
import { createFakeToolSource, loadReadmeExamples, type ReadmeExamples } from "@jackfield/test-kit";
import type { Document } from "@langchain/core/documents";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { McpInputAnswers, McpInputInterrupt } from "../src/middleware.ts";
import { startAskingSource } from "./asking-source.ts";
import { ScriptedModel } from "./scripted-model.ts";

interface State {
  readonly messages: readonly BaseMessage[];
}

/** What the examples of the README and the reference export. */
interface Examples {
  answer(model: BaseChatModel, source: ToolSource, question: string): Promise<string>;
  makeAssistant(model: BaseChatModel, source: ToolSource): (question: string) => Promise<string>;
  converse(
    model: BaseChatModel,
    source: ToolSource,
    thread: string,
  ): { say(text: string): Promise<State>; decide(decision: object): Promise<State> };
  runWithQuestions(
    parts: { model: BaseChatModel; mcp: ToolSource; checkpointer: BaseCheckpointSaver },
    text: string,
    ask: (question: McpInputInterrupt) => Promise<McpInputAnswers>,
  ): Promise<string>;
  toolError(message: ToolMessage): string | undefined;
  review(
    model: BaseChatModel,
    mcp: ContextSource,
    server: string,
    uri: string,
  ): Promise<{ text: string; documents: Document[] }>;
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
const call = (tool: string, args = {}) => [{ tool: `mcp__fake__${tool}`, args }];

describe("the examples of the README and the reference run", () => {
  it("an agent that answers", async () => {
    const tools = source();
    expect(await examples.answer(new ScriptedModel([call("look"), "Done."]), tools, "Look.")).toBe("Done.");
    expect(tools.calls).toHaveLength(1);
  });

  it("an agent with a live set of tools", async () => {
    const tools = createFakeToolSource([]);
    const model = new ScriptedModel(["Nothing.", "Something."]);
    const ask = examples.makeAssistant(model, tools);
    expect(await ask("Look.")).toBe("Nothing.");
    tools.replaceTools([{ definition: { name: "look" } }, { definition: { name: "delete_all" } }]);
    expect(await ask("Look.")).toBe("Something.");
    expect(model.offered).toEqual([[], ["mcp__fake__look"]]);
  });

  it("a conversation that pauses for approval", async () => {
    const tools = source();
    const { say, decide } = examples.converse(new ScriptedModel([call("wipe"), "Done."]), tools, "1");
    expect(await say("Wipe.")).toHaveProperty("__interrupt__");
    expect(tools.calls).toEqual([]);
    const { messages } = await decide({ decisions: [{ type: "approve" }] });
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(tools.calls).toHaveLength(1);
  });

  it("a run interrupted by a server's questions", async () => {
    await using asking = await startAskingSource();
    const model = new ScriptedModel([call("greet", { greeting: "Hello" }), "Done."]);
    const parts = { model, mcp: asking.source, checkpointer: new MemorySaver() };
    const ask = async ({ requests }: McpInputInterrupt): Promise<McpInputAnswers> => {
      const [key = ""] = Object.keys(requests);
      return { [key]: { action: "accept", content: { [key]: "Ada" } } };
    };
    expect(await examples.runWithQuestions(parts, "Greet.", ask)).toBe("Done.");
    expect(asking.journal().at(-1)).toBe("done");
  });

  it("reading the error of a tool message", () => {
    const mcpError = { code: "MCP_SESSION_LOST", message: "Gone." };
    const artifact = { content: [], isError: true, mcpError };
    const message = new ToolMessage({ content: "", tool_call_id: "1", artifact });
    expect(examples.toolError(message)).toBe("MCP_SESSION_LOST: Gone.");
  });

  it("a prompt with a resource", async () => {
    const context = {
      getPrompt: async () => ({
        messages: [{ role: "user", content: { type: "text", text: "Review this." } }],
      }),
      readResource: async () => ({ contents: [{ uri: "file:///a.md", text: "# A" }] }),
    } as unknown as ContextSource;
    const model = new ScriptedModel(["Fine."]);
    const { text, documents } = await examples.review(model, context, "files", "file:///a.md");
    expect(text).toBe("Fine.");
    expect(documents).toMatchObject([{ pageContent: "# A", metadata: { source: "file:///a.md" } }]);
    expect(JSON.stringify(model.prompts[0])).toContain("# A");
  });
});
