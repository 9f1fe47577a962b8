import { loadClient } from "./clients/load-client.ts";
import { measureCalls } from "./measure-calls.ts";
import { measureStart } from "./measure-start.ts";
import type { MeasurementRequest } from "./measurement.ts";

/** The process that measures one client once: takes the request and the moment it was started, prints the figures. */
const [, , json = "", startedAt = ""] = process.argv;
const request = JSON.parse(json) as MeasurementRequest;
const client = await loadClient(request.client);
const figures =
  request.kind === "start"
    ? await measureStart(client, request, startedAt)
    : await measureCalls(client, request);
process.stdout.write(JSON.stringify(figures));
