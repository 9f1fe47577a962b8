import { setTimeout as delay } from "node:timers/promises";
import type { OfferedTool, ServerUnderTest } from "./clients/client.ts";
import { handWritten } from "./clients/hand-written.ts";
import { type MeasuredClient, startChecked } from "./measured-client.ts";
import type { Figures, StartRequest } from "./measurement.ts";
import { TOOLS_PER_SERVER } from "./servers/answer.ts";
import { readStarts } from "./servers/notes.ts";
import { median } from "./statistics.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";

/** Measures from the process's start to usable tools, and on to the answer of a first call. */
export async function measureStart(
  client: MeasuredClient,
  request: StartRequest,
  startedAt: string,
): Promise<Figures> {
  const { servers, catalog, patienceMs } = request;
  const starting = startChecked(client, servers, { catalogDirectory: catalog?.directory });
  const checked = await within(patienceMs, starting);
  const readyAt = process.hrtime.bigint();
  const readyMs = millisecondsSince(startedAt);
  const readyCpuMs = cpuMilliseconds();
  if (checked === undefined) return { gaveUpAfterMs: patienceMs ?? 0 };
  const figures: Figures[] = [];
  try {
    checkTools(checked.running.tools, request);
    await checked.call("first");
    const firstAnswerMs = millisecondsSince(startedAt);
    figures.push({ readyMs, readyCpuMs, firstAnswerMs, ...startsFigures(request, readyAt) });
    if (catalog?.expectsTools) figures.push({ firstUseMs: firstAnswerMs - readyMs });
  } finally {
    await within(patienceMs, checked.running.close());
  }
  // Once it is closed, so that nothing else is being started.
  if (catalog?.expectsTools && servers[0]) figures.push({ comparedMs: await serverStartMs(servers[0]) });
  return Object.assign({}, ...figures);
}

const COMPARED_STARTS = 3;

/** What a start of the server and a call take whoever does no more than that, in the median of some. */
export async function serverStartMs(server: ServerUnderTest): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < COMPARED_STARTS; start += 1) {
    const before = performance.now();
    const running = await handWritten.start([server]);
    await running.call("started");
    times.push(performance.now() - before);
    await running.close();
  }
  return median(times);
}

/** What was promised, or `undefined` if it does not come in time. */
async function within<T>(limitMs: number | undefined, promise: Promise<T>): Promise<T | undefined> {
  return limitMs === undefined ? promise : Promise.race([promise, delay(limitMs, undefined)]);
}

/** How many server processes there were when the tools could be used, and when the first call was answered. */
function startsFigures({ notes, servers }: StartRequest, readyAt: bigint): Figures {
  if (notes === undefined) return {};
  const starts = readStarts(notes);
  return {
    startedBeforeReady: starts.filter(({ at }) => at <= readyAt).length,
    startedEach: starts.length / servers.length,
  };
}

function checkTools(tools: readonly OfferedTool[], { servers, catalog, oneHangs }: StartRequest): void {
  const origin = catalog?.expectsTools ? "catalog" : "live";
  const most = servers.length * TOOLS_PER_SERVER;
  const least = oneHangs ? most - TOOLS_PER_SERVER : most;
  if (tools.length > most || tools.length < least)
    throw new Error(`There are ${tools.length} tools instead of ${most}.`);
  const other = tools.find((tool) => tool.origin !== origin);
  if (other !== undefined)
    throw new Error(`Tool "${other.name}" is ${other.origin}, but all should be ${origin}.`);
}
