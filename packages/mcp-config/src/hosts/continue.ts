import { basename, dirname } from "node:path";
import { type DefinedIn, isRecord, isSameJson, type ServerDefinition } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { keepSpellingIn } from "../documents/number-spellings.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { PLAIN_VARIABLES } from "../plain-variables.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import { doubleBraces } from "../variable-syntax.ts";
import { hasVariables, references, type VariableDialect } from "../variables.ts";
import {
  type FindingContext,
  type FindServers,
  type HostDialect,
  type HostDocument,
  type HostPath,
  type HostSurroundings,
  looksLikeServer,
  type ReadLists,
} from "./host-dialect.ts";
import { joined, projectFolders } from "./host-paths.ts";

const BLOCKS = ".continue/mcpServers/*";
const JSON_ENDING = /\.jsonc?$/i;

const VARIABLES: VariableDialect = {
  syntaxes: [doubleBraces({ secrets: "environment", inputs: "input" })],
  whenUnset: "fail",
  ownEnv: "remote",
  isSecret: ({ kind, name }, definition) => kind === "environment" && !isPlainVariable(name, definition),
};

/**
 * Servers are a list, in the configuration and in blocks with a file each. Blocks in JSON come from other hosts: a map of servers,
 * a file of Claude Code with several projects, or a single server named after its file. An `apiKey` is a bearer token.
 */
export const CONTINUE: HostDialect = {
  id: "continue",
  title: "Continue",
  format: "yaml",
  files: [
    {
      kind: "project-block",
      scope: "project",
      paths: (at) => projectFolders(at).map((root) => ({ ...blocksIn(at, root), root })),
    },
    {
      kind: "user",
      scope: "user",
      paths: (at) => [{ file: joined(at, at.home, ".continue/config.yaml") }, blocksIn(at, at.home)],
    },
  ],
  servers: findServers,
  entry: entryDialect({
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", http: "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: { ...COMMON_FIELDS, connectTimeoutMs: ["connectionTimeout"] },
    extraFields: ["apiKey", "faviconUrl"],
    reshape,
    writtenAt,
    addHostFields: withBearer,
    readExpansionData: plainVariables,
    notRunnable: (entry) =>
      typeof entry.uses === "string" && !looksLikeServer(entry)
        ? `${quote(entry.uses)} is a block that Continue fetches from its hub`
        : undefined,
    removedFields,
  }),
  variables: VARIABLES,
  lists: reportForm,
};

function findServers(root: JsonMap, _context: FindingContext, file = ""): ReturnType<FindServers> {
  const { mcpServers, projects } = root;
  const isSingle = mcpServers === undefined && projects === undefined && looksLikeServer(root);
  if (isSingle && JSON_ENDING.test(file))
    return [{ path: [], name: basename(file).replace(JSON_ENDING, "") }];
  const inList = { path: ["mcpServers"], nameField: "name" };
  if (Array.isArray(mcpServers)) return [inList];
  const isMapMeant = isRecord(mcpServers) || JSON_ENDING.test(file);
  const inProjects = isRecord(projects) ? Object.keys(projects) : [];
  return [
    isMapMeant ? { path: ["mcpServers"] } : inList,
    ...inProjects.map((project) => ({ path: ["projects", project, "mcpServers"] })),
  ];
}

/**
 * Reports maps of servers outside JSON blocks, which may have them because they come from other hosts, and blocks without the members
 * that Continue asks for (its `blockSchema`).
 */
function reportForm(
  documents: readonly HostDocument[],
  _context: FindingContext,
  report: Report,
): ReturnType<ReadLists> {
  for (const { content, file = "", document } of documents) {
    if (content.mcpServers === undefined || JSON_ENDING.test(file)) continue;
    const missing = isBlock(file) ? ["name", "version"].filter((field) => content[field] === undefined) : [];
    if (missing.length > 0) {
      const place = document?.locate([]) ?? {};
      const lacks = `Continue refuses this block, which lacks ${missing.map(quote).join(" and ")}; add what is missing at its top.`;
      report(diagnose("missing-metadata", `${describeLocation(place)}: ${lacks}`, place));
    }
    if (!isRecord(content.mcpServers)) continue;
    const location = document?.locate(["mcpServers"]) ?? {};
    const text = `"mcpServers" is a map of servers by name, which is still read; write a list of servers, each with a "name".`;
    report(diagnose("legacy-shape", `${describeLocation(location)}: ${text}`, location));
  }
  return () => undefined;
}

function isBlock(file: string): boolean {
  return basename(dirname(file)) === "mcpServers";
}

/** The name is the key of the entry, and headers are in `requestOptions`. */
function reshape(
  { name: _name, requestOptions, ...entry }: JsonMap,
  remark: RemarkOnEntry,
  _platform: unknown,
  { file = "" }: DefinedIn,
): JsonMap {
  const isJson = JSON_ENDING.test(file);
  remarkOnKey(entry.apiKey, remark);
  remarkOnOptions(requestOptions, entry, remark);
  if (!isJson) remarkOnHeaders(requestOptions, entry, remark);
  const headers = isProcess(entry) ? undefined : headersIn(requestOptions);
  if (headers !== undefined && entry.headers !== undefined && !isSameJson(headers, entry.headers)) {
    remark("unused-field", "headers", `"headers" is ignored; "headers" in "requestOptions" wins.`);
  }
  return {
    ...entry,
    ...(headers === undefined ? undefined : { headers }),
    ...(isJson && isRecord(entry.env) ? { env: withSecrets(entry.env) } : undefined),
  };
}

function headersIn(requestOptions: unknown): unknown {
  return isRecord(requestOptions) ? requestOptions.headers : undefined;
}

function isProcess({ command }: JsonMap): boolean {
  return command !== undefined;
}

function remarkOnOptions(requestOptions: unknown, entry: JsonMap, remark: RemarkOnEntry): void {
  if (requestOptions !== undefined && !isRecord(requestOptions)) {
    const text = `"requestOptions" must be an object, not ${kindOf(requestOptions)}. It is left out.`;
    remark("invalid-field", "requestOptions", text);
  } else if (isProcess(entry) && headersIn(requestOptions) !== undefined) {
    const text = `"headers" in "requestOptions" has no effect for a local server.`;
    remark("unused-field", "requestOptions", text);
  }
}

/** Reports `headers` of the entry itself, where only other hosts and the JSON blocks that come from them have them. */
function remarkOnHeaders(requestOptions: unknown, entry: JsonMap, remark: RemarkOnEntry): void {
  if (entry.headers === undefined || isProcess(entry) || headersIn(requestOptions) !== undefined) return;
  const text = `"headers" is unknown to its host and only Jackfield reads it; move it into "requestOptions".`;
  remark("unknown-field", "headers", text, { severity: "warning" });
}

/** The fields that reshaping removes from an entry and nothing reads. */
function removedFields({ requestOptions, ...entry }: JsonMap): JsonMap | undefined {
  const given = headersIn(requestOptions);
  const isRead = given !== undefined && !isProcess(entry);
  const { headers: _headers, ...others } = isRecord(requestOptions) ? requestOptions : {};
  const options = isRecord(requestOptions) && !isRead ? requestOptions : others;
  const isOutdone = isRead && entry.headers !== undefined && !isSameJson(given, entry.headers);
  const aside = {
    ...(Object.keys(options).length > 0 ? { requestOptions: options } : undefined),
    ...(isOutdone ? { headers: entry.headers } : undefined),
  };
  return Object.keys(aside).length > 0 ? aside : undefined;
}

function remarkOnKey(key: unknown, remark: RemarkOnEntry): void {
  if (key === undefined || key === "") return;
  if (typeof key !== "string") {
    remark("invalid-field", "apiKey", `"apiKey" must be a string, not ${kindOf(key)}.`);
  } else if (!hasVariables(key, VARIABLES)) {
    const text = `"apiKey" holds a credential; refer to a variable instead of writing it out.`;
    remark("literal-secret", "apiKey", text);
  }
}

/** Sends the key as a bearer token, unless the entry has an `Authorization` of its own. */
function withBearer(written: WrittenServer): WrittenServer {
  const { transport, headers = {}, extra } = written;
  const key = extra?.apiKey;
  if (transport === "stdio" || typeof key !== "string" || key === "") return written;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return written;
  return { ...written, headers: { ...headers, Authorization: `Bearer ${key}` } };
}

function writtenAt(path: JsonPath, { requestOptions, apiKey, ...entry }: JsonMap): JsonPath {
  const [field, name = ""] = path;
  if (field !== "headers" || isProcess(entry)) return path;
  const headers = headersIn(requestOptions);
  const isOfKey = name === "Authorization" && !(isRecord(headers) && Object.hasOwn(headers, name));
  if (isOfKey && apiKey !== undefined) return ["apiKey"];
  return headers === undefined ? path : ["requestOptions", ...path];
}

/** A variable in the syntax of the hosts that JSON blocks come from. */
const VARIABLE = /\$\{([^\s${}:]+)\}/g;

/** Continue expands such variables as it does its secrets, in `env` only. */
function withSecrets(env: JsonMap): JsonMap {
  const shaped = createMap();
  for (const [name, value] of Object.entries(env)) {
    shaped[name] = typeof value === "string" ? value.replace(VARIABLE, "${{ secrets.$1 }}") : value;
    keepSpellingIn(shaped, name, env);
  }
  return shaped;
}

/** The names of such variables that the entry nowhere refers to as secrets. Other entries of its file are not considered. */
function plainVariables(entry: JsonMap, { file = "" }: DefinedIn): JsonMap | undefined {
  if (!JSON_ENDING.test(file)) return undefined;
  const values = isRecord(entry.env) ? Object.values(entry.env) : [];
  const texts = values.filter((value) => typeof value === "string");
  const plain = new Set(texts.flatMap((text) => Array.from(text.matchAll(VARIABLE), ([, name]) => name)));
  for (const text of textsIn(entry)) {
    for (const { reference } of references(text, VARIABLES, true)) plain.delete(reference.name);
  }
  // Overrides a field of this name in the file.
  return plain.size > 0 || Object.hasOwn(entry, PLAIN_VARIABLES)
    ? { [PLAIN_VARIABLES]: [...plain] }
    : undefined;
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === "string") yield value;
  else if (isRecord(value) || Array.isArray(value))
    for (const member of Object.values(value)) yield* textsIn(member);
}

function isPlainVariable(name: string, { definedIn: { file = "" }, extra }: ServerDefinition): boolean {
  const plain = extra?.[PLAIN_VARIABLES];
  return JSON_ENDING.test(file) && Array.isArray(plain) && plain.includes(name);
}

function blocksIn(at: HostSurroundings, directory: string): HostPath {
  return { file: joined(at, directory, BLOCKS), isPattern: true, endings: [".yaml", ".yml", ".json"] };
}
