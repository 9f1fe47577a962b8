import { dirname } from "node:path";
import { isRecord, type SourceLocation } from "@jackfield/mcp-core";
import { type EntryDialect, exampleAt, exampleText, GAP, shortestEntries } from "../entry/entry-dialect.ts";
import { quote, quoteName } from "../entry/server-name.ts";
import type { FindingContext, ServerSection } from "../hosts/host-dialect.ts";
import { isSelfApproval } from "../lint/remarks.ts";
import { fieldName, type JsonPath, shownKey } from "../read/json-value.ts";
import {
  type DiagnosticCode,
  type DiagnosticDetails,
  describeLocation,
  diagnose,
  type Report,
} from "./diagnostics.ts";
import type { ParsedHostText } from "./host-files.ts";

/** Keys under which hosts keep their servers. */
const SERVER_KEYS: ReadonlySet<string> = new Set([
  "mcpServers",
  "servers",
  "mcp_servers",
  "context_servers",
  "mcp",
  "extensions",
  "amp.mcpServers",
]);

/** Of these, the ones that hold another program's servers where several programs share a file, or something else. */
const SHARED: ReadonlySet<string> = new Set(["extensions", "amp.mcpServers"]);

/** Of these, the ones that may also hold settings. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["mcp", "extensions"]);

/** Members of manifests and settings that have an address, and are no servers. */
const NO_SERVERS: ReadonlySet<string> = new Set([
  ...["author", "bugs", "enterprise", "homepage", "repository"],
  // Kiro writes the servers of its powers there, and starts them with a power.
  "powers",
]);

/** The fields in which hosts have a server's address. */
const ADDRESSES = ["url", "httpUrl", "serverUrl", "uri", "baseUrl"];

/** How deep servers are looked for under keys that are not read. */
const DEEPEST_SEARCH = 8;

/** How many servers a message names. */
const MOST_NAMES = 5;

/** Whether a value can hardly be anything but a server. */
export function isServerLike(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { command, cmd, type } = value;
  const isProgram = typeof command === "string" || Array.isArray(command) || typeof cmd === "string";
  return isProgram ? type !== "command" : ADDRESSES.some((field) => typeof value[field] === "string");
}

/** The names of the servers in a map or a list; an unnamed element has its index. */
export function serversIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) {
    return isRecord(value) ? Object.keys(value).filter((name) => isServerLike(value[name])) : [];
  }
  return value.flatMap((element: unknown, index) => {
    // Each with its name, as some write a list.
    if (!isServerLike(element)) return Array.isArray(element) ? [] : serversIn(element);
    return isRecord(element) && typeof element.name === "string" ? element.name : String(index);
  });
}

/** Names as a message lists them. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => quote(shownKey(name)));
  const others = names.length - shown.length;
  if (others > 0) return `${shown.join(", ")} and ${others} more`;
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" and ");
}

/** Tells of servers in a file from which its host reads none. */
export async function reportUnreadFile(
  source: ParsedHostText,
  { at }: FindingContext,
  report: Report,
): Promise<void> {
  const { content, dialect, document, kind } = source;
  for (const key of Object.keys(content)) {
    if (!SERVER_KEYS.has(key)) continue;
    const names = serversIn(content[key]);
    if (names.length === 0) continue;
    const location = (await document.places())([key]);
    const cwd = source.root ?? dirname(source.file);
    const right = dialect.files.find(
      (file) => file.servers !== "none" && file.scope === source.scope && file.kind !== kind,
    );
    const [place] = (at && right?.paths({ ...at, cwd, projectTop: cwd })) ?? [];
    const step = place === undefined ? "" : ` Move them to ${place.file}.`;
    const text = `${quote(key)} is not read: ${dialect.title} reads no servers from this file, so ${listNames(names)} ${areLost(names)}.${step}`;
    report(diagnose("wrong-root-key", `${describeLocation(location)}: ${text}`, location));
  }
}

function areLost(names: readonly string[]): string {
  return names.length === 1 ? "is lost" : "are lost";
}

/** Something that is not read. */
interface Stray {
  readonly path: JsonPath;
  readonly code: DiagnosticCode;
  /** The servers in it; none if it is one itself. */
  readonly names: readonly string[];
  readonly text: string;
  readonly details: DiagnosticDetails;
}

/** Tells of servers that stand beside, above or under a wrong key, of misspelled keys, and of self-approval. */
export async function reportWrongKeys(
  source: ParsedHostText,
  {
    sections,
    hasServers,
    hasOthers,
    names,
    remarks = false,
  }: {
    /** Those of all readings of the file by its host; those of the current one come first. */
    readonly sections: readonly ServerSection[];
    /** Whether the current reading has servers, and whether others have. */
    readonly hasServers: boolean;
    readonly hasOthers: boolean;
    /** The names of all entries in these sections. */
    readonly names: () => ReadonlySet<string>;
    /** Whether lists are told that were to switch something, and are not read. */
    readonly remarks?: boolean | undefined;
  },
  report: Report,
): Promise<void> {
  const { content, dialect, document, scope, format, file } = source;
  const { strict } = dialect.entry;
  const expected = sections.flatMap(({ path }) => (path.length > 0 ? [String(path[0])] : []));
  const [section] = sections.filter(({ path }) => path.length > 0 && path[0] !== "projects");
  const wanted = section ? fieldName(section.path) : "mcpServers";
  // A format that describes a single server has no place to move other hosts' servers to.
  const isOfOneServer = section?.name !== undefined;
  // Everything in the root is an entry there.
  const isBare = sections.some(({ path }) => path.length === 0);
  const isSettings = !strict && !/mcp/i.test(file.slice(file.lastIndexOf("/") + 1));
  const isThere = Object.hasOwn(content, section?.path[0] ?? wanted);
  const strays = isBare ? [] : Object.keys(content).flatMap((key) => strayAt(key, content[key]) ?? []);
  for (const { path, code, text, details } of strays) {
    const location = (await document.places())(path);
    report(diagnose(code, `${describeLocation(location)}: ${text}`, location, details));
  }
  for (const key of Object.keys(content)) {
    if (!isSelfApproval(key) || !(strict || scope === "project")) continue;
    const location = (await document.places())([key]);
    const text = `${quote(key)} is ignored; a file cannot approve its own servers.`;
    report(diagnose("self-approval", `${describeLocation(location)}: ${text}`, location));
  }
  if (strict && remarks && !isBare) await reportUnreadRules();
  if (!hasServers && !hasOthers && strays.length === 0) await reportMissingServers();

  /** A list in the root that was to switch servers or tools off protects nobody. Other keys are other programs' business. */
  async function reportUnreadRules() {
    const told = [...expected, ...strays.map(({ path }) => path[0])];
    const isRule = /^(?:allow|den(?:y|ied)|block|exclu|inclu|enabl|disabl|disallow|hid)|^tools$/i;
    for (const key of Object.keys(content)) {
      if (told.includes(key) || isSelfApproval(key) || !isRule.test(key) || content[key] === null) continue;
      const location = (await document.places())([key]);
      const text = `${quoteName(shownKey(key))} is not read, because it does not stand in an entry; switch servers and tools in their entries.`;
      const message = `${describeLocation(location)}: ${text}`;
      report(diagnose("unknown-field", message, location, { severity: "warning" }));
    }
  }

  function strayAt(key: string, value: unknown): Stray | undefined {
    if (expected.includes(key)) return undefined;
    const code = codeOf(key, value);
    if (code !== undefined) return strayKey(key, value, code);
    // In files of settings, names with dots are settings.
    if (isOfOneServer || NO_SERVERS.has(key) || (isSettings && key.includes("."))) return undefined;
    if (isServerLike(value)) return strayServer(key);
    return strayGroup([key], value) ?? innerGroup([key], value);
  }

  /** What is wrong with a key that is one of a host's, or resembles one of this host's. */
  function codeOf(key: string, value: unknown): DiagnosticCode | undefined {
    if (!SERVER_KEYS.has(key)) return resembledBy(key) === undefined ? undefined : "near-miss-field";
    if (isOfOneServer) return undefined;
    // The same key may mean something else here, unless it really holds servers.
    const held = serversIn(value);
    const isServersKey = strict && !AMBIGUOUS.has(key);
    if (isServersKey && isEmpty(value)) return "near-miss-field";
    if (isServersKey || (!hasServers && held.length > 0)) return "wrong-root-key";
    // Two hosts may share a file in which each has the same servers under its own key.
    return !SHARED.has(key) && held.some((name) => !names().has(name)) ? "wrong-root-key" : undefined;
  }

  function strayKey(key: string, value: unknown, code: DiagnosticCode): Stray {
    const nextStep = isThere ? "Move them there" : "Rename the key";
    const meant = (isOfOneServer && resembledBy(key)) || wanted;
    const held = serversIn(value);
    const loss = held.length === 0 ? "" : `, so ${listNames(held)} ${areLost(held)}`;
    const advice = isOfOneServer
      ? `did you mean ${quote(meant)}?`
      : `servers belong under ${quote(meant)}. ${nextStep}.`;
    const severity = strict && !hasServers && !isEmpty(value) ? "error" : "warning";
    const text = `${quote(key)} is not read${loss}; ${advice}`;
    return { path: [key], code, names: held, text, details: { severity, suggestion: meant } };
  }

  function strayServer(key: string): Stray {
    const place = isThere ? `stands beside ${quote(wanted)}` : `does not stand under ${quote(wanted)}`;
    const text = `${quote(shownKey(key))} looks like a server, but it is not read, because it ${place}. Move it there.`;
    const details = { severity: severityOfLoss(), server: shownKey(key), suggestion: wanted } as const;
    return { path: [key], code: "wrong-root-key", names: [], text, details };
  }

  /** A map or list of servers under a key that says so, or in a file that holds nothing but servers. */
  function strayGroup(path: JsonPath, value: unknown): Stray | undefined {
    const key = String(path.at(-1));
    const isOwn = key === section?.path.at(-1);
    const isNamedSo = isOwn || (SERVER_KEYS.has(key) ? !SHARED.has(key) : /mcp/i.test(key));
    if (!isNamedSo && (isSettings || path.length > 1)) return undefined;
    const held = serversIn(value).filter((name) => !names().has(name));
    if (held.length === 0) return undefined;
    const text = `${quote(fieldName(path.map(shownKey)))} is not read, so ${listNames(held)} ${areLost(held)}; servers belong under ${quote(wanted)}. Move them there.`;
    const details = { severity: severityOfLoss(), suggestion: wanted } as const;
    return { path, code: "wrong-root-key", names: held, text, details };
  }

  /** The same further down. Other programs' settings hold more than servers, so they are searched one level deep. */
  function innerGroup(path: JsonPath, value: unknown): Stray | undefined {
    if (!isRecord(value) || path.length > (strict ? DEEPEST_SEARCH : 1)) return undefined;
    for (const key of Object.keys(value)) {
      const inner = [...path, key];
      const isKnown = sections.some((known) => inner.every((step, depth) => known.path[depth] === step));
      const isServersKey = SERVER_KEYS.has(key) || key === section?.path.at(-1);
      const stray = isServersKey && !isKnown ? strayGroup(inner, value[key]) : undefined;
      if (stray) return stray;
      const further = innerGroup(inner, value[key]);
      if (further) return further;
    }
    return undefined;
  }

  function severityOfLoss() {
    return strict && !hasServers ? "error" : "warning";
  }

  async function reportMissingServers() {
    const location: SourceLocation = (await document.places())([]);
    const example = `write ${exampleOf(section, dialect.entry, format === "toml")}`;
    const isServer = !isOfOneServer && !isBare && isServerLike(content);
    const text = isServer
      ? `the file holds a server without a name, which is lost; ${example}.`
      : `there is no ${quote(wanted)}; ${example}.`;
    const message = `${describeLocation(location)}: ${text}`;
    const code = isServer ? "wrong-root-key" : "no-servers";
    const severity = isServer ? severityOfLoss() : strict ? "warning" : undefined;
    report(diagnose(code, message, location, { severity }));
  }

  function resembledBy(key: string) {
    return expected.find((name) => stemOf(name) === stemOf(key));
  }
}

/** Whether there are no entries in a value, so that nothing is lost with it. */
function isEmpty(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** An example for a file without servers, in the place where they belong. */
function exampleOf(section: ServerSection | undefined, dialect: EntryDialect, isToml: boolean): string {
  const { path, nameField, name, optionOf } = section ?? { path: ["mcpServers"] };
  const [entry = {}] = shortestEntries(dialect);
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
