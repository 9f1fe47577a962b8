import { CLIENTS } from "./clients/clients.ts";
import { measureCalls } from "./measure-calls.ts";
import { measureKnown } from "./measure-known.ts";
import { measureMemory } from "./measure-memory.ts";
import { measureOverhead } from "./measure-overhead.ts";
import { measureStart } from "./measure-start.ts";
import type { Figures, MeasurementRequest } from "./measurement.ts";

/**
 * The process that measures once: takes the request and the moment it was started, prints the figures. It is built into one file
 * and imports what it measures when it measures it, so that its own part of a start is small and the same for everybody.
 */
const [, , json = "", startedAt = ""] = process.argv;
process.stdout.write(JSON.stringify(await take(JSON.parse(json))));

function take(request: MeasurementRequest): Promise<Figures> {
  switch (request.kind) {
    case "start":
      return measureStart(CLIENTS[request.client], request, startedAt);
    case "calls":
      return measureCalls(CLIENTS[request.client], request);
    case "known":
      return measureKnown(request, startedAt);
    case "memory":
      return measureMemory(CLIENTS[request.client], request);
    case "overhead":
      return measureOverhead(request);
  }
}
