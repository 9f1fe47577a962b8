import type { Client, Transport } from "@modelcontextprotocol/client";
import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  liveTools,
  type ServerUnderTest,
  type StartOptions,
  textOf,
} from "./client.ts";

/** The official SDK's client with its defaults: one client for each server, all connected at the same time. */
export const rawSdk: BenchClient = {
  async start(servers, options = {}) {
    const sdk = await loadSdk();
    const clients = servers.map(() => new sdk.Client({ name: "bench", version: "1.0.0" }));
    const connect = async (client: Client, index: number) => {
      await client.connect(transportTo(servers[index] as ServerUnderTest, sdk, options));
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

async function loadSdk() {
  const [client, stdio] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  return { ...client, ...stdio };
}

function transportTo(
  server: ServerUnderTest,
  sdk: Awaited<ReturnType<typeof loadSdk>>,
  { maxMessageBytes }: StartOptions,
): Transport {
  if (server.transport === "http") return new sdk.StreamableHTTPClientTransport(new URL(server.url));
  const { command, args } = server;
  return new sdk.StdioClientTransport({
    command,
    args: [...args],
    ...(maxMessageBytes !== undefined && { maxBufferSize: maxMessageBytes }),
  });
}
