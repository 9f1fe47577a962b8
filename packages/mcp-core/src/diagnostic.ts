import type { SourceLocation } from "./source-location.ts";

/** Something worth telling a person about, that stops nothing by itself. */
export interface Diagnostic extends SourceLocation {
  /** Kebab-case, stable: programs may match it. */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly server?: string | undefined;
}
