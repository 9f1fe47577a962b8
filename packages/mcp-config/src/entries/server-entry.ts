import { type InProcessServerDefinition, isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { withDigits } from "../documents/number-spellings.ts";
import { quote, serverNameFault, shownLocation } from "../server-name.ts";
import { invalidServer } from "../sources/config-problem.ts";
import { defineServer, type FaultIn, limitsOf } from "./defined-entry.ts";
import type { EntryContext } from "./entry-context.ts";
import type { RemarkOnEntry } from "./entry-dialect.ts";
import { exampleText } from "./entry-examples.ts";
import type { EntryFields, FaultAt, Tolerate } from "./entry-fields.ts";
import {
  reportCommandLine,
  reportFields,
  reportForeignVariables,
  reportUnread,
  reportValues,
} from "./entry-remarks.ts";
import { readPlainEntry } from "./plain-entry.ts";
import { readWrittenEntry } from "./written-entry.ts";
import { contextOfReshaped, subjectOf, writtenPaths } from "./written-path.ts";
import type { WrittenServer } from "./written-server.ts";

/** The result of reading an entry. */
export interface ServerEntry {
  /** Missing for an in-process server, which has no written form. */
  readonly written?: WrittenServer | undefined;
  readonly definition: ServerDefinition;
}

/**
 * Reads one entry by the rules of its host. Values stay unexpanded; unknown fields are kept in `extra`.
 *
 * In a strict dialect a known field of the wrong type refuses the entry, because a limit or a filter that is silently
 * dropped protects nobody. In the others a faulty field that the server can do without is left out with a remark.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with the place of the first fault that refuses the entry.
 */
export function readServerEntry(entry: unknown, context: EntryContext, report: Report): ServerEntry {
  const { name, dialect } = context;
  const faultAt: FaultAt = (path, text) => invalidServer(name, shownLocation(context.locate, path), text);
  if (!isRecord(entry)) {
    const isToml = /\.toml$/i.test(context.definedIn.file ?? "");
    const shape = dialect.examples.map((example) => exampleText(example, isToml)).join(" or ");
    throw faultAt([], `the entry must be an object, not ${kindOf(entry)}; write ${shape}.`);
  }
  const nameFault = serverNameFault(name, dialect.strict);
  if (nameFault) throw faultAt([], `${nameFault}; choose another.`);
  const plain = readPlainEntry(entry, context, faultsIn(entry, context, faultAt));
  if (plain === undefined) return readInFull(entry, context, faultAt, report);
  const { written, definition, mayHoldForeignVariables } = plain;
  if (mayHoldForeignVariables && !context.inCode)
    reportForeignVariables(written, context, writtenPaths(entry, context), report);
  return { written, definition };
}

/** Reads any entry; `readPlainEntry` is quicker for those that it accepts. */
export function readInFull(
  entry: JsonMap,
  context: EntryContext,
  faultAt: FaultAt,
  report: Report,
): ServerEntry {
  const { name, dialect } = context;
  reportFields(entry, context, report);
  const refusal = dialect.findFault?.(entry, name);
  if (refusal) throw faultAt(refusal.field === "" ? [] : [refusal.field], refusal.text);
  const { platform, definedIn } = context;
  const shaped = dialect.reshape?.(entry, remarkOn(context, report), platform, definedIn) ?? entry;
  const { writtenAt } = dialect;
  const faultAtShaped: FaultAt = writtenAt
    ? (path, text) => {
        const found = writtenAt(path, entry, platform);
        return faultAt(found, withSubject(text, path, found));
      }
    : faultAt;
  const read = readWrittenEntry(shaped, dialect, context.inCode, faultAtShaped, toleranceOf(context, report));
  const { transport, common, way, fields } = read;
  if (transport === "in-process") {
    const server = readInstance(fields, faultAt);
    const left = fields.rest();
    const extra = left && reportUnread(left, transport, context, report);
    const { enabled, lazy, shared, tools } = common;
    const limits = limitsOf(common);
    const settings = { ...off(enabled), lazy, shared, limits, tools, extra };
    return { definition: { name, definedIn, ...settings, transport, server } };
  }
  // A value given in code may contain itself, and its numbers have no other spelling.
  const exact = (members: JsonMap | undefined) =>
    members && !context.inCode ? withDigits(members, entry) : members;
  const left = exact(fields.rest());
  const unread = left && reportUnread(left, transport, contextOfReshaped(entry, context), report);
  const aside = exact(dialect.removedFields?.(entry));
  const extra = aside ? { ...unread, ...aside } : unread;
  const requires = dialect.requires?.(entry);
  const written: WrittenServer = {
    transport,
    ...way,
    ...common,
    ...(requires ? { requires } : undefined),
    ...(extra ? { extra } : undefined),
  };
  const find = writtenPaths(entry, context);
  const expansionData = dialect.readExpansionData?.(entry, definedIn);
  const whole = expansionData ? { ...written, extra: { ...extra, ...expansionData } } : written;
  const definition = defineServer(
    dialect.addHostFields?.(whole) ?? whole,
    context,
    faultsIn(entry, context, faultAt),
  );
  reportCommandLine(written, context, find, report);
  reportValues(written, context, find, report);
  return { written, definition };
}

/** Names faults by the host's own names of fields. */
function faultsIn(entry: JsonMap, context: EntryContext, faultAt: FaultAt): FaultIn {
  return (path, text) => {
    const found = writtenPaths(entry, context)(path);
    return faultAt(found, `${subjectOf(found)} ${text}`);
  };
}

/** A fault names a field as in the reshaped entry. This puts in the name that the file has for it. */
function withSubject(text: string, path: JsonPath, found: JsonPath): string {
  if (path.length === 0 || found.length === 0) return text;
  const subject = subjectOf(path);
  if (!text.startsWith(subject)) return text;
  const written = found.length > 2 ? quote(fieldName(found)) : subjectOf(found);
  return `${written}${text.slice(subject.length)}`;
}

const off = (enabled: boolean) => (enabled ? {} : { enabled });

function remarkOn({ name, locate }: EntryContext, report: Report): RemarkOnEntry {
  return (code, at, text, details) => {
    const message = `Server ${quote(name)}: ${text}`;
    report(diagnose(code, message, shownLocation(locate, [at].flat()), { server: name, ...details }));
  };
}

function toleranceOf({ dialect, name }: EntryContext, report: Report): Tolerate | undefined {
  if (dialect.strict) return undefined;
  return ({ message, location = {} }, instead, severity) => {
    const outcome = instead ? `So the server is switched off; write ${instead}.` : "It is left out.";
    report(diagnose("invalid-field", `${message} ${outcome}`, location, { server: name, severity }));
  };
}

function readInstance(fields: EntryFields, faultAt: FaultAt): InProcessServerDefinition["server"] {
  const server = fields.value("server");
  const isInstance = isRecord(server) && typeof server.connect === "function";
  if (!isInstance && typeof server !== "function") {
    const text = `"server" must be an MCP server or a function that makes one, not ${kindOf(server)}.`;
    throw faultAt(["server"], text);
  }
  return server as InProcessServerDefinition["server"];
}
