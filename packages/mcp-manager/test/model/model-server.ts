import type { ErrorCode } from "@jackfield/mcp-core";

/** How a server is configured: `version` is what its connection rests on, `hidden` a filter that does not let `work` through. */
export interface ModelDefinition {
  readonly version: number;
  readonly hidden: boolean;
}

/** What becomes of a session's list: it breaks off, or the connection cannot be used to ask for it. */
export type Listing = "in" | "brokenOff" | "unsent";

export interface ModelServer {
  definition: ModelDefinition;
  status: "idle" | "connecting" | "ready" | "backoff" | "failed" | "closing" | "closed";
  isDisconnected: boolean;
  attempt: number;
  /** In `ready`: since when, and since when it was not used. In `backoff`: until when. In `failed`: since when. */
  at: number;
  usedAt: number;
  error: ErrorCode | undefined;
  /** Whether tools are known, from this session or an earlier one. */
  isKnown: boolean;
  /** Of the session that is up. */
  listing: Listing;
  /** The session that is up will hang while it closes. */
  isHeld: boolean;
}

export function newServer(definition: ModelDefinition): ModelServer {
  return {
    definition,
    status: "idle",
    isDisconnected: false,
    attempt: 1,
    at: 0,
    usedAt: 0,
    error: undefined,
    isKnown: false,
    listing: "in",
    isHeld: false,
  };
}
