import { isAbsolute } from "node:path";
import { isRecord } from "@jackfield/mcp-core";
import type { EntryContext, ServerEntry } from "../entry/entry.ts";
import { type EntryDialect, flatten, placeInEntry, type RemarkOnEntry } from "../entry/entry-dialect.ts";
import { subjectOf } from "../entry/entry-fault.ts";
import { fieldTexts, loginTexts } from "../entry/field-texts.ts";
import { schemeOf } from "../entry/http-syntax.ts";
import { quote, quoteName } from "../entry/server-name.ts";
import { isAbsent, plainName, type Spelling, shapeOf, writtenPaths } from "../entry/shape.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import type { DiagnosticCode, DiagnosticDetails } from "../find/diagnostics.ts";
import { type JsonMap, type JsonPath, ownMember } from "../read/json-value.ts";
import { knowsCommands } from "../resolve/variable-syntax.ts";
import { dialectFor, references } from "../resolve/variables.ts";
import { isLiteralSecret } from "./credential-values.ts";
import { foreignReferences } from "./references.ts";
import { writtenOut } from "./secrets.ts";

/** Something to say about an entry, which keeps nothing from being used. */
export interface Remark extends Pick<DiagnosticDetails, "severity" | "suggestion"> {
  readonly code: DiagnosticCode;
  /** In the entry, in the file's own names. */
  readonly path: JsonPath;
  readonly text: string;
}

/**
 * Looks at an entry for what its author may not have meant: fields that nobody reads, credentials and placeholders that are written out,
 * references that nobody fills in, a command line in place of a command.
 *
 * @param entry - as the file has it
 * @param read - the result of reading it; missing if it was refused, so that only its fields are looked at
 */
export function remarksOn(
  entry: unknown,
  context: EntryContext,
  read: ServerEntry | undefined,
): readonly Remark[] {
  if (!isRecord(entry)) return [];
  const remarks: Remark[] = [];
  const remark: AddRemark = (code, path, text, details) => remarks.push({ code, path, text, ...details });
  lintFields(entry, context, read?.unread ?? {}, remark);
  const { dialect, definedIn, platform, inCode } = context;
  if (read !== undefined || dialect.findFault?.(entry, context.name) === undefined) {
    const ofHost: RemarkOnEntry = (code, at, text, details) => remark(code, [at].flat(), text, details);
    const { entry: flat } = flatten(entry, dialect, ofHost);
    dialect.reshape?.(flat, { remark: ofHost, platform, definedIn, given: entry });
  }
  if (read === undefined) return remarks;
  lintUnread(entry, context, read, remark);
  const { written } = read;
  if (written === undefined) return remarks;
  const find = writtenPaths(entry, context);
  const scheme = written.url === undefined ? undefined : schemeOf(written.url);
  if (scheme !== undefined && scheme !== "http" && scheme !== "https")
    remark("unsupported-address", find(["url"]), "its host can reach this address, but Jackfield cannot.");
  lintCommandLine(written, find, remark);
  if (!inCode) lintValues(written, context, find, remark);
  return remarks;
}

type AddRemark = (
  code: DiagnosticCode,
  path: JsonPath,
  text: string,
  details?: Pick<DiagnosticDetails, "severity" | "suggestion">,
) => void;

/** Remarks on the names of an entry's fields. */
function lintFields(
  entry: JsonMap,
  { dialect, definedIn }: EntryContext,
  unread: JsonMap,
  remark: AddRemark,
): void {
  const { outdated = {}, commandFields = [], strict } = dialect;
  const { known, spellings } = shapeOf(dialect);
  for (const field of Object.keys(entry)) {
    const value = entry[field];
    if (value === null || (known.has(field) && isAbsent(value))) continue;
    const spelling = spellings.get(field);
    const isOff = spelling?.kind === "switch" && value === (spelling.field === "disabled");
    const meant = spelling === undefined ? meantField(field, dialect) : undefined;
    const instead = known.has(field) ? undefined : fieldInstead(field, dialect);
    const code = ownMember(outdated, field);
    if (spelling?.isForeign && isOff) {
      const text = `${quote(field)} is unknown to its host; only Jackfield switches the server off.`;
      remark("unknown-field", [field], text, { severity: "warning" });
    } else if (spelling?.isForeign && spelling.kind === "filter" && !Object.hasOwn(unread, field)) {
      remark("unknown-field", [field], ...aboutFilter(spelling, dialect));
    }
    if (isSelfApproval(field) && (strict || (definedIn.scope === "project" && !known.has(field)))) {
      remark("self-approval", [field], `${quote(field)} is ignored; an entry cannot approve itself.`);
    } else if (meant !== undefined) {
      const { kind, unitMs } = spellings.get(meant) ?? {};
      const isSame = kind !== "time" || plainName(field) === plainName(meant);
      const unit = isSame ? "" : `, in ${unitMs === 1000 ? "seconds" : "milliseconds"}`;
      const text = `${quote(field)} is not read; did you mean ${quote(meant)}${unit}?`;
      remark("near-miss-field", [field], text, { suggestion: meant });
    } else if (instead !== undefined) {
      const text = `${quote(field)} is not read; write ${instead.example}.`;
      remark("near-miss-field", [field], text, { suggestion: instead.field });
    } else if (code !== undefined) {
      remark(code, [field], `${quote(field)} is an old field name; it is still read.`);
    } else if (commandFields.includes(field)) {
      remark("command-substitution", [field], `${quote(field)} is a command, which is never run.`);
    }
  }
  const expansionData = dialect.readExpansionData?.(entry, definedIn);
  for (const [field, options] of Object.entries(expansionData ?? {})) {
    for (const [id, option] of Object.entries(isRecord(options) ? options : {})) {
      if (!isRecord(option) || option.sensitive !== true || !isLiteralSecret(option.default)) continue;
      const text = `the default of ${quote(id)} in ${quote(field)} is a credential; leave it out, so that it is asked for.`;
      remark("literal-secret", [field, id, "default"], text);
    }
  }
}

/** What is said of a list of tools under a name that the host does not have for it. */
function aboutFilter(
  { name, field }: Spelling,
  { fields, strict, toolsObject }: EntryContext["dialect"],
): readonly [string, Pick<DiagnosticDetails, "severity" | "suggestion">] {
  if (strict && toolsObject !== undefined) {
    const member = field === "include" ? "include" : "exclude";
    const text = `${quote(name)} is another host's name; it is read as ${quote(member)} in ${quote(toolsObject)}.`;
    return [text, { suggestion: toolsObject }];
  }
  const [suggestion] = [fields[field as "include" | "exclude"] ?? []].flat();
  const advice = suggestion === undefined ? "" : `; its host's name is ${quote(suggestion)}`;
  const text = `${quote(name)} is unknown to its host; only Jackfield leaves tools out by it${advice}.`;
  return [text, { severity: "warning", suggestion }];
}

/** Remarks on the fields that were not read. */
function lintUnread(
  entry: JsonMap,
  { dialect, platform, definedIn }: EntryContext,
  { unread = {}, transport }: ServerEntry,
  remark: AddRemark,
): void {
  const { extraFields = [], commandFields = [], strict } = dialect;
  const { known } = shapeOf(dialect);
  // Names that begin so set a field aside; the others were told by their names.
  const isTold = (field: string) =>
    /^[_$]/.test(field) ||
    (isSelfApproval(field) && (strict || definedIn.scope === "project")) ||
    meantField(field, dialect) !== undefined ||
    fieldInstead(field, dialect) !== undefined;
  for (const field of Object.keys(unread)) {
    const path = placeInEntry([field], entry, dialect, platform);
    const value = unread[field];
    if (value === null) continue;
    if (known.has(field)) {
      const isEmpty = isAbsent(value) || (Array.isArray(value) && value.length === 0);
      if (isEmpty || extraFields.includes(field) || commandFields.includes(field)) continue;
      const winner = winnerOver(field, entry, unread, dialect);
      const text = winner
        ? `${quote(field)} is ignored; ${quote(winner)} wins.`
        : `${quote(field)} has no effect for a server of type ${transport}.`;
      remark("unused-field", path, text);
    } else if (isServer(value)) {
      const text = `${quote(field)} looks like a server, but it is not read, because it stands inside this entry. Move it out of it.`;
      remark("wrong-root-key", path, text);
    } else if (!isTold(field)) {
      const subject = strict ? "is not known" : "is unknown to its host";
      remark("unknown-field", path, `${quoteName(field)} ${subject}; it is kept unchanged.`);
    }
  }
}

/** Whether a field can hardly be anything but a server that was put into another one's entry. */
function isServer(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { command, url, type, headers } = value;
  return typeof command === "string" || (typeof url === "string" && (type ?? headers) !== undefined);
}

/** The other name of the same field that won over a field left unread, if there is one. */
function winnerOver(
  field: string,
  entry: JsonMap,
  unread: JsonMap,
  dialect: EntryContext["dialect"],
): string | undefined {
  const { spellings } = shapeOf(dialect);
  const { object = "", fields = {} } = dialect.oauth ?? {};
  // An old name of a field that has no spelling is one of the type.
  if (!spellings.has(field) && Object.hasOwn(dialect.outdated ?? {}, field)) return dialect.transport.field;
  const same = spellings.get(field)?.field;
  const setting = ownMember(fields, field);
  return Object.keys(entry).find((other) => {
    if (other === field || Object.hasOwn(unread, other)) return false;
    if (same !== undefined) return spellings.get(other)?.field === same;
    return setting !== undefined && (ownMember(fields, other) === setting || other === object);
  });
}

function lintCommandLine(
  { command = "", args }: WrittenServer,
  find: (path: JsonPath) => JsonPath,
  remark: AddRemark,
): void {
  if ((args?.length ?? 0) > 0 || !/\s/.test(command) || isAbsolute(command)) return;
  const [field, list] = [find(["command"]), find(["args"])];
  const text = `${subjectOf(field)} is one executable and is never split; put arguments in ${subjectOf(list)}.`;
  remark("command-has-spaces", field, text);
}

/** Remarks on values: written-out credentials and placeholders, references that nobody fills in, and commands in place of values. */
function lintValues(
  written: WrittenServer,
  { dialect, variables: given }: EntryContext,
  find: (path: JsonPath) => JsonPath,
  remark: AddRemark,
): void {
  for (const { path, kind } of writtenOut(written, given, dialect)) {
    const found = find(path);
    const subject = quote(found.join("."));
    if (kind === "credential")
      remark(
        "literal-secret",
        found,
        `${subject} holds a credential; refer to a variable instead of writing it out.`,
      );
    else
      remark(
        "placeholder",
        found,
        `${subject} still holds a placeholder; put a value there, or refer to a variable.`,
      );
  }
  const variables = dialectFor(given, written);
  const texts = fieldTexts(written);
  const passes = dialect.strict ? "which is passed on unchanged" : "which its host passes on unchanged";
  const foreign = foreignReferences(written, [...texts, ...loginTexts(written)], variables, dialect);
  for (const { path, shown, effect = passes, advice, suggestion } of foreign) {
    const found = find(path);
    const text = `${quote(found.join("."))} holds ${shown}, ${effect}; ${advice}.`;
    remark("foreign-variable", found, text, { suggestion });
  }
  if (!knowsCommands(variables)) return;
  for (const { text, path, isValue } of texts) {
    for (const { reference } of references(text, variables, isValue)) {
      if (reference.kind !== "command") continue;
      const found = find(path);
      const asking = `${quote(found.join("."))} asks for a command's output, but no command is run.`;
      remark("command-substitution", found, asking);
    }
  }
}

/** Keys by which a configuration would approve itself; approval is never taken from what is to be approved (threat T04). */
const SELF_APPROVALS: ReadonlySet<string> = new Set([
  "trust",
  "autoApprove",
  "alwaysAllow",
  "enableAllProjectMcpServers",
]);

/** The field that an unknown one probably means: it is spelled alike, or other hosts call it so. */
export function meantField(field: string, dialect: EntryDialect): string | undefined {
  const { known, meant } = shapeOf(dialect);
  return known.has(field) ? undefined : meant.get(plainName(field));
}

/** Whether a key would approve the configuration that it is in. */
export function isSelfApproval(key: string): boolean {
  return SELF_APPROVALS.has(key);
}

/** What other hosts have fields for, and Jackfield's own form says in another field: how it is written there. */
const INSTEAD: readonly (readonly [names: RegExp, field: string, example: string])[] = [
  [/^bearertokenenv(?:var)?$/, "headers", '"headers": { "Authorization": "Bearer ${NAME}" }'],
  [
    /^(?:bearer|auth|access|api)?token$|^apikey$|^authorization$/,
    "headers",
    '"headers": { "Authorization": "Bearer ${TOKEN}" }',
  ],
  [/^envhttpheaders$|^headersfromenv$/, "headers", '"headers": { "X-Name": "${NAME}" }'],
  [/^env(?:keys|passthrough)$/, "env", '"env": { "NAME": "${NAME}" }'],
  [
    /^(?:oauth)?(?:clientid|clientsecret|scopes?|redirectur[il]|callbackport)$|^auth$/,
    "oauth",
    '"oauth": { "clientId": "…" }',
  ],
];

/** The field to write in place of one that only other hosts have, with an example. */
function fieldInstead(
  field: string,
  { strict }: EntryDialect,
): { readonly field: string; readonly example: string } | undefined {
  const found = strict ? INSTEAD.find(([names]) => names.test(plainName(field))) : undefined;
  return found && { field: found[1], example: found[2] };
}
