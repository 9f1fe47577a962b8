import { type ConfigDiagnostic, diagnose, type Report } from "./diagnostic-codes.ts";
import { describeLocation, describePlaces } from "./sources/config-problem.ts";

/** More than anybody reads. A file can give cause for a million. */
const MOST_REMARKS = 1000;

const SEVERITIES: readonly string[] = ["info", "warning", "error"];

/**
 * Passes on the first thousand diagnostics of one code in one file. `reportRest` adds one for all others of that code and file, as
 * severe as the worst of them.
 */
export function limitReport(report: Report): { readonly report: Report; reportRest(): void } {
  const kinds = new Map<string, { count: number; rest?: ConfigDiagnostic }>();
  return {
    report(diagnostic) {
      const key = `${diagnostic.code} ${diagnostic.file}`;
      const kind = kinds.get(key) ?? { count: 0 };
      kinds.set(key, kind);
      kind.count += 1;
      if (kind.count <= MOST_REMARKS) report(diagnostic);
      else if (rankOf(diagnostic) > rankOf(kind.rest)) kind.rest = diagnostic;
    },
    reportRest() {
      for (const { count, rest } of kinds.values()) {
        if (rest === undefined) continue;
        const { code, file, severity } = rest;
        const message = `${describeLocation({ file })}: the same is found in ${describePlaces(count - MOST_REMARKS)}.`;
        report(diagnose(code, message, { file }, { severity }));
      }
    },
  };
}

function rankOf(diagnostic: ConfigDiagnostic | undefined): number {
  return SEVERITIES.indexOf(diagnostic?.severity ?? "");
}
