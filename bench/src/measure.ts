import { loadClient } from "./clients/load-client.ts";
import { measureCalls } from "./measure-calls.ts";
import { measureStart } from "./measure-start.ts";
import type { Figures, MeasurementRequest } from "./measurement.ts";

/** The process that measures once: takes the request and the moment it was started, prints the figures. */
const [, , json = "", startedAt = ""] = process.argv;
process.stdout.write(JSON.stringify(await take(JSON.parse(json))));

/** What uses Jackfield is imported where it is wanted: it would slow the start of its peers down. */
async function take(request: MeasurementRequest): Promise<Figures> {
  switch (request.kind) {
    case "start":
      return measureStart(await loadClient(request.client), request, startedAt);
    case "calls":
      return measureCalls(await loadClient(request.client), request);
    case "known":
      return (await import("./measure-known.ts")).measureKnown(request, startedAt);
    case "memory":
      return (await import("./measure-memory.ts")).measureMemory(await loadClient(request.client), request);
    case "overhead":
      return (await import("./measure-overhead.ts")).measureOverhead(request);
  }
}
