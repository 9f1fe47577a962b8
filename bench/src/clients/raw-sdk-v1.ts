import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  type Load,
  liveTools,
  loaderOf,
  type ServerUnderTest,
  textOf,
} from "./client.ts";

/** What is used of `@modelcontextprotocol/sdk`. */
interface Client {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(params: { name: string; arguments: object }): Promise<unknown>;
  close(): Promise<void>;
}

interface Sdk {
  readonly Client: new (info: { name: string; version: string }) => Client;
  readonly StdioClientTransport: new (server: { command: string; args: string[] }) => object;
  readonly StreamableHTTPClientTransport: new (url: URL) => object;
}

/** Version 1 of the official SDK, used as its successor is. */
export const rawSdkV1: BenchClient = {
  async start(servers, options = {}) {
    const sdk = await loadSdk(loaderOf(options));
    const clients = servers.map(() => new sdk.Client({ name: "bench", version: "1.0.0" }));
    const connect = async (client: Client, index: number) => {
      await client.connect(transportTo(servers[index] as ServerUnderTest, sdk));
      return (await client.listTools()).tools;
    };
    const tools = (await Promise.all(clients.map(connect))).flat();
    const first = firstOf(clients);
    const echo = echoOf(servers);
    return {
      tools: liveTools(tools.map(({ name }) => name)),
      call: async (text, repeat) =>
        textOf(await first.callTool({ name: echo.name, arguments: echoArguments(echo, text, repeat) })),
      close: async () => {
        await Promise.all(clients.map((client) => client.close()));
      },
    };
  },
};

async function loadSdk(load: Load): Promise<Sdk> {
  const [client, stdio, http] = await Promise.all([
    load<Pick<Sdk, "Client">>("@modelcontextprotocol/sdk/client/index.js"),
    load<Pick<Sdk, "StdioClientTransport">>("@modelcontextprotocol/sdk/client/stdio.js"),
    load<Pick<Sdk, "StreamableHTTPClientTransport">>("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  ]);
  return { ...client, ...stdio, ...http };
}

function transportTo(server: ServerUnderTest, sdk: Sdk): object {
  return server.transport === "http"
    ? new sdk.StreamableHTTPClientTransport(new URL(server.url))
    : new sdk.StdioClientTransport({ command: server.command, args: [...server.args] });
}
