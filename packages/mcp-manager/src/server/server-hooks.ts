import type {
  CatalogIdentity,
  McpError,
  ResolvedServer,
  ServerNotification,
  ServerStatus,
  ToolDefinition,
} from "@jackfield/mcp-core";
import type { StorableRecord } from "./catalog-memory.ts";

/** How a server reports to its directory. */
export interface ServerHooks {
  /** These are the server's tools now. */
  offer(tools: readonly ToolDefinition[], origin: "live" | "cache"): void;
  /** No tool of the server is offered any more. */
  withdraw(): void;
  /** How many of its tools are on offer. */
  offered(): number;
  statusChanged(before: ServerStatus): void;
  notified(notification: ServerNotification): void;
  /** The list of resources or prompts has changed. */
  catalogChanged(kind: "resources" | "prompts"): void;
  /** A subscribed resource has changed. */
  resourceUpdated(uri: string): void;
  /** The server does not answer pings; its session is about to be dropped. */
  unhealthy(error: McpError): void;
  /** A connection or a list failed in the background. */
  failed(error: McpError): void;
  /**
   * Does something under the catalog identity that the server has when it is reached by these values, in the order of these calls. Not
   * called if there is no catalog, or it does not keep the server.
   */
  identified(server: ResolvedServer | undefined, act: (identity: CatalogIdentity) => void): void;
  /** This record is to be stored in the catalog. */
  store(record: StorableRecord): void;
  /** The catalog entry may be out of date. */
  markStale(identity: CatalogIdentity): void;
  /** The catalog entry is of no use any more. */
  delete(identity: CatalogIdentity): void;
}
