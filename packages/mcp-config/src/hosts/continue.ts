import { basename, dirname } from "node:path";
import { type DefinedIn, isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import { COMMON_FIELDS, type RemarkOnEntry, type ReshapeContext } from "../entry/entry-dialect.ts";
import { PLAIN_VARIABLES } from "../entry/field-texts.ts";
import { quote } from "../entry/server-name.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import { createMap, type JsonMap, type JsonPath, kindOf, valueAt } from "../read/json-value.ts";
import { doubleBraces } from "../resolve/variable-syntax.ts";
import { hasVariables, references, type VariableDialect } from "../resolve/variables.ts";
import {
  type FileRemark,
  type FindingContext,
  type FindServers,
  type HostDialect,
  type HostDocument,
  type HostPath,
  type HostSurroundings,
  looksLikeServer,
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
  entry: {
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", http: "http", sse: "sse" },
      untypedUrl: "http",
    },
    fields: { ...COMMON_FIELDS, connectTimeoutMs: ["connectionTimeout"] },
    extraFields: ["apiKey", "faviconUrl"],
    inner: [{ field: "requestOptions", members: { headers: "headers" }, isOfRemote: true }],
    reshape,
    writtenAt: placeOfKey,
    addHostFields: withBearer,
    readExpansionData: plainVariables,
    notRunnable: (entry) =>
      typeof entry.uses === "string" && !looksLikeServer(entry)
        ? `${quote(entry.uses)} is a block that Continue fetches from its hub`
        : undefined,
  },
  variables: VARIABLES,
  remarksOnFile: remarksOnForm,
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
 * Remarks on maps of servers outside JSON blocks, which may have them because they come from other hosts, and on blocks without the
 * members that Continue asks for (its `blockSchema`).
 */
function remarksOnForm({ content, file }: HostDocument): readonly FileRemark[] {
  if (content.mcpServers === undefined || JSON_ENDING.test(file)) return [];
  const remarks: FileRemark[] = [];
  const missing = isBlock(file) ? ["name", "version"].filter((field) => content[field] === undefined) : [];
  if (missing.length > 0) {
    const text = `Continue refuses this block, which lacks ${missing.map(quote).join(" and ")}; add what is missing at its top.`;
    remarks.push({ code: "missing-metadata", path: [], text });
  }
  if (isRecord(content.mcpServers)) {
    const text = `"mcpServers" is a map of servers by name, which is still read; write a list of servers, each with a "name".`;
    remarks.push({ code: "legacy-shape", path: ["mcpServers"], text });
  }
  return remarks;
}

function isBlock(file: string): boolean {
  return basename(dirname(file)) === "mcpServers";
}

/** The name is the key of the entry. Outside JSON blocks, which come from other hosts, headers belong into `requestOptions`. */
function reshape({ name: _name, ...entry }: JsonMap, { remark, definedIn, given }: ReshapeContext): JsonMap {
  const isJson = JSON_ENDING.test(definedIn.file ?? "");
  remarkOnKey(entry.apiKey, remark);
  const { command, headers, requestOptions } = given;
  const isOnlyOurs = headers !== undefined && valueAt(requestOptions, ["headers"]) === undefined;
  if (isOnlyOurs && command === undefined && !isJson) {
    const text = `"headers" is unknown to its host and only Jackfield reads it; move it into "requestOptions".`;
    remark("unknown-field", "headers", text, { severity: "warning" });
  }
  return isJson && isRecord(entry.env) ? { ...entry, env: withSecrets(entry.env) } : entry;
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

/** The key is the `Authorization` of an entry without one. */
function placeOfKey(path: JsonPath, { headers, apiKey, command }: JsonMap): JsonPath {
  const [field, name] = path;
  const isOfKey = field === "headers" && name === "Authorization" && apiKey !== undefined;
  const isOwn = isRecord(headers) && Object.hasOwn(headers, "Authorization");
  return isOfKey && !isOwn && command === undefined ? ["apiKey"] : path;
}

/** A variable in the syntax of the hosts that JSON blocks come from. */
const VARIABLE = /\$\{([^\s${}:]+)\}/g;

/** Continue expands such variables as it does its secrets, in `env` only. */
function withSecrets(env: JsonMap): JsonMap {
  const shaped = createMap();
  for (const [name, value] of Object.entries(env)) {
    shaped[name] = typeof value === "string" ? value.replace(VARIABLE, "${{ secrets.$1 }}") : value;
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
