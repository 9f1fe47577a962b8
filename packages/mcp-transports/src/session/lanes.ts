import type { Handshake } from "@jackfield/mcp-core";
import { type CallLane, createLegacyLane } from "./call-lane.ts";
import type { ClientAccess } from "./client-access.ts";
import type { Exchanges } from "./exchanges.ts";
import type { AnsweredMethod } from "./keeping-schema.ts";
import { createListRepairer, type ListRepairerOptions } from "./list-repairer.ts";
import { createModernLane } from "./modern-call-lane.ts";
import type { CutList } from "./session-list.ts";

/** The lanes for requests that bypass the SDK's client. */
export interface Lanes {
  /** The lane of a method; `undefined` if it has none. */
  of(method: AnsweredMethod): CallLane | undefined;
}

export interface LanesOptions {
  readonly era: Handshake["era"];
  /** See `ModernLaneOptions`. */
  readonly mirrors: boolean;
  readonly clients: ClientAccess;
  readonly exchanges: Exchanges;
  readonly cutList: CutList;
  /** See `ListRepairerOptions`. */
  readonly serverLog: ListRepairerOptions["serverLog"];
}

/** The lanes of one session: one for every method that its era has. */
export function createLanes({ era, mirrors, clients, exchanges, cutList, serverLog }: LanesOptions): Lanes {
  const repairList = createListRepairer({ serverLog, getSdk: async () => (await clients.get()).sdk });
  const lanes = new Map<AnsweredMethod, CallLane>();
  const create = era === "modern" ? createModernLane : createLegacyLane;
  const laneFor = (method: AnsweredMethod) => {
    const lane = create({ method, mirrors, clients, exchanges, cutList, repairList });
    lanes.set(method, lane);
    return lane;
  };
  const calls = laneFor("tools/call");
  return {
    of(method) {
      if (method === "tools/call") return calls;
      if (era === "modern" && LEGACY_METHODS.has(method)) return undefined;
      return lanes.get(method) ?? laneFor(method);
    },
  };
}

/** Requests that the modern era no longer has. */
const LEGACY_METHODS: ReadonlySet<AnsweredMethod> = new Set([
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
] as const);
