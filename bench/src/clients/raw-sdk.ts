import type { Client, Transport } from "@modelcontextprotocol/client";
import { ECHO_TOOL } from "../servers/answer.ts";
import { type BenchClient, type ServerUnderTest, textOf } from "./client.ts";

/** The official SDK's client with its defaults: one client for each server, all connected at the same time. */
export const rawSdk: BenchClient = {
  async start(servers) {
    const sdk = await loadSdk();
    const clients = servers.map(() => new sdk.Client({ name: "bench", version: "1.0.0" }));
    const connect = async (client: Client, index: number) => {
      await client.connect(transportTo(servers[index] as ServerUnderTest, sdk));
      return (await client.listTools()).tools;
    };
    const tools = (await Promise.all(clients.map(connect))).flat();
    const [first] = clients;
    if (first === undefined) throw new Error("There must be a server.");
    return {
      tools: tools.map(({ name }) => ({ name, origin: "live" })),
      call: async (text) => textOf(await first.callTool({ name: ECHO_TOOL, arguments: { text } })),
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

function transportTo(server: ServerUnderTest, sdk: Awaited<ReturnType<typeof loadSdk>>): Transport {
  return server.transport === "http"
    ? new sdk.StreamableHTTPClientTransport(new URL(server.url))
    : new sdk.StdioClientTransport({ command: server.command, args: [...server.args] });
}
