import type { Mcp } from "jackfield";
import {
  type BenchClient,
  echoArguments,
  echoOf,
  entriesOf,
  firstOf,
  type OfferedTool,
  type Running,
  type ServerUnderTest,
  type StartOptions,
  textOf,
} from "./client.ts";

/** Jackfield through its public API, with its defaults, called by the exposed name of a tool. */
export const jackfield: BenchClient = {
  async start(servers, options) {
    const mcp = await openJackfield(servers, options);
    const name = exposedEcho(mcp, servers);
    const echo = echoOf(servers);
    return {
      ...runningOf(mcp, servers),
      call: async (text, repeat) => textOf(await mcp.callTool(name, echoArguments(echo, text, repeat))),
    };
  },
};

/** Opens the runtime. Throws if a server has failed, with nothing left behind. */
export async function openJackfield(
  servers: readonly ServerUnderTest[],
  { catalogDirectory, maxMessageBytes }: StartOptions = {},
): Promise<Mcp> {
  const { openMcp } = await import("jackfield");
  const mcp = await openMcp({
    servers: entriesOf(servers),
    cache: catalogDirectory === undefined ? false : { path: catalogDirectory },
    ...(maxMessageBytes !== undefined && { limits: { maxMessageBytes } }),
  });
  const [failure] = mcp.report.failed;
  if (failure === undefined) return mcp;
  await mcp.close();
  throw failure.error;
}

/** The name under which the echo tool of the first server is offered. */
export function exposedEcho(mcp: Mcp, servers: readonly ServerUnderTest[]): string {
  const echo = echoOf(servers);
  const found = mcp
    .tools()
    .find((tool) => tool.server === servers[0]?.name && tool.originalName === echo.name);
  if (found === undefined) throw new Error(`There is no tool "${echo.name}".`);
  return found.name;
}

/** What is the same for Jackfield and for its adapters. */
export function runningOf(mcp: Mcp, servers: readonly ServerUnderTest[]): Omit<Running, "call"> {
  return {
    tools: mcp.tools().map(({ name, origin }): OfferedTool => {
      return { name, origin: origin === "cache" ? "catalog" : "live" };
    }),
    reconnect: () => mcp.reconnect(firstOf(servers).name),
    close: () => mcp.close(),
  };
}
