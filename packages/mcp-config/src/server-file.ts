import { dirname } from "node:path";
import { type DefinedIn, type Diagnostic, type SourceLocation, toMcpError } from "@jackfield/mcp-core";
import type { ConfigDocument, DuplicateKey } from "./config-document.ts";
import { readConfigFile } from "./config-file.ts";
import { describeLocation, invalidServer, invalidSource } from "./config-problem.ts";
import { isSelfApproval, isWrongRootKey, ROOT_KEY } from "./field-hints.ts";
import { fieldName } from "./json-path.ts";
import { isMap, type JsonMap, kindOf } from "./json-value.ts";
import { quote } from "./server-name.ts";
import { readSourceEntry, type ServerSource, type SourceEntry } from "./server-source.ts";

/** Reads the servers of one file, given by its absolute path. Never rejects: faults are part of what it found. */
export async function readServerFile(file: string): Promise<ServerSource> {
  const diagnostics: Diagnostic[] = [];
  try {
    const { text, diagnostics: onReading } = await readConfigFile(file);
    diagnostics.push(...onReading);
    // Loaded here, because a host that gives its servers in code never needs the parser.
    const { parseConfigDocument } = await import("./config-document.ts");
    const document = parseConfigDocument(text, file);
    for (const duplicate of document.duplicates) diagnostics.push(describeDuplicate(duplicate));
    return { entries: readEntries(document, file, diagnostics), diagnostics };
  } catch (cause) {
    const error = toMcpError(cause, "MCP_INTERNAL", `${file} could not be read.`, { phase: "config" });
    return { entries: [], problem: { definedIn: { scope: "explicit", file }, error }, diagnostics };
  }
}

function readEntries(document: ConfigDocument, file: string, diagnostics: Diagnostic[]): SourceEntry[] {
  const servers = findServers(document, diagnostics);
  const ambiguous = ambiguousServers(document);
  return Object.keys(servers).map((name) => {
    const definedIn: DefinedIn = { scope: "explicit", ...document.locate([ROOT_KEY, name]) };
    const duplicate = ambiguous.get(name);
    if (duplicate) return { name, definedIn, outcome: { error: ambiguousEntry(name, duplicate) } };
    const place = {
      name,
      definedIn,
      directory: dirname(file),
      inCode: false,
      locate: (path: readonly (string | number)[]) => document.locate([ROOT_KEY, name, ...path]),
    };
    return readSourceEntry(servers[name], place, (diagnostic) => diagnostics.push(diagnostic));
  });
}

/** The servers as written, by name. */
function findServers(document: ConfigDocument, diagnostics: Diagnostic[]): JsonMap {
  const { root } = document;
  if (root === undefined) {
    diagnostics.push(onFile(document, "empty-file", "info", "the file is empty, so it defines no servers."));
    return {};
  }
  if (!isMap(root)) {
    const text = `the file must hold an object, not ${kindOf(root)}; write { ${quote(ROOT_KEY)}: { … } }.`;
    throw invalidSource(document.locate([]), text);
  }
  reportRootKeys(document, root, diagnostics);
  const repeated = document.duplicates.find(({ path }) => path.length === 1 && path[0] === ROOT_KEY);
  if (repeated) throw invalidSource(repeated.again, `${describeRepetition(repeated)}; keep one.`);
  const servers = root[ROOT_KEY];
  if (servers === undefined) return {};
  if (isMap(servers)) return servers;
  const text = `${quote(ROOT_KEY)} must be an object of servers by name, not ${kindOf(servers)}.`;
  throw invalidSource(document.locate([ROOT_KEY]), text);
}

function reportRootKeys(document: ConfigDocument, root: JsonMap, diagnostics: Diagnostic[]): void {
  const keys = Object.keys(root);
  const hasServers = Object.hasOwn(root, ROOT_KEY);
  const wrong = keys.filter(isWrongRootKey);
  for (const key of wrong) {
    const text = `${quote(key)} is not read; servers stand under ${quote(ROOT_KEY)}. Rename the key.`;
    diagnostics.push(onFile(document, "wrong-root-key", hasServers ? "warning" : "error", text, key));
  }
  for (const key of keys.filter(isSelfApproval)) {
    const text = `${quote(key)} is ignored; a file cannot approve its own servers.`;
    diagnostics.push(onFile(document, "self-approval", "warning", text, key));
  }
  if (!hasServers && wrong.length === 0) {
    const text = `there is no ${quote(ROOT_KEY)}; write { ${quote(ROOT_KEY)}: { "name": { "command": "…" } } }.`;
    diagnostics.push(onFile(document, "no-servers", "warning", text));
  }
}

function onFile(
  document: ConfigDocument,
  code: string,
  severity: Diagnostic["severity"],
  text: string,
  key?: string,
): Diagnostic {
  const location: SourceLocation = document.locate(key === undefined ? [] : [key]);
  return { code, severity, message: `${describeLocation(location)}: ${text}`, ...location };
}

/** The servers in which some key stands twice: a reader could take one value and the program the other (threat T11). */
function ambiguousServers(document: ConfigDocument): Map<string, DuplicateKey> {
  const ambiguous = new Map<string, DuplicateKey>();
  for (const duplicate of document.duplicates) {
    const server = serverOf(duplicate);
    if (server !== undefined && !ambiguous.has(server)) ambiguous.set(server, duplicate);
  }
  return ambiguous;
}

function ambiguousEntry(name: string, duplicate: DuplicateKey) {
  const text = `${describeRepetition(duplicate)}; keep the one you mean.`;
  return invalidServer(name, duplicate.again, text);
}

function describeDuplicate(duplicate: DuplicateKey): Diagnostic {
  const server = serverOf(duplicate);
  const severity = server === undefined ? "warning" : "error";
  const message = `${describeLocation(duplicate.again)}: ${describeRepetition(duplicate)}.`;
  return { code: "duplicate-key", severity, message, ...duplicate.again, server };
}

function describeRepetition({ path, first }: DuplicateKey): string {
  const inEntry = path[0] === ROOT_KEY && path.length > 2 ? path.slice(2) : path.slice(-1);
  return `${quote(fieldName(inEntry))} is written more than once, first in line ${first.line}`;
}

function serverOf({ path }: DuplicateKey): string | undefined {
  return path[0] === ROOT_KEY && typeof path[1] === "string" ? path[1] : undefined;
}
