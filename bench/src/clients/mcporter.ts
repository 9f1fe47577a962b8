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

/** What is used of `mcporter`. */
interface Mcporter {
  createRuntime(options: { servers: object[] }): Promise<{
    listTools(server: string): Promise<readonly { readonly name: string }[]>;
    callTool(server: string, tool: string, options: { args: object }): Promise<unknown>;
    close(): Promise<void>;
  }>;
}

/** The runtime of mcporter, whose servers are all asked for their tools at the same time. */
export const mcporter: BenchClient = {
  async start(servers, options = {}) {
    const { createRuntime } = await loaderOf(options)<Mcporter>("mcporter");
    const runtime = await createRuntime({ servers: servers.map(definitionOf) });
    const lists = await Promise.all(servers.map(({ name }) => runtime.listTools(name)));
    const { name } = firstOf(servers);
    const echo = echoOf(servers);
    return {
      tools: liveTools(lists.flat().map((tool) => tool.name)),
      call: async (text, repeat) =>
        textOf(await runtime.callTool(name, echo.name, { args: echoArguments(echo, text, repeat) })),
      close: () => runtime.close(),
    };
  },
};

function definitionOf(server: ServerUnderTest): object {
  const { name } = server;
  return server.transport === "http"
    ? { name, command: { kind: "http", url: new URL(server.url) } }
    : { name, command: { kind: "stdio", command: server.command, args: server.args, cwd: process.cwd() } };
}
