import type { JsonObject } from "./json.ts";

/** `modern`: protocol 2026-07-28 and later, stateless. `legacy`: the `initialize` handshake, 2024-10-07 to 2025-11-25. */
export type ProtocolEra = "modern" | "legacy";

/** A party's name and version (MCP `Implementation`). */
export type Implementation = { name: string; version: string; title?: string | undefined };

/** The result of the handshake that opened a session. */
export interface Handshake {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly serverInfo?: Implementation | undefined;
  readonly capabilities: JsonObject;
  readonly instructions?: string | undefined;
  /** Pass it as `prior` when connecting to the server again. */
  readonly prior: PriorHandshake;
}

/**
 * What an earlier handshake learned. A modern one saves the next connection every round trip, a legacy one the probe. A legacy
 * verdict must expire: an upgraded server still answers `initialize`.
 */
export type PriorHandshake =
  | {
      readonly era: "modern";
      /** When it was learned, epoch milliseconds. */
      readonly at: number;
      /** The whole result of `server/discover`. */
      readonly discover: JsonObject;
    }
  | {
      readonly era: "legacy";
      /** When it was learned, epoch milliseconds. */
      readonly at: number;
      /** Set if an entry for Streamable HTTP led to a server that speaks only the older HTTP+SSE, which is then tried first. */
      readonly transport?: "sse" | undefined;
    };
