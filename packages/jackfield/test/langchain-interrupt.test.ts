import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type McpInputInterrupt, mcpMiddleware } from "@jackfield/mcp-langchain/middleware";
import { useLeakCheck } from "@jackfield/test-kit";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { ToolCallingModel } from "./langchain-model.ts";
import { callOf } from "./served-runtime.ts";

useLeakCheck();

const ASKING = resolve(import.meta.dirname, "../../mcp-langchain/test/fixtures/asking-server.mjs");
const THREAD = { configurable: { thread_id: "1" } };

interface State {
  readonly messages: readonly { readonly text: string }[];
  readonly __interrupt__?: readonly { readonly value: McpInputInterrupt }[];
}

it("another runtime resumes a graph that an elicitation interrupted, and continues the call", async () => {
  using folder = temporaryFolder();
  const journal = folder.file("journal");
  const model = new ToolCallingModel([callOf("greet", { greeting: "Hello" }), "Done."]);
  const checkpointer = new MemorySaver();
  /** A program that starts, does one step and ends: only the checkpoint survives between two steps. */
  const step = async (input: unknown): Promise<State> => {
    const servers = { s: { command: process.execPath, args: [ASKING, journal] } };
    const mcp = await openMcp({ cache: false, servers });
    try {
      const middleware = [mcpMiddleware(mcp, { inputRequired: "interrupt" })];
      const agent = createAgent({ model, checkpointer, middleware });
      return (await agent.invoke(input as never, THREAD)) as unknown as State;
    } finally {
      await mcp.close();
    }
  };
  const answer = (content: object) => {
    const [key = ""] = Object.keys(content);
    return step(new Command({ resume: { [key]: { action: "accept", content } } }));
  };
  const asked = await step({ messages: "Greet." });
  expect(asked.__interrupt__?.[0]?.value).toMatchObject({ requestState: "asked for the name" });
  const askedAgain = await answer({ name: "Ada" });
  expect(askedAgain.__interrupt__?.[0]?.value).toMatchObject({ requestState: "name=Ada" });
  const { messages } = await answer({ place: "London" });
  expect(messages.at(-2)?.text).toBe("Hello, Ada of London!");
  expect(
    readFileSync(journal, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { greeting: "Hello" },
    { greeting: "Hello", state: "asked for the name" },
    { greeting: "Hello", state: "name=Ada" },
    "done",
  ]);
});
