import type { Figures, KnownRequest } from "./measurement.ts";
import { TOOLS_PER_SERVER } from "./servers/answer.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";
import { connectNever, createStubServers, stubEntries } from "./stub-servers.ts";

/** Measures from the process's start until the tools of very many servers are usable, all of them known from the catalog. */
export async function measureKnown(
  { servers, catalogDirectory, fill }: KnownRequest,
  startedAt: string,
): Promise<Figures> {
  const { openMcp } = await import("jackfield");
  const connect = fill ? createStubServers().connect : connectNever;
  const mcp = await openMcp({ servers: stubEntries(servers), cache: { path: catalogDirectory }, connect });
  try {
    const tools = mcp.tools();
    const figures = { readyMs: millisecondsSince(startedAt), readyCpuMs: cpuMilliseconds() };
    const expected = fill ? "live" : "cache";
    if (tools.length !== servers * TOOLS_PER_SERVER) throw new Error(`There are ${tools.length} tools.`);
    const other = tools.find(({ origin }) => origin !== expected);
    if (other !== undefined) throw new Error(`Tool "${other.name}" is ${other.origin}, not ${expected}.`);
    return figures;
  } finally {
    await mcp.close();
  }
}
