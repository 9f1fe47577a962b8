import { ECHO_TOOL } from "../servers/answer.ts";
import { type BenchClient, type ServerUnderTest, textOf } from "./client.ts";
import type { Connection } from "./hand-written-connection.ts";
import { connectHttp } from "./hand-written-http.ts";
import { connectStdio } from "./hand-written-stdio.ts";

/**
 * The least that talks to a server: the platform's own modules, no validation, no deadlines, no recovery. A bound for what
 * any client can reach, not a design.
 */
export const handWritten: BenchClient = {
  async start(servers) {
    const connections = await Promise.all(servers.map(connectionTo));
    const tools = (await Promise.all(connections.map(handshake))).flat();
    const [first] = connections;
    if (first === undefined) throw new Error("There must be a server.");
    return {
      tools: tools.map(({ name }) => ({ name, origin: "live" })),
      call: async (text) => {
        const result = await first.request("tools/call", { name: ECHO_TOOL, arguments: { text } });
        return textOf(result as { content?: unknown });
      },
      close: async () => {
        await Promise.all(connections.map((connection) => connection.close()));
      },
    };
  },
};

function connectionTo(server: ServerUnderTest): Promise<Connection> {
  return server.transport === "http" ? connectHttp(server.url) : connectStdio(server.command, server.args);
}

async function handshake(connection: Connection): Promise<readonly { readonly name: string }[]> {
  await connection.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  });
  await connection.notify("notifications/initialized");
  const { tools } = (await connection.request("tools/list", {})) as { tools: { name: string }[] };
  return tools;
}
