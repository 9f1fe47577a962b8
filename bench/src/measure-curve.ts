import { withTools } from "./measure-memory.ts";
import { type CheckedClient, type MeasuredClient, numberedText, startChecked } from "./measured-client.ts";
import type { CurveRequest, Point } from "./measurement.ts";
import { median } from "./statistics.ts";
import { cpuMilliseconds } from "./stopwatch.ts";

/** The work of one point is repeated, and the median taken: at least so often, and as long as there is time, at most so often. */
const LEAST_REPEATS = 3;
const MOST_REPEATS = 50;
const REPEATING_MS = 200;

const TEXT_BYTES = 100;
const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Measures how the time grows with the size. Ends at the first size that the client cannot do. */
export async function measureCurve(client: MeasuredClient, request: CurveRequest): Promise<Point[]> {
  const options = { maxMessageBytes: MOST_MESSAGE_BYTES };
  const checked = await startChecked(client, [request.server], options);
  const points: Point[] = [];
  try {
    await checked.call("first");
    for (const at of request.sizes) points.push(await pointAt(at, { client, request, checked }));
  } catch (error) {
    if (points.length === 0) throw error;
  } finally {
    await checked.running.close();
  }
  return points;
}

interface Surroundings {
  readonly client: MeasuredClient;
  readonly request: CurveRequest;
  readonly checked: CheckedClient;
}

async function pointAt(at: number, surroundings: Surroundings): Promise<Point> {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  await workMs(at, surroundings); // warms up
  const beganAt = performance.now();
  const isEnough = () => times.length >= LEAST_REPEATS && performance.now() - beganAt > REPEATING_MS;
  while (times.length < MOST_REPEATS && !isEnough()) {
    const cpuBefore = cpuMilliseconds();
    times.push(await workMs(at, surroundings));
    cpuTimes.push(cpuMilliseconds() - cpuBefore);
  }
  return { at, figures: { pointMs: median(times), pointCpuMs: median(cpuTimes) } };
}

/** How long the work of one size takes: so many servers or tools ready, so many bytes answered, so many calls at once answered. */
async function workMs(at: number, { client, request, checked }: Surroundings): Promise<number> {
  const { of, server } = request;
  if (of === "servers" || of === "tools") {
    const servers =
      of === "tools"
        ? [withTools(server, at)]
        : Array.from({ length: at }, (_, index) => ({ ...server, name: `server-${index + 1}` }));
    const before = performance.now();
    const opened = await client.start(servers);
    const ms = performance.now() - before;
    await opened.close();
    return ms;
  }
  const before = performance.now();
  if (of === "bytes")
    await checked.call(numberedText(at, TEXT_BYTES), Math.max(1, Math.round(at / TEXT_BYTES)));
  else
    await Promise.all(
      Array.from({ length: at }, (_, index) => checked.call(numberedText(index, TEXT_BYTES))),
    );
  return performance.now() - before;
}
