import type { ConnectionSettings } from "./connection.ts";
import type { HeartbeatOptions } from "./heartbeat.ts";

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
