import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { mcpMiddleware } from "@jackfield/mcp-langchain/middleware";
import { useLeakCheck } from "@jackfield/test-kit";
import { ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { ToolCallingModel } from "./langchain-model.ts";
import { callOf, overStdio, TRANSPORTS } from "./served-runtime.ts";

useLeakCheck();

const ASKING = resolve(import.meta.dirname, "../../mcp-langchain/test/fixtures/asking-server.mjs");
const QUESTION = { messages: "Do it." };
const THREAD = { configurable: { thread_id: "1" } };

const toolTexts = ({ messages }: { messages: readonly unknown[] }) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);

describe("an agent with mcpMiddleware", () => {
  it.each(TRANSPORTS)(
    "offers a tool that the server added during a call over %s in a later step",
    async (_name, serve) => {
      const echo = { name: "echo", inputSchema: { type: "object" as const } };
      await using served = await serve({ listChangedAfterCall: [echo, { ...echo, name: "late" }] });
      const changed = new Promise((resolve) => served.mcp.on("toolsChanged", resolve));
      const model = new ToolCallingModel([
        callOf("echo", { first: true }),
        { after: changed, calls: callOf("echo", { second: true }) },
        callOf("late", { q: 2 }),
        "Done.",
      ]);
      const agent = createAgent({ model, middleware: [mcpMiddleware(served.mcp)] });
      const state = await agent.invoke(QUESTION);
      expect(model.offered[0]).not.toContain("mcp__s__late");
      expect(model.offered[2]).toEqual(["mcp__s__echo", "mcp__s__late"]);
      expect(toolTexts(state)).toEqual(['{"first":true}', '{"second":true}', '{"q":2}']);
      expect(served.received("tools/call")).toBe(3);
    },
  );

  it("offers the tools of a server that connected after the agent was created", async () => {
    await using served = await overStdio();
    const { mcp } = served;
    await mcp.disconnect("s");
    const model = new ToolCallingModel(["Nothing yet.", callOf("echo", { q: 1 }), "Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(mcp)] });
    await agent.invoke(QUESTION);
    const offered = new Promise((resolve) => mcp.on("toolsChanged", resolve));
    await mcp.reconnect("s");
    await offered;
    expect(toolTexts(await agent.invoke(QUESTION))).toEqual(['{"q":1}']);
    expect(served.received("tools/call")).toBe(1);
  });

  it("continues with a killed server as soon as it is reconnected", async () => {
    await using served = await overStdio({}, { isKilledInCall: true });
    const model = new ToolCallingModel([callOf("echo"), "It broke.", callOf("echo"), "It broke again."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(served.mcp)] });
    for (const calls of [1, 2]) {
      expect(toolTexts(await agent.invoke(QUESTION))).toEqual([expect.stringContaining("it may have run")]);
      expect(served.received("tools/call")).toBe(calls);
      await served.mcp.reconnect("s");
    }
  });

  it("streams the server's progress notifications as tool events", async () => {
    // The call is never answered, so that progress cannot arrive together with the answer, which would make it superfluous.
    await using served = await overStdio({
      silentOn: ["tools/call"],
      progress: 1,
      answerLateMs: { "tools/call": 1 },
    });
    const model = new ToolCallingModel([callOf("echo"), "Not reached."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(served.mcp)] });
    const controller = new AbortController();
    const { signal } = controller;
    const events: object[] = [];
    const run = async () => {
      for await (const event of await agent.stream(QUESTION, { streamMode: "tools", signal })) {
        events.push(event);
        if (event.event === "on_tool_event") controller.abort();
      }
    };
    await expect(run()).rejects.toThrow();
    expect(events.slice(0, 2)).toMatchObject([
      { event: "on_tool_start", name: "mcp__s__echo" },
      { event: "on_tool_event", name: "mcp__s__echo", data: { progress: 1, total: 1 } },
    ]);
  });
});

describe.each(TRANSPORTS)("a call over %s that needs approval", (_name, serve) => {
  it.each([
    ["runs once if approved", { type: "approve" }, 1, "{}"],
    ["does not run if rejected", { type: "reject", message: "Leave it." }, 0, "Leave it."],
  ])("interrupts the graph and %s", async (_title, decision, calls, answer) => {
    await using served = await serve();
    const model = new ToolCallingModel([callOf("echo"), "As you wish."]);
    const checkpointer = new MemorySaver();
    const make = () =>
      createAgent({
        model,
        checkpointer,
        middleware: [mcpMiddleware(served.mcp, { approval: "annotations" })],
      });
    expect(await make().invoke(QUESTION, THREAD)).toHaveProperty("__interrupt__");
    expect(served.received("tools/call")).toBe(0);
    const state = await make().invoke(new Command({ resume: { decisions: [decision] } }), THREAD);
    expect(toolTexts(state)).toEqual([answer]);
    expect(state.messages.at(-1)?.text).toBe("As you wish.");
    expect(served.received("tools/call")).toBe(calls);
  });
});

it("the runtime's handlers answer an elicitation during a call", async () => {
  using folder = temporaryFolder();
  const journal = folder.file("journal");
  const content = { name: "Ada", place: "London" };
  const mcp = await openMcp({
    cache: false,
    servers: { s: { command: process.execPath, args: [ASKING, journal] } },
    handlers: { elicit: async () => ({ action: "accept", content }) },
  });
  try {
    const model = new ToolCallingModel([callOf("greet", { greeting: "Hello" }), "Done."]);
    const agent = createAgent({ model, middleware: [mcpMiddleware(mcp)] });
    expect(toolTexts(await agent.invoke(QUESTION))).toEqual(["Hello, Ada of London!"]);
    expect(readFileSync(journal, "utf8").match(/done/g)).toHaveLength(1);
  } finally {
    await mcp.close();
  }
});
