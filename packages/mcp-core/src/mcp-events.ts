import type { Diagnostic } from "./diagnostic.ts";
import type { ServerSnapshot, ServerStatus } from "./server-status.ts";
import type { SourceEvents } from "./tool-source.ts";

/** Everything a runtime says while it runs. */
export interface McpEvents extends SourceEvents {
  statusChanged: { readonly before: ServerStatus; readonly snapshot: ServerSnapshot };
  catalogChanged: { readonly server: string; readonly kind: "resources" | "prompts" };
  notification: { readonly server: string; readonly method: string; readonly params: unknown };
  diagnostic: Diagnostic;
}
