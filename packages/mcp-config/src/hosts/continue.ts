import { basename } from "node:path";
import type { DefinedIn, ServerDefinition } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, isMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { keepSpellingIn } from "../documents/number-spellings.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { quote } from "../server-name.ts";
import { doubleBraces } from "../variable-syntax.ts";
import { hasVariables, references, type VariableDialect } from "../variables.ts";
import {
  type FindingContext,
  type FindServers,
  type HostDialect,
  type HostPath,
  type HostSurroundings,
  looksLikeServer,
} from "./host-dialect.ts";
import { joined, projectFolders } from "./host-paths.ts";

const BLOCKS = ".continue/mcpServers/*";
const JSON_ENDING = /\.jsonc?$/i;

const VARIABLES: VariableDialect = {
  syntaxes: [doubleBraces({ secrets: "environment", inputs: "input" })],
  unset: "fail",
  ownEnv: "remote",
  isSecret: ({ kind, name }, definition) => kind === "environment" && !isPlainVariable(name, definition),
};

/** What a block in JSON calls plain variables; in `extra` of a definition, and of no other file's. */
const PLAIN = "plainVariables";

/**
 * Servers are a list, in the configuration and in blocks with a file each. Blocks in JSON come from other hosts: a map of
 * servers, a file of Claude Code with several projects, or a single server that is called like its file. An `apiKey` is a bearer token.
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
    kept: ["apiKey", "faviconUrl"],
    reshape,
    writtenAt,
    meant: withBearer,
    asks: plainVariables,
    notRunnable: (entry) =>
      typeof entry.uses === "string" && !looksLikeServer(entry)
        ? `${quote(entry.uses)} is a block that Continue fetches from its hub`
        : undefined,
    keptAside: ({ requestOptions }) => {
      const { headers: _headers, ...rest } = isMap(requestOptions) ? requestOptions : {};
      return Object.keys(rest).length > 0 ? { requestOptions: rest } : undefined;
    },
  }),
  variables: VARIABLES,
};

function findServers(root: JsonMap, _context: FindingContext, file = ""): ReturnType<FindServers> {
  const { mcpServers, projects } = root;
  const isSingle = mcpServers === undefined && projects === undefined && looksLikeServer(root);
  if (isSingle && JSON_ENDING.test(file))
    return [{ path: [], name: basename(file).replace(JSON_ENDING, "") }];
  if (Array.isArray(mcpServers)) return [{ path: ["mcpServers"], nameField: "name" }];
  const inProjects = isMap(projects) ? Object.keys(projects) : [];
  return [
    { path: ["mcpServers"] },
    ...inProjects.map((project) => ({ path: ["projects", project, "mcpServers"] })),
  ];
}

/** The name is the key of the entry, and headers stand in `requestOptions`. */
function reshape(
  { name: _name, requestOptions, ...entry }: JsonMap,
  remark: RemarkOnEntry,
  _platform: unknown,
  { file = "" }: DefinedIn,
): JsonMap {
  const headers = isMap(requestOptions) ? requestOptions.headers : undefined;
  remarkOnKey(entry.apiKey, remark);
  return {
    ...entry,
    ...(headers === undefined ? undefined : { headers }),
    ...(JSON_ENDING.test(file) && isMap(entry.env) ? { env: withSecrets(entry.env) } : undefined),
  };
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

/** The key goes along as a bearer token, unless the entry has an `Authorization` of its own. */
function withBearer(written: WrittenServer): WrittenServer {
  const { transport, headers = {}, extra } = written;
  const key = extra?.apiKey;
  if (transport === "stdio" || typeof key !== "string" || key === "") return written;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return written;
  return { ...written, headers: { ...headers, Authorization: `Bearer ${key}` } };
}

function writtenAt(path: JsonPath, { requestOptions, apiKey }: JsonMap): JsonPath {
  const [field, name = ""] = path;
  if (field !== "headers") return path;
  const headers = isMap(requestOptions) ? requestOptions.headers : undefined;
  const isOfKey = name === "Authorization" && !(isMap(headers) && Object.hasOwn(headers, name));
  if (isOfKey && apiKey !== undefined) return ["apiKey"];
  return headers === undefined ? path : ["requestOptions", ...path];
}

/** A variable in the spelling of the other hosts that a block in JSON comes from. */
const VARIABLE = /\$\{([^\s${}:]+)\}/g;

/** Continue fills such variables in as it does its secrets, in `env` and nowhere else. */
function withSecrets(env: JsonMap): JsonMap {
  const shaped = createMap();
  for (const [name, value] of Object.entries(env)) {
    shaped[name] = typeof value === "string" ? value.replace(VARIABLE, "${{ secrets.$1 }}") : value;
    keepSpellingIn(shaped, name, env);
  }
  return shaped;
}

/** The names of such variables that the file itself nowhere calls secrets. */
function plainVariables(entry: JsonMap, { file = "" }: DefinedIn): JsonMap | undefined {
  if (!JSON_ENDING.test(file)) return undefined;
  const values = isMap(entry.env) ? Object.values(entry.env) : [];
  const texts = values.filter((value) => typeof value === "string");
  const plain = new Set(texts.flatMap((text) => Array.from(text.matchAll(VARIABLE), ([, name]) => name)));
  for (const text of textsIn(entry)) {
    for (const { reference } of references(text, VARIABLES, true)) plain.delete(reference.name);
  }
  // No field of the file's own gets to say it.
  return plain.size > 0 || Object.hasOwn(entry, PLAIN) ? { [PLAIN]: [...plain] } : undefined;
}

function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === "string") yield value;
  else if (isMap(value) || Array.isArray(value))
    for (const member of Object.values(value)) yield* textsIn(member);
}

function isPlainVariable(name: string, { definedIn: { file = "" }, extra }: ServerDefinition): boolean {
  const plain = extra?.[PLAIN];
  return JSON_ENDING.test(file) && Array.isArray(plain) && plain.includes(name);
}

function blocksIn(at: HostSurroundings, directory: string): HostPath {
  return { file: joined(at, directory, BLOCKS), isPattern: true, endings: [".yaml", ".yml", ".json"] };
}
