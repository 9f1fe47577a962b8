import { type ConfigProblem, DIAGNOSTIC_CODES, type DiagnosticCode } from "@jackfield/mcp-config";
import type { Diagnostic } from "@jackfield/mcp-core";
import type { Mcp } from "../../mcp.ts";
import { type Finding, findingOf } from "./finding.ts";
import { generalStep } from "./general-step.ts";

/** What to do about a diagnostic whose own text does not say it. */
const NEXT_STEPS: { readonly [C in DiagnosticCode]?: string } = {
  ConfigSyntaxError: "Correct the file at this place; its servers are not read until then.",
  ConfigShapeError: "Write the file in the form its host describes.",
  ServerConfigError: "Correct the entry; the others work.",
  "wrong-root-key": "Move the servers there; they are not read until then.",
  "literal-secret":
    "Put the value into an environment variable and write ${NAME} in its place; revoke the credential if the file was shared.",
  "unresolved-variable": "Set the variable, or write a default as in ${NAME:-default}.",
  "command-has-spaces": 'Put only the program into "command", and its arguments into "args".',
  shadowed: "Rename one of the two entries, or remove the one that is not used.",
  "duplicate-key": "Remove one of the two.",
};

/** Severities that differ from the diagnostic's own: anyone who runs the doctor wants to know of these. */
const SEVERITIES: { readonly [C in DiagnosticCode]?: Diagnostic["severity"] } = { shadowed: "warning" };

/** Findings from reading the configuration. Info diagnostics are left out: they report what a host does deliberately. */
export function configurationFindings({
  problems,
  diagnostics,
  discoveryError,
}: Pick<Mcp["report"], "problems" | "diagnostics" | "discoveryError">): readonly Finding[] {
  const failed =
    discoveryError === undefined
      ? []
      : [
          findingOf(
            "discovery-failed",
            discoveryError.message,
            "Correct what the message names; until then, only servers that are given here are used.",
          ),
        ];
  return [
    ...failed,
    ...problems.map(problemFinding),
    ...diagnostics.filter(isOwnDiagnostic).flatMap(diagnosticFinding),
  ];
}

/** A file in which many people write servers although no program reads them there. */
const SETTINGS_OF_CLAUDE = /[\\/]settings(?:\.local)?\.json$/;

/** Servers in Claude Code's settings, which are told even if its files are not searched. */
export async function settingsFindings(
  { diagnostics }: Pick<Mcp["report"], "diagnostics">,
  cwd: string | undefined,
): Promise<readonly Finding[]> {
  const { discoverServers } = await import("@jackfield/mcp-config");
  const found = await discoverServers({ hosts: ["claude-code"], cwd });
  const isTold = (message: string) => diagnostics.some((told) => told.message === message);
  return found.diagnostics
    .filter(isOwnDiagnostic)
    .filter(
      ({ code, file = "", message }) =>
        code === "wrong-root-key" && SETTINGS_OF_CLAUDE.test(file) && !isTold(message),
    )
    .flatMap(diagnosticFinding);
}

/** The message about an option ends with the next step; that about a file need not. */
function problemFinding({ kind, error, definedIn, server }: ConfigProblem): Finding {
  const { file, line } = error.location ?? definedIn;
  return {
    code: kind,
    severity: "error",
    server,
    message: error.message,
    nextStep: file === undefined ? undefined : generalStep(error.message, nextStepOf(kind)),
    file,
    line,
  };
}

type KnownDiagnostic = Diagnostic & { readonly code: DiagnosticCode };

/** Excludes the runtime's own diagnostic: servers that wait for approval have findings of their own. */
function isOwnDiagnostic(diagnostic: Diagnostic): diagnostic is KnownDiagnostic {
  return Object.hasOwn(DIAGNOSTIC_CODES, diagnostic.code);
}

function diagnosticFinding({
  code,
  message,
  server,
  file,
  line,
  ...rest
}: KnownDiagnostic): readonly Finding[] {
  const severity = SEVERITIES[code] ?? rest.severity;
  if (severity === "info") return [];
  const nextStep = generalStep(message, nextStepOf(code));
  return [{ code, severity, server, message, nextStep, file, line }];
}

function nextStepOf(code: DiagnosticCode): string {
  return NEXT_STEPS[code] ?? "Correct this place in the file, or leave it if it is what you want.";
}
