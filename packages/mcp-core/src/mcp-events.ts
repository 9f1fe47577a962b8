import type { Diagnostic } from "./diagnostic.ts";
import type { ErrorReport, ServerSnapshot, ServerStatus } from "./server-status.ts";
import type { SourceEvents } from "./tool-source.ts";

/** The events of a runtime. */
export interface McpEvents extends SourceEvents {
  statusChanged: { readonly before: ServerStatus; readonly snapshot: ServerSnapshot };
  catalogChanged: { readonly server: string; readonly kind: "resources" | "prompts" };
  /** A server has shown no sign of life for too long. Its session is dropped, and it is reconnected as after any loss. */
  unhealthy: { readonly server: string; readonly error: ErrorReport };
  /** A subscribed resource has changed. A burst of changes is reported once. */
  resourceUpdated: { readonly server: string; readonly uri: string };
  notification: { readonly server: string; readonly method: string; readonly params: unknown };
  diagnostic: Diagnostic;
}
