import { checkedCall } from "./checked-call.ts";
import type { BenchClient, OfferedTool } from "./clients/client.ts";
import type { Figures, StartRequest } from "./measurement.ts";
import { TOOLS_PER_SERVER } from "./servers/answer.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";

/** Measures from the process's start to usable tools, and on to the answer of a first call. */
export async function measureStart(
  client: BenchClient,
  { servers, catalog }: StartRequest,
  startedAt: string,
): Promise<Figures> {
  const running = await client.start(servers, { catalogDirectory: catalog?.directory });
  const readyMs = millisecondsSince(startedAt);
  const readyCpuMs = cpuMilliseconds();
  try {
    checkTools(running.tools, servers.length * TOOLS_PER_SERVER, catalog?.expectsTools ? "catalog" : "live");
    await checkedCall(running, "first");
    return { readyMs, readyCpuMs, firstAnswerMs: millisecondsSince(startedAt) };
  } finally {
    await running.close();
  }
}

function checkTools(tools: readonly OfferedTool[], count: number, origin: OfferedTool["origin"]): void {
  if (tools.length !== count) throw new Error(`There are ${tools.length} tools instead of ${count}.`);
  const other = tools.find((tool) => tool.origin !== origin);
  if (other !== undefined)
    throw new Error(`Tool "${other.name}" is ${other.origin}, but all should be ${origin}.`);
}
