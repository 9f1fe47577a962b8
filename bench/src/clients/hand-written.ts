import {
  type BenchClient,
  echoArguments,
  echoOf,
  firstOf,
  liveTools,
  type ServerUnderTest,
  textOf,
} from "./client.ts";
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
    const first = firstOf(connections);
    const echo = echoOf(servers);
    return {
      tools: liveTools(tools.map(({ name }) => name)),
      call: async (text, repeat) =>
        textOf(
          await first.request("tools/call", {
            name: echo.name,
            arguments: echoArguments(echo, text, repeat),
          }),
        ),
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
