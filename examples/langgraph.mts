// examples/langgraph.mts
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { mcpMiddleware } from "@jackfield/mcp-langchain/middleware";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { openMcp } from "jackfield";
import { createAgent, type HITLResponse } from "langchain";

const { MODEL: model = "gpt-4.1-mini", MCP_CONFIG = "mcp.json", PORT = "3000" } = process.env;
const mcp = await openMcp({ discover: false, configFiles: [MCP_CONFIG] });
const agent = createAgent({
  model: new ChatOpenAI({ model }),
  middleware: [mcpMiddleware(mcp, { approval: "annotations" })],
  checkpointer: new MemorySaver(), // with PostgresSaver, any machine may go on with a thread
});

/** `{ thread, say }` asks; `{ thread, decide }` answers an interrupt, in which a call waits for approval. */
const server = createServer(async (request, response) => {
  const { thread, say, decide } = (await json(request)) as {
    thread: string;
    say?: string;
    decide?: HITLResponse;
  };
  const settings = { configurable: { thread_id: thread } };
  const state = decide
    ? await agent.invoke(new Command({ resume: decide }), settings)
    : await agent.invoke({ messages: say ?? "" }, settings);
  const waiting = "__interrupt__" in state ? state.__interrupt__ : undefined;
  response.end(JSON.stringify({ text: state.messages.at(-1)?.text, waiting }));
});
server.listen(Number(PORT), () => console.log("listening", server.address()));
process.once("SIGTERM", () => {
  server.close();
  void mcp.close({ drainMs: 10_000 });
});
