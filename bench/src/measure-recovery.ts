import { setTimeout as delay } from "node:timers/promises";
import { serverStartMs } from "./measure-start.ts";
import { type CheckedClient, type MeasuredClient, startChecked } from "./measured-client.ts";
import type { Figures, RecoveryRequest } from "./measurement.ts";
import { readStarts } from "./servers/notes.ts";
import { median } from "./statistics.ts";

const WARM_UP = 50;

/** How long whoever sees a call fail waits before he makes the next. */
const BETWEEN_CALLS_MS = 5;

/** Measures how long it takes after a fault until a call is answered again by the tools that were handed out before. */
export async function measureRecovery(client: MeasuredClient, request: RecoveryRequest): Promise<Figures> {
  const startMs = request.notes === undefined ? undefined : await serverStartMs(request.server);
  const checked = await startChecked(client, [request.server]);
  const callMs = await warmCallMs(checked);
  if (request.notes === undefined) await ask(request, "POST", "/forget");
  else await killServer(request.notes);
  const recovery = await callUntilAnswered(checked, request.patienceMs);
  const roundTrips = request.notes === undefined ? await roundTripsSeen(request) : undefined;
  await Promise.race([checked.running.close(), delay(request.patienceMs)]);
  return {
    ...recovery,
    comparedMs: startMs ?? callMs,
    ...(roundTrips !== undefined && recovery.recoveryMs !== undefined && { roundTrips }),
  };
}

async function warmCallMs(checked: CheckedClient): Promise<number> {
  const times: number[] = [];
  for (let made = 0; made < WARM_UP; made += 1) {
    const before = performance.now();
    await checked.call(`call ${made};`);
    times.push(performance.now() - before);
  }
  return median(times);
}

async function callUntilAnswered(checked: CheckedClient, patienceMs: number): Promise<Figures> {
  const before = performance.now();
  const elapsedMs = () => performance.now() - before;
  for (let failedCalls = 0; elapsedMs() < patienceMs; failedCalls += 1) {
    const call = checked.call(`again ${failedCalls};`).then(
      () => true,
      () => false,
    );
    if (await Promise.race([call, delay(patienceMs, false)])) return { recoveryMs: elapsedMs(), failedCalls };
    await delay(BETWEEN_CALLS_MS);
  }
  return { gaveUpAfterMs: patienceMs };
}

/** Kills the server that was started last, and waits until it is gone. */
async function killServer(notes: string): Promise<void> {
  const pid = readStarts(notes).at(-1)?.pid;
  if (pid === undefined) throw new Error("The server did not write down its start.");
  process.kill(pid, "SIGKILL");
  while (isRunning(pid)) await delay(1);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What the server had answered when the call came again. */
async function roundTripsSeen(request: RecoveryRequest): Promise<number> {
  const methods = JSON.parse(await ask(request, "GET", "/answered")) as string[];
  return methods.length;
}

async function ask({ server }: RecoveryRequest, method: string, path: string): Promise<string> {
  if (server.transport !== "http") throw new Error("Only servers behind HTTP forget their sessions.");
  const { request } = await import("undici");
  const { body } = await request(new URL(path, server.url), { method });
  return body.text();
}
