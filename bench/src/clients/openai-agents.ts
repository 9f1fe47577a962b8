import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  liveTools,
  loaderOf,
  type ServerUnderTest,
} from "./client.ts";

interface Tool {
  readonly name: string;
  invoke(context: object, input: string): Promise<unknown>;
}

/** What is used of `@openai/agents`. */
interface OpenaiAgents {
  readonly MCPServerStdio: new (server: { name: string; command: string; args: string[] }) => object;
  readonly MCPServerStreamableHttp: new (server: { name: string; url: string }) => object;
  readonly RunContext: new () => object;
  connectMcpServers(
    servers: object[],
    options: { strict: boolean; connectInParallel: boolean },
  ): Promise<{ readonly active: readonly object[]; close(): Promise<void> }>;
  getAllMcpTools(options: {
    mcpServers: readonly object[];
    includeServerInToolNames: boolean;
  }): Promise<readonly Tool[]>;
}

/** The agents of OpenAI: their servers, connected at the same time, called by the function tools an agent has. */
export const openaiAgents: BenchClient = {
  async start(servers, options = {}) {
    const agents = await loaderOf(options)<OpenaiAgents>("@openai/agents");
    const connected = await agents.connectMcpServers(
      servers.map((server) => serverOf(server, agents)),
      { strict: false, connectInParallel: true },
    );
    // The servers' tools have the same names, and an agent can have each once only.
    const tools = await agents.getAllMcpTools({
      mcpServers: connected.active,
      includeServerInToolNames: servers.length > 1,
    });
    const echo = echoOf(servers);
    const tool = tools.find(({ name }) => name === echo.name || name.endsWith(`_${echo.name}`));
    const context = new agents.RunContext();
    return {
      tools: liveTools(tools.map(({ name }) => name)),
      async call(text, repeat) {
        const input = JSON.stringify(echoArguments(echo, text, repeat));
        return textOfOutput(await tool?.invoke(context, input));
      },
      close: () => connected.close(),
    };
  },
};

function serverOf(server: ServerUnderTest, agents: OpenaiAgents): object {
  const { name } = server;
  return server.transport === "http"
    ? new agents.MCPServerStreamableHttp({ name, url: server.url })
    : new agents.MCPServerStdio({ name, command: server.command, args: [...server.args] });
}

/** One block is the output itself, or stands in a list; some versions hand it over as JSON. */
function textOfOutput(output: unknown): string {
  const value = typeof output === "string" && output.startsWith("{") ? JSON.parse(output) : output;
  if (typeof value === "string") return value;
  const block = Array.isArray(value) ? firstOf(value) : value;
  if (typeof block?.text === "string") return block.text;
  throw new Error(`An answer has no text: ${JSON.stringify(output)?.slice(0, 200)}`);
}
