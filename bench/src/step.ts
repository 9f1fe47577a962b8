import { CLIENT_NAMES, type ClientName } from "./clients/client.ts";
import type { CallCounts } from "./measurement.ts";
import { shuffled } from "./shuffle.ts";

/** Who is measured: a client, Jackfield with its catalog, or the bare runtime reading that catalog's file. */
export type Subject = ClientName | "jackfield-catalog" | "bare-node";

/** How the server of the calls is reached: over its standard streams, or over HTTP with answers as JSON or as event streams. */
export const CALL_TRANSPORTS = ["stdio", "http-json", "http-sse"] as const;

export type CallTransport = (typeof CALL_TRANSPORTS)[number];

/** One measurement of a round. */
export type Step =
  | { readonly kind: "start"; readonly subject: Subject; readonly servers: number }
  | { readonly kind: "calls"; readonly subject: ClientName; readonly transport: CallTransport };

export interface RoundOptions {
  /** How many stdio servers are started at once, one scenario each. */
  readonly serverCounts: readonly number[];
  readonly callCounts: { readonly [transport in CallTransport]: CallCounts };
}

/** The scenario in which so many servers are started. */
export const startScenario = (servers: number): string => `start ${servers}`;

/** The scenario in which calls go over this transport. */
export const callScenario = (transport: CallTransport): string => `calls ${transport}`;

/** The scenario a step belongs to. */
export function scenarioOf(step: Step): string {
  return step.kind === "start" ? startScenario(step.servers) : callScenario(step.transport);
}

/**
 * The steps of one round. What is compared with each other stands together, so that the machine is in the same state, and in
 * random order, so that nobody always comes first.
 */
export function stepsOfRound({ serverCounts }: RoundOptions, random: () => number): Step[] {
  const starters: readonly Subject[] = [...CLIENT_NAMES, "jackfield-catalog", "bare-node"];
  const groups: Step[][] = [
    ...serverCounts.map((servers) => starters.map((subject): Step => ({ kind: "start", subject, servers }))),
    ...CALL_TRANSPORTS.map((transport) =>
      CLIENT_NAMES.map((subject): Step => ({ kind: "calls", subject, transport })),
    ),
  ];
  return shuffled(groups, random).flatMap((group) => shuffled(group, random));
}
