import type { Diagnostic } from "./diagnostic.ts";
import type { ErrorReport, ServerSnapshot, ServerStatus } from "./server-status.ts";
import type { SourceEvents } from "./tool-source.ts";

/** Everything a runtime says while it runs. */
export interface McpEvents extends SourceEvents {
  statusChanged: { readonly before: ServerStatus; readonly snapshot: ServerSnapshot };
  catalogChanged: { readonly server: string; readonly kind: "resources" | "prompts" };
  /** A server gave no sign of life for too long; its session is given up, and it is connected anew as after any loss. */
  unhealthy: { readonly server: string; readonly error: ErrorReport };
  /** A resource that somebody has subscribed to has changed; many changes in a row are told once. */
  resourceUpdated: { readonly server: string; readonly uri: string };
  notification: { readonly server: string; readonly method: string; readonly params: unknown };
  diagnostic: Diagnostic;
}
