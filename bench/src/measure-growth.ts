import { callAtOnce } from "./measure-calls.ts";
import { type CheckedClient, type MeasuredClient, startChecked } from "./measured-client.ts";
import type { Figures, GrowthRequest } from "./measurement.ts";
import { weigh } from "./weighing.ts";

const MEBIBYTE = 1024 * 1024;
const TEXT_BYTES = 100;

/** The share of the work that is done before the first weighing: by then everything is loaded, compiled and at its usual size. */
const WARM_UP = 0.1;

/** Measures what the heap has grown by, after garbage collection, over very many calls or replaced sessions. */
export async function measureGrowth(client: MeasuredClient, request: GrowthRequest): Promise<Figures> {
  let checked = await startChecked(client, [request.server]);
  const work = async (count: number) => {
    if (request.of === "calls")
      await callAtOnce(checked, count, { smallBytes: TEXT_BYTES, inFlight: request.inFlight });
    else for (let made = 0; made < count; made += 1) checked = await replaced(checked, client, request);
  };
  await work(Math.ceil(request.count * WARM_UP));
  const before = await weigh();
  await work(request.count);
  const after = await weigh();
  await checked.running.close();
  return {
    heapMib: (after.heapUsed - before.heapUsed) / MEBIBYTE,
    residentMib: (after.rss - before.rss) / MEBIBYTE,
  };
}

/** Replaces the session, and calls over the new one. */
async function replaced(
  checked: CheckedClient,
  client: MeasuredClient,
  { server }: GrowthRequest,
): Promise<CheckedClient> {
  const { running } = checked;
  let next = checked;
  if (running.reconnect) await running.reconnect();
  else {
    await running.close();
    next = await startChecked(client, [server]);
  }
  await next.call("reconnected");
  return next;
}
