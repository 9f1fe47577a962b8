import type { SourceLocation } from "./source-location.ts";

/** Something worth telling a person about, that stops nothing by itself. */
export interface Diagnostic extends SourceLocation {
  /**
   * Stable: programs may match it. In kebab-case, except that a code which says that a file or a server was lost is spelled like the name of
   * an error, for example `ConfigSyntaxError`.
   */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly server?: string | undefined;
}
