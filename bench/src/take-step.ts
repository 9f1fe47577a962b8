import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fillCatalogs, readCatalog } from "./catalog-step.ts";
import { type ClientName, isCompetitor } from "./clients/names.ts";
import { prepareDiscovery, takeDiscovery } from "./discovery-step.ts";
import type { ClientRequest, Figures, KnownRequest, Point } from "./measurement.ts";
import {
  type MeasuringOptions,
  measure,
  measureParsing,
  measureReading,
  measureSeries,
} from "./measuring-process.ts";
import { serve, serveHttp, stdioServer } from "./server-process.ts";
import { type Behaviour, renewNotes } from "./servers/notes.ts";
import type { BenchSettings } from "./settings.ts";
import {
  curveScenario,
  memoryScenario,
  type StartFault,
  type StartStep,
  type Step,
  scenarioOf,
} from "./step.ts";
import { CATALOG_CLIENTS, catalogStarters } from "./subject.ts";
import type { Workplace } from "./workplace.ts";

/** Where steps are taken. */
export interface Surroundings extends MeasuringOptions {
  readonly workplace: Workplace;
  readonly settings: BenchSettings;
  /** Where the modules of each competitor are that is installed. */
  readonly modules: Readonly<Partial<Record<ClientName, Record<string, string>>>>;
}

/** What a step gave: most have one scenario, those with several sizes one for each. */
export interface Taken {
  readonly scenario: string;
  readonly figures: Figures;
}

/** Takes one measurement. */
export async function takeStep(step: Step, surroundings: Surroundings): Promise<Taken[]> {
  if (step.kind === "memory" || step.kind === "curve") return takeSeries(step, surroundings);
  return [{ scenario: scenarioOf(step), figures: await takeOne(step, surroundings) }];
}

/** Fills the catalogs, and runs every client once, so that the first round finds everything in memory too. */
export async function prepareSteps(surroundings: Surroundings): Promise<void> {
  const { settings, workplace } = surroundings;
  const { clients, measures, serverCounts, faultServers } = settings;
  const isMeasured = (measure: BenchSettings["measures"][number]) => measures.includes(measure);
  renewNotes(workplace.notes);
  for (const client of clients) {
    const request = { ...clientRequest(client, surroundings), servers: stdioServers(1, workplace) };
    await measure({ kind: "start", ...request }, surroundings).catch(ignoreProblem(surroundings));
  }
  const starts = [
    ...(isMeasured("start") ? serverCounts.map((servers) => ({ servers }) as const) : []),
    ...(["slow", "hang"] as const)
      .filter(isMeasured)
      .map((fault) => ({ servers: faultServers, fault }) as const),
  ];
  for (const start of starts) {
    for (const subject of catalogStarters(clients))
      await takeStart({ kind: "start", subject, ...start }, surroundings, "filling").catch(
        ignoreProblem(surroundings),
      );
  }
  if (!isMeasured("own")) return;
  await measure(knownRequest(surroundings, true), surroundings);
  await fillCatalogs(settings.catalogSizes, surroundings);
  await prepareDiscovery(surroundings);
}

/** Who fails says so again when it is measured; being told to stop is another matter. */
function ignoreProblem({ signal }: Surroundings): () => void {
  return () => signal.throwIfAborted();
}

async function takeSeries(
  step: Extract<Step, { kind: "memory" | "curve" }>,
  surroundings: Surroundings,
): Promise<Taken[]> {
  const { settings } = surroundings;
  const isOnStdio = step.of === "bytes" || step.of === "in flight";
  await using served = await (isOnStdio ? serve("stdio") : serve("http-json"));
  const request = { ...clientRequest(step.subject, surroundings), server: served.server };
  let points: readonly Point[];
  if (step.kind === "memory") {
    const { of } = step;
    const counts = of === "sessions" ? settings.sessionCounts : settings.toolCounts;
    points = await measureSeries({ kind: "memory", ...request, of, counts }, surroundings);
    return points.map(({ at, figures }) => ({ scenario: memoryScenario(of, at), figures }));
  }
  const { of } = step;
  points = await measureSeries(
    { kind: "curve", ...request, of, sizes: settings.curveSizes[of] },
    surroundings,
  );
  return points.map(({ at, figures }) => ({ scenario: curveScenario(of, at), figures }));
}

async function takeOne(
  step: Exclude<Step, { kind: "memory" | "curve" }>,
  surroundings: Surroundings,
): Promise<Figures> {
  const { settings } = surroundings;
  switch (step.kind) {
    case "start":
      return takeStart(step, surroundings, "measuring");
    case "catalog":
      return readCatalog(step, surroundings);
    case "discovery":
      return takeDiscovery(step, surroundings);
    case "overhead":
      return measure({ kind: "overhead", ...settings.scale }, surroundings);
    case "known": {
      const request = knownRequest(surroundings, false);
      if (step.subject === "jackfield-catalog") return measure(request, surroundings);
      return measureParsing(await sqliteFileIn(request.catalogDirectory), surroundings);
    }
    case "recovery":
      return takeRecovery(step, surroundings);
    case "calls": {
      await using served = await serve(step.transport);
      const counts = settings.callCounts[step.transport];
      const request = { ...clientRequest(step.subject, surroundings), server: served.server };
      return await measure({ kind: "calls", ...request, counts, sizes: settings.callSizes }, surroundings);
    }
    case "growth": {
      await using served = await (step.of === "calls" ? serve("stdio") : serve("http-json"));
      const request = { ...clientRequest(step.subject, surroundings), server: served.server };
      const { inFlight } = settings.callSizes;
      const count = settings.growth[step.of];
      return await measure({ kind: "growth", ...request, of: step.of, count, inFlight }, surroundings);
    }
  }
}

async function takeRecovery(
  { subject, fault }: Extract<Step, { kind: "recovery" }>,
  surroundings: Surroundings,
): Promise<Figures> {
  const { workplace, settings } = surroundings;
  const { patienceMs } = settings;
  const request = { kind: "recovery", ...clientRequest(subject, surroundings), patienceMs } as const;
  if (fault === "kill") {
    renewNotes(workplace.notes);
    const server = stdioServer("server", workplace.notes);
    return measure({ ...request, server, notes: workplace.notes }, surroundings);
  }
  await using served = await serveHttp("json", "sessions");
  return await measure({ ...request, server: served.server }, surroundings);
}

/** Starts a client; `filling` gives its catalog what it finds later, when all servers are well. */
async function takeStart(
  step: StartStep,
  surroundings: Surroundings,
  purpose: "filling" | "measuring",
): Promise<Figures> {
  const { workplace, settings } = surroundings;
  const { subject, servers, fault } = step;
  const owner = [servers, fault].filter((part) => part !== undefined).join("-");
  if (subject === "bare-node")
    return measureReading(
      await sqliteFileIn(workplace.catalogDirectory(`jackfield-catalog-${owner}`)),
      surroundings,
    );
  const isMeasured = purpose === "measuring";
  renewNotes(workplace.notes, isMeasured ? { [`server-${servers}`]: behaviourOf(fault, settings) } : {});
  const hasCatalog = subject === "jackfield-catalog" || subject === "mastra-catalog";
  const catalog = hasCatalog
    ? { directory: workplace.catalogDirectory(`${subject}-${owner}`), expectsTools: isMeasured }
    : undefined;
  return measure(
    {
      kind: "start",
      ...clientRequest(hasCatalog ? CATALOG_CLIENTS[subject] : subject, surroundings),
      servers: stdioServers(servers, workplace),
      notes: workplace.notes,
      catalog,
      ...(isMeasured && fault === "hang" && { oneHangs: true, patienceMs: settings.patienceMs }),
    },
    surroundings,
  );
}

function behaviourOf(fault: StartFault | undefined, { slowMs }: BenchSettings): Behaviour {
  if (fault === undefined) return {};
  return fault === "slow" ? { delayMs: slowMs } : { hangs: true };
}

function clientRequest(client: ClientName, { modules }: Surroundings): ClientRequest {
  return isCompetitor(client) ? { client, modules: modules[client] } : { client };
}

function knownRequest({ settings, workplace }: Surroundings, fill: boolean): KnownRequest {
  const { servers } = settings.scale;
  return { kind: "known", servers, catalogDirectory: workplace.catalogDirectory("known"), fill };
}

function stdioServers(count: number, { notes }: Workplace) {
  return Array.from({ length: count }, (_, index) => stdioServer(`server-${index + 1}`, notes));
}

async function sqliteFileIn(directory: string): Promise<string> {
  const name = (await readdir(directory)).find((entry) => entry.endsWith(".sqlite"));
  if (name === undefined) throw new Error(`There is no catalog in ${directory}.`);
  return join(directory, name);
}
