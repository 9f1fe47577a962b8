import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  liveTools,
  loaderOf,
  type ServerUnderTest,
  textOf,
} from "./client.ts";

interface Tool {
  execute(args: object, options: { toolCallId: string; messages: []; context: object }): Promise<unknown>;
}

/** What is used of `@ai-sdk/mcp`. */
interface AiSdkMcp {
  createMCPClient(config: { transport: object }): Promise<{
    tools(): Promise<Readonly<Record<string, Tool>>>;
    close(): Promise<void>;
  }>;
}

interface AiSdkStdio {
  readonly Experimental_StdioMCPTransport: new (server: { command: string; args: string[] }) => object;
}

/** The MCP client of the AI SDK: one for each server, all connected at the same time, called by its tools. */
export const aiSdk: BenchClient = {
  async start(servers, options = {}) {
    const load = loaderOf(options);
    const [sdk, stdio] = await Promise.all([
      load<AiSdkMcp>("@ai-sdk/mcp"),
      load<AiSdkStdio>("@ai-sdk/mcp/mcp-stdio"),
    ]);
    const connections = await Promise.all(
      servers.map(async (server) => {
        const client = await sdk.createMCPClient({ transport: transportTo(server, stdio) });
        return { client, tools: await client.tools() };
      }),
    );
    const first = firstOf(connections);
    const echo = echoOf(servers);
    const tool = first.tools[echo.name];
    return {
      tools: liveTools(connections.flatMap(({ tools }) => Object.keys(tools))),
      async call(text, repeat) {
        const call = { toolCallId: "bench", messages: [] as [], context: {} };
        return textOf(await tool?.execute(echoArguments(echo, text, repeat), call));
      },
      close: async () => {
        await Promise.all(connections.map(({ client }) => client.close()));
      },
    };
  },
};

function transportTo(server: ServerUnderTest, { Experimental_StdioMCPTransport }: AiSdkStdio): object {
  return server.transport === "http"
    ? { type: "http", url: server.url }
    : new Experimental_StdioMCPTransport({ command: server.command, args: [...server.args] });
}
