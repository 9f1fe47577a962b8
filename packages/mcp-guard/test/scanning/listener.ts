import type { InjectionFinding } from "../../src/scanning/injection-finding.ts";

/** Keeps what it is told. */
export function listener() {
  const findings: InjectionFinding[] = [];
  return { findings, found: (finding: InjectionFinding) => void findings.push(finding) };
}
