import type { ConnectOptions, Connector, Logger, ResolveServer } from "@jackfield/mcp-core";
import type { HeartbeatOptions } from "./heartbeat.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** What the connections of all servers have in common: one object, however many there are. */
export interface ConnectionSettings {
  readonly connect: Connector;
  readonly resolve: ResolveServer;
  readonly retry: RetryPolicy;
  /** Spreads the retries of many servers: when an attempt wanted at a time is to be made, both epoch milliseconds. */
  readonly pace: (wantedAt: number) => number;
  readonly handlers?: ConnectOptions["handlers"];
  readonly auth?: ConnectOptions["auth"];
  readonly log: Logger;
  /** How long a session may take to close before it is left behind, in milliseconds. */
  readonly closeTimeoutMs: number;
}

/** What all servers of a directory have in common: one object, however many there are. */
export interface ServerSettings extends ConnectionSettings {
  /** How often tools are listed anew, in milliseconds; `0` = never. */
  readonly toolPollIntervalMs: number;
  /** Whether a server that fails is dropped: not tried again, and not shown. */
  readonly dropFailed: boolean;
  readonly heartbeat: HeartbeatOptions;
  /** How long a resource has to be quiet before an update of it is told, in milliseconds; `0` = at once. */
  readonly resourceUpdateQuietMs: number;
}
