import { catalogScenario } from "./catalog-size.ts";
import { type CatalogStep, catalogSteps } from "./catalog-step.ts";
import { type ClientName, hasOwnConnections } from "./clients/names.ts";
import { DISCOVERY_SCENARIO, type DiscoveryStep } from "./discovery-step.ts";
import { CURVES, type Curve } from "./measurement.ts";
import { type BenchSettings, CALL_TRANSPORTS, type CallTransport, type Measure } from "./settings.ts";
import { shuffled } from "./shuffle.ts";
import { catalogStarters, type Starter } from "./subject.ts";

/** What is wrong with one of the servers that are started. */
export type StartFault = "slow" | "hang";

/** What befalls a server that was connected. */
export type LaterFault = "kill" | "session";

export interface StartStep {
  readonly kind: "start";
  readonly subject: Starter;
  readonly servers: number;
  readonly fault?: StartFault | undefined;
}

/** One measurement of a round. */
export type Step =
  | StartStep
  | { readonly kind: "calls"; readonly subject: ClientName; readonly transport: CallTransport }
  | { readonly kind: "memory"; readonly subject: ClientName; readonly of: "sessions" | "tools" }
  | { readonly kind: "recovery"; readonly subject: ClientName; readonly fault: LaterFault }
  | { readonly kind: "growth"; readonly subject: ClientName; readonly of: "calls" | "reconnects" }
  | { readonly kind: "curve"; readonly subject: ClientName; readonly of: Curve }
  | { readonly kind: "known"; readonly subject: "jackfield-catalog" | "bare-node" }
  | { readonly kind: "overhead"; readonly subject: "jackfield" }
  | DiscoveryStep
  | CatalogStep;

/** The scenario in which very many servers are known from the catalog. */
export const KNOWN_SCENARIO = "known servers";

/** The scenario in which servers cost nothing. */
export const OVERHEAD_SCENARIO = "overhead";

/** The scenario in which so many servers are started, one of them perhaps with a fault. */
export function startScenario(servers: number, fault?: StartFault): string {
  const one = { slow: ", one slow", hang: ", one hangs" };
  return `start ${servers}${fault === undefined ? "" : one[fault]}`;
}

/** The scenario in which calls go over this transport. */
export const callScenario = (transport: CallTransport): string => `calls ${transport}`;

/** The scenario in which there are so many sessions at once, or a server with so many tools. */
export const memoryScenario = (of: "sessions" | "tools", count: number): string => `memory of ${count} ${of}`;

/** The scenario in which a server is lost. */
export const recoveryScenario = (fault: LaterFault): string => `recovery from ${fault}`;

/** The scenario in which very much is done. */
export const growthScenario = (of: "calls" | "reconnects"): string => `growth over ${of}`;

/** The scenario of one point of a curve. */
export const curveScenario = (of: Curve, size: number | ""): string => `curve of ${of} ${size}`;

/** The scenario a step belongs to; one that has several sizes is named without them. */
export function scenarioOf(step: Step): string {
  switch (step.kind) {
    case "start":
      return startScenario(step.servers, step.fault);
    case "calls":
      return callScenario(step.transport);
    case "memory":
      return `memory of ${step.of}`;
    case "recovery":
      return recoveryScenario(step.fault);
    case "growth":
      return growthScenario(step.of);
    case "curve":
      return `curve of ${step.of}`;
    case "known":
      return KNOWN_SCENARIO;
    case "overhead":
      return OVERHEAD_SCENARIO;
    case "discovery":
      return DISCOVERY_SCENARIO;
    case "catalog":
      return catalogScenario(step.size);
  }
}

/**
 * The steps of one round, of which the first is 1. What is compared with each other stands together, so that the machine is in
 * the same state, and in random order, so that nobody always comes first. What takes long is not part of every round.
 */
export function stepsOfRound(settings: BenchSettings, round: number, random: () => number): Step[] {
  const { measures, longRounds } = settings;
  const lastRounds: Partial<Record<Measure, number>> = { slow: longRounds, curves: longRounds, growth: 1 };
  const groups = measures
    .filter((measure) => round <= (lastRounds[measure] ?? Number.POSITIVE_INFINITY))
    .flatMap((measure) => GROUPS[measure](settings))
    .filter((group) => group.length > 0);
  return shuffled(groups, random).flatMap((group) => shuffled(group, random));
}

/** The groups of steps whose subjects are compared with each other. */
const GROUPS: { readonly [measure in Measure]: (settings: BenchSettings) => Step[][] } = {
  start: ({ clients, serverCounts }) => {
    // The bare runtime reads what Jackfield has written.
    const readers = clients.includes("jackfield") ? (["bare-node"] as const) : [];
    const starters = [...clients.filter(hasOwnConnections), ...catalogStarters(clients), ...readers];
    return serverCounts.map((servers) => starters.map((subject) => ({ kind: "start", subject, servers })));
  },
  slow: (settings) => [faultSteps(settings, "slow")],
  hang: (settings) => [faultSteps(settings, "hang")],
  calls: ({ clients, callCounts }) =>
    CALL_TRANSPORTS.filter((transport) => callCounts[transport].concurrent > 0).map((transport) =>
      clients.map((subject) => ({ kind: "calls", subject, transport })),
    ),
  memory: ({ clients, sessionCounts, toolCounts }) => {
    const connecting = clients.filter(hasOwnConnections);
    const steps = (of: "sessions" | "tools") =>
      connecting.map((subject): Step => ({ kind: "memory", subject, of }));
    return [sessionCounts.length > 0 ? steps("sessions") : [], toolCounts.length > 0 ? steps("tools") : []];
  },
  recovery: ({ clients }) =>
    (["kill", "session"] as const).map((fault) =>
      clients.filter(hasOwnConnections).map((subject) => ({ kind: "recovery", subject, fault })),
    ),
  growth: ({ longClients }) =>
    (["calls", "reconnects"] as const).map((of) =>
      longClients.map((subject) => ({ kind: "growth", subject, of })),
    ),
  curves: ({ longClients, curveSizes }) =>
    CURVES.filter((of) => curveSizes[of].length > 0).map((of) =>
      longClients.map((subject) => ({ kind: "curve", subject, of })),
    ),
  own: ({ catalogSizes }) => [
    [
      { kind: "known", subject: "jackfield-catalog" },
      { kind: "known", subject: "bare-node" },
    ],
    [{ kind: "overhead", subject: "jackfield" }],
    [
      { kind: "discovery", subject: "discovery" },
      { kind: "discovery", subject: "bare-node" },
    ],
    ...catalogSteps(catalogSizes),
  ],
};

function faultSteps({ clients, faultServers }: BenchSettings, fault: StartFault): Step[] {
  const starters = [...clients.filter(hasOwnConnections), ...catalogStarters(clients)];
  return starters.map((subject) => ({ kind: "start", subject, servers: faultServers, fault }));
}
