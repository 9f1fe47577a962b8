import { setTimeout as delay } from "node:timers/promises";
import type { OfferedTool } from "./clients/client.ts";
import { type MeasuredClient, startChecked } from "./measured-client.ts";
import type { Figures, StartRequest } from "./measurement.ts";
import { TOOLS_PER_SERVER } from "./servers/answer.ts";
import { readStarts } from "./servers/notes.ts";
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
  try {
    checkTools(checked.running.tools, request);
    await checked.call("first");
    const firstAnswerMs = millisecondsSince(startedAt);
    return { readyMs, readyCpuMs, firstAnswerMs, ...startsFigures(request, readyAt) };
  } finally {
    await within(patienceMs, checked.running.close());
  }
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
