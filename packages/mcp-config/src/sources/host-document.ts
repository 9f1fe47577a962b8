import { type DefinitionScope, isRecord, McpError, toMcpError } from "@jackfield/mcp-core";
import { type DiagnosticCode, diagnose, type Report } from "../diagnostic-codes.ts";
import { type ConfigDocument, type ConfigFormat, parseConfigDocument } from "../documents/config-document.ts";
import { createMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import type { FindServers, HostDialect, HostDocument } from "../hosts/host-dialect.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, describeLocation, describePlaces, invalidSource } from "./config-problem.ts";

/** A text in a host's format, and what is known about it before it is parsed. */
export interface HostText {
  readonly text: string;
  /** The path, as it was named. */
  readonly file: string;
  readonly realFile?: string | undefined;
  /** The folder of the project or extension it belongs to. */
  readonly root?: string | undefined;
  readonly kind: string;
  readonly scope: DefinitionScope;
  readonly format: ConfigFormat;
  readonly servers: FindServers | "none";
  /** The dialect in which it is read. */
  readonly dialect: HostDialect;
  /** The host that `definedIn` names; missing for files that the caller named, which belong to none. */
  readonly host?: string | undefined;
}

/** The same, parsed. */
export interface ParsedHostText extends HostText, HostDocument {
  readonly file: string;
  readonly document: ConfigDocument;
}

/** The parsers of these formats take up to a thousand times the size of a text in memory, and no real file comes near it. */
const LONGEST_TOML_OR_YAML = 1024 * 1024;

/**
 * Parses a text and remarks on oddities of the file as a whole. A broken file, or one whose root is not an object, is a problem. So
 * is an empty JSON file that is an administrator's, or the user's and decides on trust. For such files, `brokenDocument` may return
 * a document without content as well.
 */
export async function parseHostText(
  source: HostText,
  report: Report,
): Promise<{ document?: ParsedHostText; problem?: ConfigProblem }> {
  const { text, file, format } = source;
  if (!isJson(format) && text.length > LONGEST_TOML_OR_YAML) {
    const fault = `the file is larger than ${LONGEST_TOML_OR_YAML} characters; split it.`;
    const problem = problemOf(source, "ConfigTooLargeError", invalidSource({ file }, fault));
    return { problem, ...brokenDocument(source) };
  }
  let document: ConfigDocument;
  try {
    document = await parseConfigDocument(text, file, format);
  } catch (cause) {
    const error = toMcpError(cause, "MCP_INTERNAL", `${file} could not be read.`, { phase: "config" });
    const problem = problemOf(source, "ConfigSyntaxError", explained(error, source));
    return { problem, ...brokenDocument(source) };
  }
  const { root, forbidden, looseness } = document;
  if (forbidden.count > 0 || looseness) reportOddities(source, document, report);
  if (root === undefined) return emptyDocument(source, document, report);
  if (!isRecord(root)) return { problem: shapeProblem(source, document, root), ...brokenDocument(source) };
  return { document: { ...source, document, content: root } };
}

function isJson(format: ConfigFormat): boolean {
  return format !== "toml" && format !== "yaml";
}

function reportOddities(
  { file, dialect }: HostText,
  { forbidden, looseness }: ConfigDocument,
  report: Report,
): void {
  for (const location of forbidden.places) {
    const message = `${describeLocation(location)}: the key "__proto__" is not allowed; it is left out.`;
    report(diagnose("forbidden-key", message, location));
  }
  const unreported = forbidden.count - forbidden.places.length;
  if (unreported > 0) {
    const message = `${file}: the key "__proto__" is left out in ${describePlaces(unreported)}.`;
    report(diagnose("forbidden-key", message, { file }));
  }
  if (looseness) {
    const message = `${describeLocation(looseness)}: ${dialect.title} reads strict JSON and rejects a file with comments or trailing commas.`;
    report(diagnose("non-strict-json", message, looseness));
  }
}

/** An empty file may be left by a failed write. It is not valid JSON, but it is valid TOML and YAML. */
function emptyDocument(source: HostText, document: ConfigDocument, report: Report) {
  const location = document.locate([]);
  // A file without rules allows more than one with rules, so lost rules must not pass for an empty file.
  if (isJson(source.format) && (source.scope === "managed" || decidesOnTrust(source))) {
    const text = "the file is empty, which is not valid JSON; write {} if it defines no servers.";
    const problem = problemOf(source, "ConfigSyntaxError", invalidSource(location, text));
    return { problem, ...brokenDocument(source) };
  }
  const message = `${describeLocation(location)}: the file is empty, so it defines no servers.`;
  report(diagnose("empty-file", message, location));
  return {};
}

/** Whether it is a user's file that may say which projects are trusted. */
function decidesOnTrust({ scope, kind, dialect }: Omit<HostText, "text">): boolean {
  return scope === "user" && dialect.trustFiles?.includes(kind) === true;
}

/**
 * Returns the document that replaces an unreadable file with a say in which servers are used: a file of rules only or an
 * administrator's, if the host has lists, or a user's file that may say which projects are trusted.
 */
export function brokenDocument(source: Omit<HostText, "text">): { document?: ParsedHostText } {
  const { file, dialect, servers, scope } = source;
  const hasRules = dialect.lists !== undefined && (servers === "none" || scope === "managed");
  if (!hasRules && !decidesOnTrust(source)) return {};
  const content = createMap();
  const document = {
    root: content,
    duplicates: [],
    forbidden: { places: [], count: 0 },
    locate: () => ({ file }),
  };
  return { document: { ...source, text: "", servers: "none", document, content, isBroken: true } };
}

/** Adds a cause to a fault, if the host knows one. */
function explained(error: McpError, { text, dialect }: HostText): McpError {
  const { line = 0, column = 0 } = error.location ?? {};
  const rest = text.split("\n")[line - 1]?.slice(Math.max(column - 2, 0)) ?? "";
  const explanation = dialect.causeOfFault?.(rest);
  if (explanation === undefined) return error;
  const { code, message, phase, location } = error;
  return new McpError(code, `${message} ${explanation}`, { phase, location });
}

/** A problem of a file as a whole. */
export function problemOf(
  { file, scope, host }: Pick<HostText, "file" | "scope" | "host">,
  kind: DiagnosticCode,
  error: McpError,
): ConfigProblem {
  return { definedIn: { scope, file, ...(host === undefined ? {} : { host }) }, error, kind };
}

function shapeProblem(source: HostText, document: ConfigDocument, root: unknown): ConfigProblem {
  const [section] = sectionsIn({}, source);
  const key = String(section?.path[0] ?? "mcpServers");
  const instead =
    source.servers === "none" ? "" : `; write { ${quote(key)}: ${section?.optionOf ? "[ … ]" : "{ … }"} }`;
  const text = `the file must hold an object, not ${kindOf(root)}${instead}.`;
  return problemOf(source, "ConfigShapeError", invalidSource(document.locate([]), text));
}

/** The sections for servers in an empty document of this kind. */
function sectionsIn(root: JsonMap, { servers, file }: Pick<HostText, "servers" | "file">) {
  const context = {
    folders: [],
    isStandaloneFile: false,
    platform: process.platform,
    remark: () => {},
  };
  return servers === "none" ? [] : servers(root, context, file);
}
