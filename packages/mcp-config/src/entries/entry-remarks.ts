import { isAbsolute } from "node:path";
import { isRecord } from "@jackfield/mcp-core";
import { type DiagnosticCode, type DiagnosticDetails, diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { type JsonMap, ownMember } from "../documents/json-value.ts";
import { schemeOf } from "../http-syntax.ts";
import { quote, quoteName, shownLocation } from "../server-name.ts";
import { knowsCommands } from "../variable-syntax.ts";
import { references } from "../variables.ts";
import { isLiteralSecret } from "./credential-values.ts";
import type { EntryContext } from "./entry-context.ts";
import { isSelfApproval, meantField } from "./field-hints.ts";
import { findForeignVariables } from "./foreign-variables.ts";
import { findLiteralSecrets } from "./literal-secrets.ts";
import type { EntryTransport } from "./transport-field.ts";
import { type FindWritten, subjectOf, type WrittenEntryContext, winnerOver } from "./written-path.ts";
import type { WrittenServer } from "./written-server.ts";
import { textsOf } from "./written-texts.ts";

/** Remarks on the names of an entry's fields, before anything is read. */
export function reportFields(entry: JsonMap, context: EntryContext, report: Report): void {
  const { dialect, definedIn } = context;
  const { known, outdated: outdatedFields, commandFields, unknownSwitches = [] } = dialect;
  for (const field of unknownSwitches) {
    if (!Object.hasOwn(entry, field) || entry[field] !== (field === "disabled")) continue;
    const text = `${quote(field)} is unknown to its host; only Jackfield switches the server off.`;
    remark(context, report, "unknown-field", [field], text, { severity: "warning" });
  }
  for (const field of Object.keys(entry)) {
    const meant = known.has(field) ? undefined : meantField(field, dialect);
    const outdated = outdatedFields && ownMember(outdatedFields, field);
    if (isSelfApproval(field) && (dialect.strict || definedIn.scope === "project")) {
      remark(
        context,
        report,
        "self-approval",
        [field],
        `${quote(field)} is ignored; an entry cannot approve itself.`,
      );
    } else if (meant) {
      const text = `${quote(field)} is not read; did you mean ${quote(meant)}?`;
      remark(context, report, "near-miss-field", [field], text, { suggestion: meant });
    } else if (outdated) {
      const text = `${quote(field)} is an old field name; it is still read.`;
      remark(context, report, outdated, [field], text);
    } else if (commandFields?.includes(field)) {
      const text = `${quote(field)} is a command, which is never run.`;
      remark(context, report, "command-substitution", [field], text);
    }
  }
  const expansionData = dialect.readExpansionData?.(entry, definedIn);
  if (expansionData) reportDefaults(expansionData, context, report);
}

/** Remarks on written-out defaults of secret inputs. */
function reportDefaults(expansionData: JsonMap, context: EntryContext, report: Report): void {
  for (const [field, options] of Object.entries(expansionData)) {
    if (!isRecord(options)) continue;
    for (const [id, option] of Object.entries(options)) {
      if (!isRecord(option) || option.sensitive !== true || !isLiteralSecret(option.default)) continue;
      const text = `the default of ${quote(id)} in ${quote(field)} is a credential; leave it out, so that it is asked for.`;
      remark(context, report, "literal-secret", [field, id, "default"], text);
    }
  }
}

/** Remarks on the fields that were not read, and returns them for `extra`. */
export function reportUnread(
  unread: JsonMap,
  transport: EntryTransport,
  context: WrittenEntryContext,
  report: Report,
): JsonMap {
  const { dialect } = context;
  const isKept = (field: string) =>
    dialect.extraFields?.includes(field) || dialect.commandFields?.includes(field);
  for (const field of Object.keys(unread)) {
    if (dialect.known.has(field)) {
      // Many tools write `null` for a field that is not set.
      if (isKept(field) || (unread[field] === null && !dialect.strict)) continue;
      const winner = winnerOver(field, context, unread);
      const text = winner
        ? `${quote(field)} is ignored; ${quote(winner)} wins.`
        : `${quote(field)} has no effect for a server of type ${transport}.`;
      remark(context, report, "unused-field", [field], text);
    } else if (!dialect.strict && !/^[_$]/.test(field) && !meantField(field, dialect)) {
      const text = `${quoteName(field)} is unknown to its host; it is kept unchanged.`;
      remark(context, report, "unknown-field", [field], text);
    }
  }
  return unread;
}

export function reportCommandLine(
  written: WrittenServer,
  context: EntryContext,
  find: FindWritten,
  report: Report,
): void {
  const { command = "", args } = written;
  if (args !== undefined || !/\s/.test(command) || isAbsolute(command)) return;
  const [field, list] = [find(["command"]), find(["args"])];
  const text = `${subjectOf(field)} is one executable and is never split; put arguments in ${subjectOf(list)}.`;
  remark(context, report, "command-has-spaces", field, text);
}

/** Remarks on values: addresses out of reach, written-out credentials, other hosts' variables, and commands in place of values. */
export function reportValues(
  written: WrittenServer,
  context: EntryContext,
  find: FindWritten,
  report: Report,
): void {
  const scheme = written.url === undefined ? undefined : schemeOf(written.url);
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    const text = "its host can reach this address, but Jackfield cannot.";
    remark(context, report, "unsupported-address", find(["url"]), text);
  }
  if (context.inCode) return;
  const { fields: settings = {} } = context.dialect.oauth ?? {};
  const secretFields = Object.keys(settings).filter((field) => settings[field] === "clientSecret");
  for (const path of findLiteralSecrets(written, context.variables, secretFields)) {
    const found = find(path);
    const text = `${quote(found.join("."))} holds a credential; refer to a variable instead of writing it out.`;
    remark(context, report, "literal-secret", found, text);
  }
  reportForeignVariables(written, context, find, report);
  if (!knowsCommands(context.variables)) return;
  for (const { text, path, isValue } of textsOf(written)) {
    for (const { reference } of references(text, context.variables, isValue)) {
      if (reference.kind !== "command") continue;
      const found = find(path);
      const asking = `${quote(found.join("."))} asks for a command's output, but no command is run.`;
      remark(context, report, "command-substitution", found, asking);
    }
  }
}

/** Remarks on variables in another host's spelling. */
export function reportForeignVariables(
  written: WrittenServer,
  context: EntryContext,
  find: FindWritten,
  report: Report,
): void {
  for (const { path, written: variable, suggestion, isPlain } of findForeignVariables(
    written,
    context.variables,
  )) {
    const found = find(path);
    const otherwise = isPlain ? "it fills in no variables there" : "it uses another syntax for variables";
    const nextStep = suggestion ? `write ${suggestion}` : otherwise;
    const text = `${quote(found.join("."))} holds ${variable}, which its host passes on unchanged; ${nextStep}.`;
    remark(context, report, "foreign-variable", found, text, { suggestion });
  }
}

function remark(
  { name, locate }: EntryContext,
  report: Report,
  code: DiagnosticCode,
  path: JsonPath,
  text: string,
  details?: DiagnosticDetails,
): void {
  report(
    diagnose(code, `Server ${quote(name)}: ${text}`, shownLocation(locate, path), {
      server: name,
      ...details,
    }),
  );
}
