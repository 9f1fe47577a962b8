import { ECHO_TOOL } from "../servers/answer.ts";
import { type BenchClient, type ServerUnderTest, textOf } from "./client.ts";

/** Jackfield through its public API, called as an agent framework calls it: by the exposed name. */
export const jackfield: BenchClient = {
  async start(servers, { catalogDirectory } = {}) {
    const { openMcp } = await import("jackfield");
    const mcp = await openMcp({
      servers: Object.fromEntries(servers.map((server) => [server.name, entryOf(server)])),
      cache: catalogDirectory === undefined ? false : { path: catalogDirectory },
    });
    const [failure] = mcp.report.failed;
    if (failure !== undefined) {
      await mcp.close();
      throw failure.error;
    }
    const tools = mcp.tools();
    const echo = tools.find((tool) => tool.server === servers[0]?.name && tool.originalName === ECHO_TOOL);
    return {
      tools: tools.map(({ name, origin }) => ({ name, origin: origin === "cache" ? "catalog" : "live" })),
      call: async (text) => textOf(await mcp.callTool(echo?.name ?? ECHO_TOOL, { text })),
      close: () => mcp.close(),
    };
  },
};

function entryOf(server: ServerUnderTest) {
  return server.transport === "http" ? { url: server.url } : { command: server.command, args: server.args };
}
