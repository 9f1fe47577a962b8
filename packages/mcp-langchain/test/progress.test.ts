import type { CallOptions } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeToolSource } from "@jackfield/test-kit";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { mcpMiddleware } from "../src/middleware.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { CALL } from "./setups.ts";

const slow = () =>
  createFakeToolSource([
    {
      definition: { name: "ask" },
      call: async (_args, { onProgress }: CallOptions) => {
        onProgress?.({ progress: 1, total: 2, message: "Half." });
        // The next turn of the event loop: by then a reader has taken the progress.
        await new Promise((resolve) => setImmediate(resolve));
        return { content: [{ type: "text", text: "end" }] };
      },
    },
  ]);
const PROGRESS = { progress: 1, total: 2, message: "Half." };

describe("progress from a server", () => {
  it.each<[string, (source: FakeToolSource) => object]>([
    ["tools", (source) => ({ tools: langchainTools(source) })],
    ["the middleware", (source) => ({ middleware: [mcpMiddleware(source)] })],
  ])("arrives as tool events of an agent with %s before the call ends", async (_name, parts) => {
    const model = new ScriptedModel([[{ tool: CALL.name, args: {} }], "Done."]);
    const agent = createAgent({ model, ...parts(slow()) });
    const events: object[] = [];
    for await (const event of await agent.stream({ messages: "Do it." }, { streamMode: "tools" }))
      events.push(event);
    expect(events).toMatchObject([
      { event: "on_tool_start", toolCallId: "call-0", name: CALL.name },
      { event: "on_tool_event", toolCallId: "call-0", name: CALL.name, data: PROGRESS },
      { event: "on_tool_end", toolCallId: "call-0", name: CALL.name },
    ]);
  });

  it("reaches the callbacks of a direct tool.invoke", async () => {
    const chunks: unknown[] = [];
    const [tool] = langchainTools(slow());
    await tool?.invoke(CALL, { callbacks: [{ handleToolEvent: (chunk) => void chunks.push(chunk) }] });
    expect(chunks).toEqual([PROGRESS]);
  });
});
