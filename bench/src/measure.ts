import type { Load } from "./clients/client.ts";
import { CLIENTS } from "./clients/clients.ts";
import { measureCalls } from "./measure-calls.ts";
import { measureCurve } from "./measure-curve.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measureKnown } from "./measure-known.ts";
import { measureMemory } from "./measure-memory.ts";
import { measureOverhead } from "./measure-overhead.ts";
import { measureRecovery } from "./measure-recovery.ts";
import { measureStart } from "./measure-start.ts";
import type { MeasuredClient } from "./measured-client.ts";
import type { ClientRequest, Figures, MeasurementRequest, Point } from "./measurement.ts";

/**
 * The process that measures once: takes the request and the moment it was started, prints the figures. It is built into one file
 * and imports what it measures when it measures it, so that its own part of a start is small and the same for everybody.
 */
const [, , json = "", startedAt = ""] = process.argv;
const result = JSON.stringify(await take(JSON.parse(json)));
// A client that was given up may hold the process for ever; its servers end with their input.
process.stdout.write(result, () => process.exit());

function take(request: MeasurementRequest): Promise<Figures | Point[]> {
  switch (request.kind) {
    case "start":
      return measureStart(clientOf(request), request, startedAt);
    case "calls":
      return measureCalls(clientOf(request), request);
    case "known":
      return measureKnown(request, startedAt);
    case "memory":
      return measureMemory(clientOf(request), request);
    case "overhead":
      return measureOverhead(request);
    case "recovery":
      return measureRecovery(clientOf(request), request);
    case "growth":
      return measureGrowth(clientOf(request), request);
    case "curve":
      return measureCurve(clientOf(request), request);
  }
}

/** The client, which loads its modules from where they are installed. */
function clientOf({ client, modules }: ClientRequest): MeasuredClient {
  const { isForModels = false, start } = CLIENTS[client];
  const load: Load = (specifier) => import(modules?.[specifier] ?? specifier);
  return {
    isForModels,
    start: (servers, options) => start(servers, modules ? { ...options, load } : options),
  };
}
