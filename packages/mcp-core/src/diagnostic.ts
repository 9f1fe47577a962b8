import type { SourceLocation } from "./source-location.ts";

/** A finding to show to a person. It does not stop anything by itself. */
export interface Diagnostic extends SourceLocation {
  /**
   * Stable: programs may match it. Kebab-case, except for codes that report the loss of a file or a server, which are spelled like
   * error names, for example `ConfigSyntaxError`.
   */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly server?: string | undefined;
}
