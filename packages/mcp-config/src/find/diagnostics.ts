import {
  type DefinedIn,
  type Diagnostic,
  McpError,
  type Phase,
  type SourceLocation,
} from "@jackfield/mcp-core";
import { quote } from "../entry/server-name.ts";

/**
 * Every code of a diagnostic, with its usual severity and what it means. Codes of the first group, spelled like the names of errors, mean
 * that a file or a server was lost; the others stop nothing by themselves. In strict files (`entries.md`) `duplicate-key`, `wrong-root-key`
 * and `near-miss-field` are errors if something is lost by them.
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
    means: "Servers stand where their host does not read them: beside its key, or under another one.",
  },
  "near-miss-field": { severity: "warning", means: "A field that is not read has a name like one that is." },
  "unknown-field": {
    severity: "info",
    means:
      "A field that its host does not know; kept in `extra`. A switch or a tool filter still works (a warning).",
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
  placeholder: {
    severity: "warning",
    means: "A placeholder, such as `YOUR_API_KEY`, stands where a value belongs.",
  },
  "unresolved-variable": { severity: "warning", means: "A variable that is not set now and has no default." },
  "foreign-variable": {
    severity: "warning",
    means: "A reference in a syntax that the entry's own host does not know; it is passed on unchanged.",
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
  "unapplied-rules": {
    severity: "warning",
    means:
      "An administrator's file is there, so no server of its host is used; or rules of the user's beyond names are not applied.",
  },
  "project-chosen": {
    severity: "info",
    means: "Which project's local servers are shown, if any, of a file with servers of projects.",
  },
  "disabled-by-host": {
    severity: "info",
    means: "A switch outside of the server's entry, in a file of its host, switches the server off.",
  },
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
} as const satisfies {
  readonly [code: string]: { readonly severity: Diagnostic["severity"]; readonly means: string };
};

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

/** An entry that could not be used, or without `server` a whole source. Everything else is used all the same. */
export interface ConfigProblem {
  /** The entry's name as written; missing if the file or the option as a whole is at fault. */
  readonly server?: string | undefined;
  /** The place of the entry, or of the file. */
  readonly definedIn: DefinedIn;
  /** What is wrong. Its `location` is the place of the fault itself: a field of the entry, a character of the file. */
  readonly error: McpError;
  /** The code of the diagnostic that says the same. */
  readonly kind: DiagnosticCode;
}

/** A problem as a diagnostic. */
export function describeProblem({ server, definedIn, error, kind }: ConfigProblem): ConfigDiagnostic {
  return diagnose(kind, error.message, error.location ?? locationOf(definedIn), { server });
}

/** The location of an entry, without its scope and host. */
export function locationOf({ file, line, column, pointer }: DefinedIn): SourceLocation {
  return { file, line, column, pointer };
}

/** A place as a message shows it: `/project/.mcp.json:12:7`, or the option if no file is involved. */
export function describeLocation({ file, line, column, pointer }: SourceLocation): string {
  if (file === undefined) return `option ${quote(pointer ?? "servers")}`;
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** How many places a last diagnostic stands for, after the others named one each. */
export function describePlaces(count: number): string {
  return count === 1 ? "1 more place" : `${count} more places`;
}

/** An `MCP_CONFIG_INVALID` for one server, with its name and the place in front of the text. */
export function invalidServer(
  server: string,
  location: SourceLocation,
  text: string,
  phase: Phase = "config",
): McpError {
  const message = `Server ${quote(server)} (${describeLocation(location)}): ${text}`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase, location });
}

/** An `MCP_CONFIG_INVALID` for a file or an option as a whole. */
export function invalidSource(location: SourceLocation, text: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", `${describeLocation(location)}: ${text}`, {
    phase: "config",
    location,
  });
}

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
