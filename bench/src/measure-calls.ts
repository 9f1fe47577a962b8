import { checkedCall } from "./checked-call.ts";
import type { BenchClient, Running } from "./clients/client.ts";
import { type CallsRequest, CONCURRENCY, type Figures } from "./measurement.ts";
import { median, quantile } from "./statistics.ts";
import { cpuMilliseconds } from "./stopwatch.ts";

/** Measures calls on one connection: first one after the other, then many at the same time, each after a warm-up. */
export async function measureCalls(client: BenchClient, { server, counts }: CallsRequest): Promise<Figures> {
  const running = await client.start([server]);
  try {
    await callInTurn(running, counts.warmUp);
    const sequential = await measureSequential(running, counts.sequential);
    await callAtOnce(running, counts.warmUp);
    const concurrent = await measureConcurrent(running, counts.concurrent);
    return { ...sequential, ...concurrent };
  } finally {
    await running.close();
  }
}

async function measureSequential(running: Running, count: number): Promise<Figures> {
  const cpuBefore = cpuMilliseconds();
  const times = await callInTurn(running, count);
  return {
    sequentialP50Ms: median(times),
    sequentialP99Ms: quantile(times, 0.99),
    sequentialCpuMs: (cpuMilliseconds() - cpuBefore) / count,
  };
}

async function measureConcurrent(running: Running, count: number): Promise<Figures> {
  const cpuBefore = cpuMilliseconds();
  const before = performance.now();
  await callAtOnce(running, count);
  return {
    callsPerSecond: (count / (performance.now() - before)) * 1000,
    concurrentCpuMs: (cpuMilliseconds() - cpuBefore) / count,
  };
}

async function callInTurn(running: Running, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = performance.now();
    await checkedCall(running, `call ${index}`);
    times.push(performance.now() - before);
  }
  return times;
}

/** Each lane makes its next call when its last one was answered. */
async function callAtOnce(running: Running, count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await checkedCall(running, `call ${next}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}
