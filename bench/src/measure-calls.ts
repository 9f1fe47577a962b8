import { type CheckedClient, type MeasuredClient, numberedText, startChecked } from "./measured-client.ts";
import type { CallsRequest, Figures } from "./measurement.ts";
import { median, quantile } from "./statistics.ts";
import { cpuMilliseconds } from "./stopwatch.ts";

/** Large answers are a text of this many bytes over and over. */
const REPEATED_BYTES = 1_024;

/** The most large calls that warm up: a few show a compiler all there is. */
const LARGE_WARM_UP = 3;

/** Measures calls on one connection: one after the other, small and large, then many at the same time, each after a warm-up. */
export async function measureCalls(
  client: MeasuredClient,
  { server, counts, sizes }: CallsRequest,
): Promise<Figures> {
  const checked = await startChecked(client, [server]);
  const { smallBytes, inFlight } = sizes;
  try {
    await callInTurn(checked, counts.warmUp, smallBytes);
    const sequential = await measureSequential(checked, counts.sequential, smallBytes);
    await callAtOnce(checked, counts.warmUp, sizes);
    const concurrent = await measureConcurrent(checked, counts.concurrent, { smallBytes, inFlight });
    if (counts.large === 0) return { ...sequential, ...concurrent };
    return { ...sequential, ...concurrent, ...(await measureLarge(checked, counts.large, sizes.largeBytes)) };
  } finally {
    await checked.running.close();
  }
}

async function measureSequential(checked: CheckedClient, count: number, bytes: number): Promise<Figures> {
  const cpuBefore = cpuMilliseconds();
  const times = await callInTurn(checked, count, bytes);
  return {
    sequentialP50Ms: median(times),
    sequentialP99Ms: quantile(times, 0.99),
    sequentialCpuMs: (cpuMilliseconds() - cpuBefore) / count,
  };
}

async function measureLarge(checked: CheckedClient, count: number, bytes: number): Promise<Figures> {
  const repeat = Math.max(2, Math.round(bytes / REPEATED_BYTES));
  await callInTurn(checked, Math.min(count, LARGE_WARM_UP), REPEATED_BYTES, repeat);
  const cpuBefore = cpuMilliseconds();
  const times = await callInTurn(checked, count, REPEATED_BYTES, repeat);
  return { largeP50Ms: median(times), largeCpuMs: (cpuMilliseconds() - cpuBefore) / count };
}

async function measureConcurrent(checked: CheckedClient, count: number, way: Concurrency): Promise<Figures> {
  const cpuBefore = cpuMilliseconds();
  const before = performance.now();
  await callAtOnce(checked, count, way);
  return {
    callsPerSecond: (count / (performance.now() - before)) * 1000,
    concurrentCpuMs: (cpuMilliseconds() - cpuBefore) / count,
  };
}

/** Makes calls one after the other, and returns how long each took in milliseconds. */
async function callInTurn(
  checked: CheckedClient,
  count: number,
  bytes: number,
  repeat?: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const text = numberedText(index, bytes);
    const before = performance.now();
    await checked.call(text, repeat);
    times.push(performance.now() - before);
  }
  return times;
}

/** How calls are made at the same time. */
export interface Concurrency {
  readonly smallBytes: number;
  readonly inFlight: number;
}

/** Each lane makes its next call when its last one was answered. */
export async function callAtOnce(
  checked: CheckedClient,
  count: number,
  { smallBytes, inFlight }: Concurrency,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await checked.call(numberedText(next, smallBytes));
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, lane));
}
