import type { DiagnosticCode } from "@jackfield/mcp-config";
import type { Diagnostic, SourceLocation } from "@jackfield/mcp-core";

/** Codes of findings that do not come from reading the configuration, with their severities. */
export const FINDING_CODES = {
  "command-not-found": "error",
  "variable-unset": "error",
  "login-needed": "error",
  "server-failed": "error",
  "discovery-failed": "error",
  "approvals-unusable": "error",
  "not-approved": "warning",
  "slow-start": "warning",
  "name-clash": "warning",
  orphan: "warning",
  "home-unknown": "warning",
  "variable-ignored": "warning",
  "catalog-damaged": "warning",
  "started-elsewhere": "info",
  "many-tokens": "info",
} as const satisfies { readonly [code: string]: Diagnostic["severity"] };

/** A code of the doctor's own, or one of a configuration's diagnostics. */
export type FindingCode = keyof typeof FINDING_CODES | DiagnosticCode;

/** One thing that is wrong or could be better. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Diagnostic["severity"];
  readonly server?: string | undefined;
  readonly message: string;
  /** Missing if the message ends with it. */
  readonly nextStep?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Makes a finding with the severity of its code. */
export function findingOf(
  code: keyof typeof FINDING_CODES,
  message: string,
  nextStep: string | undefined,
  {
    server,
    file,
    line,
  }: Pick<SourceLocation, "file" | "line"> & { readonly server?: string | undefined } = {},
): Finding {
  return { code, severity: FINDING_CODES[code], server, message, nextStep, file, line };
}

const WEIGHT = { error: 0, warning: 1, info: 2 } as const;

/** Most severe first; findings of the same severity stay in order. */
export function byGravity(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity]);
}
