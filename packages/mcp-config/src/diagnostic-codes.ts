import type { Diagnostic, SourceLocation } from "@jackfield/mcp-core";

interface DiagnosticFacts {
  readonly severity: Diagnostic["severity"];
  readonly means: string;
}

/**
 * Every code of a diagnostic, with its usual severity. This is the only table: `DiagnosticCode` derives from it, and
 * `docs/diagnostics.md` lists it. Codes of the first group, spelled like the names of errors, mean that a file or a server was
 * lost; the others stop nothing.
 */
export const DIAGNOSTIC_CODES = {
  ConfigReadError: { severity: "error", means: "The file cannot be read, or is not a regular file." },
  ConfigTooLargeError: {
    severity: "error",
    means:
      "The file is larger than the limit, or its project brings more than the limits; it was not all read.",
  },
  ConfigEncodingError: { severity: "error", means: "The file is not text in UTF-8 or marked UTF-16." },
  ConfigSyntaxError: {
    severity: "error",
    means: "The file has a syntax error, or is nested more than 64 levels deep.",
  },
  ConfigShapeError: {
    severity: "error",
    means: "The file, or the value that holds its servers, has the wrong type.",
  },
  ServerConfigError: { severity: "error", means: "One entry cannot be used; the others can." },
  "invalid-field": {
    severity: "warning",
    means:
      "A field of the wrong type was left out (an error in `env`); an unreadable switch or tool filter switches the server off.",
  },
  "duplicate-key": { severity: "warning", means: "A key is written twice; the last one counts." },
  "non-strict-json": {
    severity: "warning",
    means: "A comment or trailing comma in a file that its own host reads as strict JSON.",
  },
  "forbidden-key": { severity: "warning", means: "A key called `__proto__` was left out." },
  "wrong-root-key": {
    severity: "warning",
    means: "Servers are under another host's key and were not read.",
  },
  "near-miss-field": { severity: "warning", means: "A field that is not read has a name like one that is." },
  "unknown-field": {
    severity: "info",
    means: "A field that its host does not know; kept in `extra`. A switch still works (a warning).",
  },
  "unused-field": {
    severity: "warning",
    means: "A field that has no effect for this transport, or that another field overrides.",
  },
  "legacy-field": { severity: "warning", means: "A field was read under its old name." },
  "legacy-shape": { severity: "warning", means: "An entry was read in its old form." },
  "deprecated-field": {
    severity: "warning",
    means: "Its host still reads this field, but advises against it.",
  },
  "literal-secret": {
    severity: "warning",
    means: "A credential is written out; refer to a variable instead.",
  },
  "unresolved-variable": { severity: "warning", means: "A variable that is not set now and has no default." },
  "foreign-variable": {
    severity: "warning",
    means: "A variable in another host's syntax; the entry's own host passes it on unchanged.",
  },
  "command-substitution": {
    severity: "warning",
    means: "A value that is a command's output; no command is run.",
  },
  "command-has-spaces": {
    severity: "warning",
    means: "`command` looks like a command line; it is never split.",
  },
  "self-approval": {
    severity: "warning",
    means: "A field with which a file would approve itself; it is ignored.",
  },
  "unsupported-address": {
    severity: "warning",
    means: "A URL that its host can reach, but Jackfield cannot.",
  },
  "not-runnable": {
    severity: "info",
    means: "An entry that starts nothing: its host does so by itself, or it only switches a server.",
  },
  "script-file": {
    severity: "warning",
    means: "A configuration that is a program. It is neither read nor run, so its servers are not known.",
  },
  "untrusted-project": {
    severity: "info",
    means:
      "A project file that its host ignores until the project is trusted. Its servers are blocked by `host`.",
  },
  "project-chosen": {
    severity: "info",
    means: "Which project's local servers are shown, if any, of a file with servers of projects.",
  },
  "disabled-by-host": { severity: "info", means: "A list of the host switches the server off." },
  shadowed: { severity: "info", means: "A stronger entry has the same name, or reaches the same endpoint." },
  encoding: { severity: "warning", means: "The file is not UTF-8." },
  "missing-file": {
    severity: "warning",
    means: "A symbolic link is broken; the file counts as missing.",
  },
  "empty-file": { severity: "info", means: "The file is empty." },
  "no-servers": { severity: "info", means: "The file has no key for servers." },
  "missing-metadata": {
    severity: "warning",
    means: "The host refuses the file without members that it lacks; its servers were read all the same.",
  },
  "unread-profile": {
    severity: "info",
    means: "The file names a profile; the profile's own file is not read.",
  },
} as const satisfies { readonly [code: string]: DiagnosticFacts };

/** A code of `DIAGNOSTIC_CODES`. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;

/** A diagnostic of this package. */
export interface ConfigDiagnostic extends Diagnostic {
  readonly code: DiagnosticCode;
  /** What was probably meant: the name of a field or key. */
  readonly suggestion?: string | undefined;
}

/** What a diagnostic says besides its code, its message and its place. */
export interface DiagnosticDetails {
  readonly server?: string | undefined;
  readonly suggestion?: string | undefined;
  /** Set if it differs from the table. */
  readonly severity?: Diagnostic["severity"] | undefined;
}

/** Receives diagnostics as they are made. */
export type Report = (diagnostic: ConfigDiagnostic) => void;

/** Makes a diagnostic with the severity of its code. */
export function diagnose(
  code: DiagnosticCode,
  message: string,
  { file, line, column, pointer }: SourceLocation,
  { server, suggestion, severity = DIAGNOSTIC_CODES[code].severity }: DiagnosticDetails = {},
): ConfigDiagnostic {
  return {
    code,
    severity,
    message,
    file,
    line,
    column,
    pointer,
    ...(server === undefined ? undefined : { server }),
    ...(suggestion === undefined ? undefined : { suggestion }),
  };
}
