import type {
  CatalogIdentity,
  McpError,
  ServerNotification,
  ServerStatus,
  ToolDefinition,
} from "@jackfield/mcp-core";
import type { FilledShelf } from "./catalog-memory.ts";

/** What one server tells the directory it belongs to. */
export interface ServerHooks {
  /** These are the server's tools now. */
  readonly offer: (tools: readonly ToolDefinition[], origin: "live" | "cache") => void;
  /** Nothing of the server is to be offered. */
  readonly withdraw: () => void;
  /** How many of its tools are on offer. */
  readonly offered: () => number;
  readonly statusChanged: (before: ServerStatus) => void;
  readonly notified: (notification: ServerNotification) => void;
  /** A list besides the tools is another now. */
  readonly catalogChanged: (kind: "resources" | "prompts") => void;
  /** A resource that somebody watches has changed. */
  readonly resourceUpdated: (uri: string) => void;
  /** The server gives no sign of life; its session is about to be given up. */
  readonly unhealthy: (error: McpError) => void;
  /** Something failed that nobody is waiting for. */
  readonly troubled: (error: McpError) => void;
  /** The catalog should know this. */
  readonly store: (shelf: FilledShelf) => void;
  /** What the catalog knows may be out of date. */
  readonly doubted: (identity: CatalogIdentity) => void;
}
