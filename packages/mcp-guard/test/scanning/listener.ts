import type { InjectionFinding } from "../../src/scanning/injection-finding.ts";

/** Collects the findings it receives. */
export function listener() {
  const findings: InjectionFinding[] = [];
  return { findings, found: (finding: InjectionFinding) => void findings.push(finding) };
}
