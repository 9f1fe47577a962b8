import { isRecord } from "@jackfield/mcp-core";
import { type DiagnosticCode, diagnose, type Report } from "../diagnostic-codes.ts";
import { fieldName } from "../documents/json-path.ts";
import type { EntryDialect } from "../entries/entry-dialect.ts";
import { exampleAt, exampleText, GAP } from "../entries/entry-examples.ts";
import { isSelfApproval } from "../entries/field-hints.ts";
import { looksLikeServer, type ServerSection } from "../hosts/host-dialect.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "./config-problem.ts";
import type { ParsedHostText } from "./host-document.ts";

/** Root keys under which hosts keep their servers. */
const ROOT_KEYS: ReadonlySet<string> = new Set([
  "mcpServers",
  "servers",
  "mcp_servers",
  "context_servers",
  "mcp",
  "extensions",
  "amp.mcpServers",
]);

/** Root keys that are easily confused. */
const ALIKE: ReadonlySet<string> = new Set(["mcpServers", "servers", "mcp_servers", "context_servers"]);

/** The sections for servers in a file, and whether there are any. */
export interface RootSections {
  /** The sections of all readings of the file by its host; those of the current one come first. */
  readonly sections: readonly ServerSection[];
  /** Whether sections of the current reading have servers. */
  readonly hasServers: boolean;
  /** Whether sections of other readings have servers. */
  readonly hasOthers: boolean;
  /** The names of all entries in these sections. */
  readonly names: () => ReadonlySet<string>;
}

/** Remarks on keys of the root: servers under another host's key, misspelled ones, and self-approval. */
export function reportRootKeys(
  source: ParsedHostText,
  { sections, hasServers, hasOthers, names }: RootSections,
  report: Report,
): void {
  const { content, dialect, document, scope, format } = source;
  const { strict } = dialect.entry;
  const expected = sections.flatMap(({ path }) => (path.length > 0 ? [String(path[0])] : []));
  const [section] = sections.filter(({ path }) => path.length > 0 && path[0] !== "projects");
  const wanted = section ? fieldName(section.path) : "mcpServers";
  // A format that describes a single server has no place to move other hosts' servers to.
  const isOfOneServer = section?.name !== undefined;
  let isExplained = false;
  for (const key of Object.keys(content)) {
    const remark = remarkOn(key, content[key]);
    if (remark) {
      isExplained = true;
      reportKey(key, remark);
    } else if (isSelfApproval(key) && (strict || scope === "project")) {
      const location = document.locate([key]);
      const text = `${quote(key)} is ignored; a file cannot approve its own servers.`;
      report(diagnose("self-approval", `${describeLocation(location)}: ${text}`, location));
    }
  }
  if (!hasServers && !hasOthers && !isExplained) reportMissingServers();

  function reportKey(key: string, remark: DiagnosticCode) {
    const location = document.locate([key]);
    const isThere = Object.hasOwn(content, section?.path[0] ?? wanted);
    const nextStep = isThere ? "Move them there" : "Rename the key";
    const meant = (isOfOneServer && resembledBy(key)) || wanted;
    const advice = isOfOneServer
      ? `did you mean ${quote(meant)}?`
      : `servers belong under ${quote(meant)}. ${nextStep}.`;
    const text = `${quote(key)} is not read; ${advice}`;
    const severity = strict && !hasServers && !isEmpty(content[key]) ? "error" : "warning";
    const message = `${describeLocation(location)}: ${text}`;
    report(diagnose(remark, message, location, { severity, suggestion: meant }));
  }

  function reportMissingServers() {
    const location = document.locate([]);
    const text = `there is no ${quote(wanted)}; write ${exampleOf(section, dialect.entry, format === "toml")}.`;
    const message = `${describeLocation(location)}: ${text}`;
    report(diagnose("no-servers", message, location, strict ? { severity: "warning" } : {}));
  }

  function resembledBy(key: string) {
    return expected.find((name) => stemOf(name) === stemOf(key));
  }

  function remarkOn(key: string, value: unknown) {
    if (expected.includes(key)) return undefined;
    if (!ROOT_KEYS.has(key)) return resembledBy(key) === undefined ? undefined : "near-miss-field";
    if (isOfOneServer) return undefined;
    // The same key may mean something else here, unless it really holds servers.
    const held = namesOfServers(value);
    const isServersKey = strict && key !== "mcp" && key !== "extensions";
    if (isServersKey && isEmpty(value)) return "near-miss-field";
    if (isServersKey || (!hasServers && held.length > 0)) return "wrong-root-key";
    // Two hosts may share a file in which each has the same servers under its own key.
    return ALIKE.has(key) && held.some((name) => !names().has(name)) ? "wrong-root-key" : undefined;
  }
}

/** Whether there are no entries in a value, so that nothing is lost with it. */
function isEmpty(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** The names of what looks like a server under a key. An unnamed element of a list has an empty name. */
function namesOfServers(value: unknown): readonly string[] {
  if (!Array.isArray(value)) {
    return isRecord(value) ? Object.keys(value).filter((name) => looksLikeServer(value[name])) : [];
  }
  const elements: readonly unknown[] = value;
  return elements
    .filter(looksLikeServer)
    .map((element) => (isRecord(element) && typeof element.name === "string" ? element.name : ""));
}

/** An example for a file without servers, in the place where they belong. */
function exampleOf(section: ServerSection | undefined, { examples }: EntryDialect, isToml: boolean): string {
  const { path, nameField, name, optionOf } = section ?? { path: ["mcpServers"] };
  const [entry = {}] = examples;
  if (isToml) {
    const fields = Object.keys(entry).map((field) => `${field} = ${exampleText(entry[field], isToml)}`);
    return `[${fieldName([...path, "name"])}], and below it ${fields.join(", ")}`;
  }
  const single = optionOf ? [entry] : entry;
  // A file of a single server has its name, if any, at the root.
  if (name !== undefined) return exampleText(exampleAt(path, single, name === "" ? { name: GAP } : {}));
  const servers = nameField === undefined ? { name: entry } : [{ [nameField]: "name", ...entry }];
  return exampleText(exampleAt(path, servers));
}

/** A key without what is easily mistaken: case, separators, the plural. */
function stemOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/[-_. ]/g, "")
    .replace(/s$/, "");
}
