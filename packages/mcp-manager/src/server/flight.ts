import type { RequestOptions } from "@jackfield/mcp-core";
import type { WatchedSession } from "./watched-session.ts";

/** A request that has failed. */
export interface SentFailure {
  readonly thrown: unknown;
  /** The session that it was sent on. */
  readonly session: WatchedSession;
}

/** How a request counts. */
export interface Use {
  /** Whether it counts as use, which keeps the session open. */
  readonly keepsOpen: boolean;
  readonly isCall: boolean;
}

export const CALL: Use = { keepsOpen: true, isCall: true };
export const REQUEST: Use = { keepsOpen: true, isCall: false };
/** Pings and lists: the manager sends them by itself, and a polled list would keep every session open. */
export const UPKEEP: Use = { keepsOpen: false, isCall: false };

/** The time limits of a request; missing ones are the server's. */
export type FlightLimits = Pick<RequestOptions, "timeoutMs" | "maxTotalMs">;

/** A list is limited by `timeoutMs` alone, for all its pages. */
export const LIST_LIMITS: FlightLimits = { maxTotalMs: 0 };

/** A request in flight. */
export interface Flight<T = unknown> {
  readonly use: Use;
  readonly limits: FlightLimits;
  readonly resolve: (answer: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
  /** Called if it fails, in place of `reject`. */
  readonly goOn: ((failure: SentFailure) => Promise<T>) | undefined;
  /** Its index among the requests in flight; `-1` once it has ended. */
  index: number;
}
