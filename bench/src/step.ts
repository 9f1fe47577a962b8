import { type CatalogSize, catalogScenario } from "./catalog-size.ts";
import { type CatalogStep, catalogSteps } from "./catalog-step.ts";
import { CLIENT_NAMES, type ClientName } from "./clients/client.ts";
import type { CallCounts } from "./measurement.ts";
import { shuffled } from "./shuffle.ts";

/** Who is measured: a client, Jackfield with its catalog, or the bare runtime reading that catalog's file. */
export type Subject = ClientName | "jackfield-catalog" | "tool-cache" | "bare-node";

/** Who is measured from the start of its process. */
type Starter = Exclude<Subject, "tool-cache">;

/** How the server of the calls is reached: over its standard streams, or over HTTP with answers as JSON or as event streams. */
export const CALL_TRANSPORTS = ["stdio", "http-json", "http-sse"] as const;

export type CallTransport = (typeof CALL_TRANSPORTS)[number];

/** One measurement of a round. */
export type Step =
  | { readonly kind: "start"; readonly subject: Starter; readonly servers: number }
  | { readonly kind: "calls"; readonly subject: ClientName; readonly transport: CallTransport }
  | { readonly kind: "known"; readonly subject: "jackfield-catalog" | "bare-node" }
  | { readonly kind: "overhead"; readonly subject: "jackfield" }
  | { readonly kind: "memory"; readonly subject: ClientName }
  | CatalogStep;

export interface RoundOptions {
  /** How many stdio servers are started at once, one scenario each. */
  readonly serverCounts: readonly number[];
  readonly callCounts: { readonly [transport in CallTransport]: CallCounts };
  /** The catalogs that are read. */
  readonly catalogSizes: readonly CatalogSize[];
  /** For the budgets: how many servers there are at once, and how many calls are made. */
  readonly scale: { readonly servers: number; readonly calls: number };
}

/** The scenario in which very many servers are known from the catalog. */
export const KNOWN_SCENARIO = "known servers";

/** The scenario in which servers cost nothing. */
export const OVERHEAD_SCENARIO = "overhead";

/** How many sessions with a server behind HTTP there are at once where memory is measured. */
export const MEMORY_SESSIONS = 100;

/** The scenario in which they are. */
export const MEMORY_SCENARIO = `memory of ${MEMORY_SESSIONS} sessions`;

/** The scenario in which so many servers are started. */
export const startScenario = (servers: number): string => `start ${servers}`;

/** The scenario in which calls go over this transport. */
export const callScenario = (transport: CallTransport): string => `calls ${transport}`;

/** The scenario a step belongs to. */
export function scenarioOf(step: Step): string {
  switch (step.kind) {
    case "start":
      return startScenario(step.servers);
    case "calls":
      return callScenario(step.transport);
    case "known":
      return KNOWN_SCENARIO;
    case "overhead":
      return OVERHEAD_SCENARIO;
    case "memory":
      return MEMORY_SCENARIO;
    case "catalog":
      return catalogScenario(step.size);
  }
}

/**
 * The steps of one round. What is compared with each other stands together, so that the machine is in the same state, and in
 * random order, so that nobody always comes first.
 */
export function stepsOfRound({ serverCounts, catalogSizes }: RoundOptions, random: () => number): Step[] {
  const starters: readonly Starter[] = [...CLIENT_NAMES, "jackfield-catalog", "bare-node"];
  const groups: Step[][] = [
    ...serverCounts.map((servers) => starters.map((subject): Step => ({ kind: "start", subject, servers }))),
    ...CALL_TRANSPORTS.map((transport) =>
      CLIENT_NAMES.map((subject): Step => ({ kind: "calls", subject, transport })),
    ),
    [
      { kind: "known", subject: "jackfield-catalog" },
      { kind: "known", subject: "bare-node" },
    ],
    [{ kind: "overhead", subject: "jackfield" }],
    CLIENT_NAMES.map((subject): Step => ({ kind: "memory", subject })),
    ...catalogSteps(catalogSizes),
  ];
  return shuffled(groups, random).flatMap((group) => shuffled(group, random));
}
