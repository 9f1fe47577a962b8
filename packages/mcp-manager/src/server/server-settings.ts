import type { ConnectOptions, Connector, Logger, ResolveServer } from "@jackfield/mcp-core";
import type { HeartbeatOptions } from "./heartbeat.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** The settings of all servers' connections, in one object. */
export interface ConnectionSettings {
  readonly connect: Connector;
  readonly resolve: ResolveServer;
  readonly retry: RetryPolicy;
  /** Spreads the retries of many servers; see `RetryPacing`. */
  readonly pace: (wantedAt: number) => number;
  readonly handlers?: ConnectOptions["handlers"];
  readonly auth?: ConnectOptions["auth"];
  readonly log: Logger;
  /** How long a session may take to close before it is left behind, in milliseconds. */
  readonly closeTimeoutMs: number;
}

/** The settings of all servers of a directory, in one object. */
export interface ServerSettings extends ConnectionSettings {
  /** How often tools are listed again, in milliseconds; `0` = never. */
  readonly toolPollIntervalMs: number;
  /** Whether a server that fails is dropped: not tried again, and not shown. */
  readonly dropFailed: boolean;
  readonly heartbeat: HeartbeatOptions;
  /** How long a resource must be quiet before its updates are reported, in milliseconds; `0` = at once. */
  readonly resourceUpdateQuietMs: number;
}
