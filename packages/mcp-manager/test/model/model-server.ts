import type { ErrorCode } from "@jackfield/mcp-core";

/** How a server is configured. Another `version` needs another connection; `hidden`: a filter excludes the tool `work`. */
export interface ModelDefinition {
  readonly version: number;
  readonly hidden: boolean;
}

/** How listing a session ends: with the list, by a lost connection, or before the request is sent. */
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
  /** Of the open session. */
  listing: Listing;
  /** The open session will hang while it closes. */
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
