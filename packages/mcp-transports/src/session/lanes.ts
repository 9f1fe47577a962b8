import type { Handshake, McpError } from "@jackfield/mcp-core";
import { type CallLane, createLegacyLane } from "./call-lane.ts";
import type { ClientAccess } from "./client-access.ts";
import type { Exchanges } from "./exchanges.ts";
import type { PlainMethod } from "./keeping-schema.ts";
import { createModernLane } from "./modern-call-lane.ts";

/** What is carried beside the SDK's client. */
export interface Lanes {
  /** `undefined` for what only the SDK's client makes. */
  of(method: string): CallLane | undefined;
}

export interface LanesOptions {
  readonly era: Handshake["era"];
  readonly clients: ClientAccess;
  readonly exchanges: Exchanges;
  /** Hears of each request that has ended, of its error if it failed. */
  onSettled(method: string, error?: McpError): void;
}

/** The lanes of one session. In the modern era tool calls alone have one. In the legacy era all that a program needs that lists tools and calls them is done without the SDK. */
export function createLanes({ era, clients, exchanges, onSettled }: LanesOptions): Lanes {
  const hearing = (method: string) => (error?: McpError) => onSettled(method, error);
  if (era === "modern") {
    const calls = createModernLane({ clients, exchanges, onSettled: hearing("tools/call") });
    return { of: (method) => (method === "tools/call" ? calls : undefined) };
  }
  const legacy = (method: PlainMethod) =>
    createLegacyLane({ method, clients, exchanges, onSettled: hearing(method) });
  const calls = legacy("tools/call");
  const others = new Map<string, CallLane>([
    ["tools/list", legacy("tools/list")],
    ["ping", legacy("ping")],
  ]);
  return { of: (method) => (method === "tools/call" ? calls : others.get(method)) };
}
