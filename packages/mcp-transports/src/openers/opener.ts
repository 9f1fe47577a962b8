import type { AuthPort, Logger, ResolvedServer } from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import type { Sdk } from "../sdk.ts";
import type { ProcessTreeRegistry } from "../stdio/process-tree-registry.ts";

/** What an opener may use. */
export interface OpenerTools {
  readonly sdk: Sdk;
  readonly registry: ProcessTreeRegistry;
  readonly auth?: AuthPort | undefined;
  readonly maxMessageBytes: number;
  readonly log: Logger;
}

/** Makes a fresh channel to a server. Processes and sockets start with the channel's transport. */
export type Opener<S extends ResolvedServer> = (server: S, tools: OpenerTools) => Promise<Channel>;
