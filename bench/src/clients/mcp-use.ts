import {
  type BenchClient,
  echoArguments,
  echoOf,
  entriesOf,
  firstOf,
  liveTools,
  loaderOf,
  textOf,
} from "./client.ts";

interface Session {
  listTools(): Promise<readonly { readonly name: string }[]>;
  callTool(name: string, args: object): Promise<unknown>;
}

/** What is used of `mcp-use`. */
interface McpUse {
  readonly MCPClient: new (config: {
    mcpServers: object;
  }) => {
    createAllSessions(): Promise<Readonly<Record<string, Session>>>;
    closeAllSessions(): Promise<void>;
  };
}

/** The sessions of mcp-use: one client for all servers. Its tools for LangChain.js are not in between. */
export const mcpUse: BenchClient = {
  async start(servers, options = {}) {
    const { MCPClient } = await loaderOf(options)<McpUse>("mcp-use/client");
    const client = new MCPClient({ mcpServers: entriesOf(servers) });
    const sessions = await client.createAllSessions();
    const lists = await Promise.all(Object.values(sessions).map((session) => session.listTools()));
    const echo = echoOf(servers);
    const session = sessions[firstOf(servers).name];
    return {
      tools: liveTools(lists.flat().map(({ name }) => name)),
      call: async (text, repeat) =>
        textOf(await session?.callTool(echo.name, echoArguments(echo, text, repeat))),
      close: () => client.closeAllSessions(),
    };
  },
};
