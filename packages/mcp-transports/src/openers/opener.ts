import type { AuthPort, Logger, ResolvedServer } from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import type { ConnectionPools } from "../http/connection-pools.ts";
import type { HttpOptionsSource } from "../http/http-options.ts";
import type { ProcessTreeRegistry } from "../stdio/process-tree-registry.ts";

/** What an opener may use. */
export interface OpenerTools {
  readonly registry: ProcessTreeRegistry;
  readonly auth?: AuthPort | undefined;
  readonly pools: ConnectionPools;
  readonly http?: HttpOptionsSource | undefined;
  readonly maxMessageBytes: number;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly log: Logger;
}

/** Opens a new channel to a server. Processes and sockets start only with the channel's transport. */
export type Opener<S extends ResolvedServer> = (server: S, tools: OpenerTools) => Promise<Channel>;
