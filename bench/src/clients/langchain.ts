import {
  type BenchClient,
  echoArguments,
  echoOf,
  entriesOf,
  firstOf,
  liveTools,
  loaderOf,
} from "./client.ts";
import { messageText } from "./message-text.ts";

interface Tool {
  readonly name: string;
  invoke(call: { type: "tool_call"; id: string; name: string; args: object }): Promise<unknown>;
}

/** What is used of `@langchain/mcp-adapters`. */
interface McpAdapters {
  readonly MultiServerMCPClient: new (config: {
    mcpServers: object;
    prefixToolNameWithServerName: boolean;
  }) => { getTools(): Promise<readonly Tool[]>; close(): Promise<void> };
}

/** The MCP adapters of LangChain.js: one client for all servers, called by its tools. */
export const langchain: BenchClient = {
  async start(servers, options = {}) {
    const { MultiServerMCPClient } = await loaderOf(options)<McpAdapters>("@langchain/mcp-adapters");
    // Without the prefix all servers' tools would have the same names, of which an agent can have each once only.
    const client = new MultiServerMCPClient({
      mcpServers: entriesOf(servers),
      prefixToolNameWithServerName: true,
    });
    const tools = await client.getTools();
    const echo = echoOf(servers);
    const tool = tools.find(({ name }) => name === `${firstOf(servers).name}__${echo.name}`);
    return {
      tools: liveTools(tools.map(({ name }) => name)),
      async call(text, repeat) {
        const args = echoArguments(echo, text, repeat);
        return messageText(await tool?.invoke({ type: "tool_call", id: "bench", name: tool.name, args }));
      },
      close: () => client.close(),
    };
  },
};
