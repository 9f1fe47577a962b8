import type { Handshake, McpError } from "@jackfield/mcp-core";
import { type CallLane, createLegacyLane } from "./call-lane.ts";
import type { ClientAccess } from "./client-access.ts";
import type { Exchanges } from "./exchanges.ts";
import { createModernLane } from "./modern-call-lane.ts";

/** What is carried beside the SDK's client. */
export interface Lanes {
  /** `undefined` for what only the SDK's client makes. */
  of(method: string): CallLane | undefined;
}

export interface LanesOptions {
  readonly era: Handshake["era"];
  /** See `ModernLaneOptions`. */
  readonly mirrors: boolean;
  readonly clients: ClientAccess;
  readonly exchanges: Exchanges;
  /** Hears of each request that has ended, of its error if it failed. */
  onSettled(method: string, error?: McpError): void;
}

/** The lanes of one session: all that a program needs that lists tools and calls them is done without the SDK. */
export function createLanes({ era, mirrors, clients, exchanges, onSettled }: LanesOptions): Lanes {
  const hearing = (method: string) => (error?: McpError) => onSettled(method, error);
  const create = era === "modern" ? createModernLane : createLegacyLane;
  const laneFor = (method: "tools/call" | "tools/list") =>
    create({ method, mirrors, clients, exchanges, onSettled: hearing(method) });
  const calls = laneFor("tools/call");
  const others = new Map<string, CallLane>([["tools/list", laneFor("tools/list")]]);
  // The modern era has no such request.
  if (era === "legacy")
    others.set("ping", createLegacyLane({ method: "ping", clients, exchanges, onSettled: hearing("ping") }));
  return { of: (method) => (method === "tools/call" ? calls : others.get(method)) };
}
