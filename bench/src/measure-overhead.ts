import type { Mcp } from "jackfield";
import { adaptedToolsMs } from "./measure-adapting.ts";
import { searchFigures } from "./measure-searching.ts";
import type { Figures, OverheadRequest } from "./measurement.ts";
import { ECHO_TOOL } from "./servers/answer.ts";
import { cpuMilliseconds } from "./stopwatch.ts";
import { createStubServers, type StubServers, stubEntries } from "./stub-servers.ts";

const READS = 1_000;
const CHANGES = 200;
const SERVER = "server-1";

/** Measures what the runtime itself costs: above servers that cost nothing. */
export async function measureOverhead({ servers, calls }: OverheadRequest): Promise<Figures> {
  const { openMcp } = await import("jackfield");
  const stubs = createStubServers();
  const mcp = await openMcp({ servers: stubEntries(servers), cache: false, connect: stubs.connect });
  try {
    return {
      adaptedToolsMs: await adaptedToolsMs(mcp),
      unchangedToolsMs: averageMs(READS, () => mcp.tools()),
      changedToolsMs: await changedToolsMs(mcp, stubs),
      ...(await searchFigures()),
      addedCpuMs: await addedCpuMs(mcp, stubs, calls),
    };
  } finally {
    await mcp.close();
  }
}

function averageMs(count: number, work: () => unknown): number {
  const before = performance.now();
  for (let done = 0; done < count; done += 1) work();
  return (performance.now() - before) / count;
}

/** One server lists its tools anew, nine of them changed, and all tools are read. */
async function changedToolsMs(mcp: Mcp, stubs: StubServers): Promise<number> {
  const change = async () => {
    const before = mcp.tools();
    stubs.change(SERVER);
    await mcp.refreshTools(SERVER);
    if (mcp.tools() === before) throw new Error("The tools did not change.");
  };
  for (let done = 0; done < CHANGES; done += 1) await change();
  const before = performance.now();
  for (let done = 0; done < CHANGES; done += 1) await change();
  return (performance.now() - before) / CHANGES;
}

/** The CPU time of a call, less that of the same request made of the session. */
async function addedCpuMs(mcp: Mcp, stubs: StubServers, calls: number): Promise<number> {
  const name = mcp.tools().find((tool) => tool.server === SERVER && tool.originalName === ECHO_TOOL)?.name;
  if (name === undefined) throw new Error(`Server "${SERVER}" has no tool "${ECHO_TOOL}".`);
  const args = { text: "hello" };
  const session = stubs.session(SERVER);
  const call = () => mcp.callTool(name, args);
  const request = () => session.request("tools/call", { name: ECHO_TOOL, arguments: args }, {});
  for (const work of [call, request]) await cpuMs(calls, work);
  return Math.max(0, (await cpuMs(calls, call)) - (await cpuMs(calls, request)));
}

async function cpuMs(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMilliseconds();
  for (let done = 0; done < count; done += 1) await work();
  return (cpuMilliseconds() - before) / count;
}
