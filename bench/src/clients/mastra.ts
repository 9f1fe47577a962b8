import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  loaderOf,
  type OfferedTool,
  type ServerUnderTest,
  textOf,
} from "./client.ts";

type Tools = Readonly<Record<string, { execute?(args: object, context: object): Promise<unknown> }>>;

interface Client {
  listTools(): Promise<Tools>;
  listToolDefinitions(): Promise<object>;
  toolsFromDefinitions(catalog: { definitions: object }): Promise<Tools>;
  disconnect(): Promise<void>;
}

/** What is used of `@mastra/mcp`. */
interface MastraMcp {
  readonly MCPClient: new (options: { id: string; servers: object }) => Client;
}

let clients = 0;

/**
 * The MCP client of Mastra: one for all servers, called by its tools. It can make tools of definitions that an application
 * has stored; here they are in a file.
 */
export const mastra: BenchClient = {
  async start(servers, options = {}) {
    const { MCPClient } = await loaderOf(options)<MastraMcp>("@mastra/mcp");
    clients += 1;
    const client = new MCPClient({ id: `bench-${clients}`, servers: definitionsOf(servers) });
    const { tools, origin } = await toolsOf(client, options.catalogDirectory);
    const echo = echoOf(servers);
    const tool = tools[`${firstOf(servers).name}_${echo.name}`];
    return {
      tools: Object.keys(tools).map((name) => ({ name, origin })),
      call: async (text, repeat) => textOf(await tool?.execute?.(echoArguments(echo, text, repeat), {})),
      close: () => client.disconnect(),
    };
  },
};

async function toolsOf(
  client: Client,
  directory?: string,
): Promise<{ tools: Tools; origin: OfferedTool["origin"] }> {
  if (directory === undefined) return { tools: await client.listTools(), origin: "live" };
  const file = join(directory, "definitions.json");
  if (existsSync(file)) {
    const definitions = JSON.parse(readFileSync(file, "utf8"));
    return { tools: await client.toolsFromDefinitions({ definitions }), origin: "catalog" };
  }
  const tools = await client.listTools();
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, JSON.stringify(await client.listToolDefinitions()));
  return { tools, origin: "live" };
}

function definitionsOf(servers: readonly ServerUnderTest[]): object {
  return Object.fromEntries(
    servers.map((server) => [
      server.name,
      server.transport === "http"
        ? { url: new URL(server.url) }
        : { command: server.command, args: [...server.args] },
    ]),
  );
}
