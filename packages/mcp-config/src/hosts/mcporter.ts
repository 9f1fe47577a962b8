import {
  COMMON_FIELDS,
  COMMON_TRANSPORT,
  type HostFault,
  placeInCommand,
  type RemarkOnEntry,
  type ReshapeContext,
} from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import type { JsonMap, JsonPath } from "../read/json-value.ts";
import { braces, prefixedDollar } from "../resolve/variable-syntax.ts";
import { hasVariables, type VariableDialect } from "../resolve/variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { configHome, inDirectory, inHome, joined, upward } from "./host-paths.ts";

const FILES = ["mcporter.json", "mcporter.jsonc"];
const TOKENS = ["bearerToken", "bearer_token"];
/** The first of `COMMANDS` in an entry is what is started; the first of `SECRET_VARIABLES` names the variable of the client's secret. */
const COMMANDS = ["command", "executable"];
const URLS = ["baseUrl", "base_url", "url", "serverUrl", "server_url"];
const SECRET_VARIABLES = ["oauthClientSecretEnv", "oauth_client_secret_env"];

const VARIABLES: VariableDialect = {
  syntaxes: [braces(), prefixedDollar("env")],
  whenUnset: "fail",
  ownEnv: "remote",
  relativeTo: "file",
};

/**
 * Most fields may be written in two ways, like `allowedTools` and `allowed_tools`. `imports` names other hosts; ask for those. A
 * command without arguments is a command line. It runs in the folder of the file unless the entry has a `cwd`.
 */
export const MCPORTER: HostDialect = {
  id: "mcporter",
  title: "mcporter",
  format: "jsonc",
  files: [
    { kind: "project", scope: "project", paths: upward(...FILES.map((file) => `config/${file}`)) },
    {
      kind: "user",
      scope: "user",
      paths: (at) => [
        ...inDirectory(at, joined(at, configHome(at), "mcporter"), ...FILES),
        ...inDirectory(at, joined(at, at.home, ".mcporter"), ...FILES),
      ],
    },
  ],
  misplaced: { user: inHome(".mcporter.json"), project: upward(...FILES) },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      command: COMMANDS,
      url: URLS,
      bearerTokenEnv: ["bearerTokenEnv", "bearer_token_env"],
      include: ["allowedTools", "allowed_tools"],
      exclude: ["blockedTools", "blocked_tools"],
      description: "description",
    },
    oauth: {
      fields: {
        oauthEnabled: "enabled",
        oauthClientId: "clientId",
        oauth_client_id: "clientId",
        oauthClientSecretEnv: "clientSecret",
        oauth_client_secret_env: "clientSecret",
        oauthClientSecret: "clientSecret",
        oauth_client_secret: "clientSecret",
        oauthScope: "scopes",
        oauth_scope: "scopes",
        oauthRedirectUrl: "redirectUri",
        oauth_redirect_url: "redirectUri",
      },
    },
    extraFields: [
      ...["lifecycle", "logging", "clientName", "client_name", "tokenCacheDir", "token_cache_dir"],
      ...["oauthCommand", "oauth_command", ...TOKENS],
    ],
    findFault: emptyCommand,
    reshape,
    writtenAt,
    addHostFields,
  },
  variables: VARIABLES,
};

/**
 * `auth` names a way to log in, of which Jackfield knows only OAuth. The variable of a client's secret becomes a reference, and
 * wins over a secret that is written out. A second name for the same variable is dropped.
 */
function reshape(entry: JsonMap, { remark }: ReshapeContext): JsonMap {
  const shaped = shapeCommand(entry, remark);
  for (const field of TOKENS) remarkOnToken(field, entry[field], remark);
  const [variable, ...others] = SECRET_VARIABLES.filter((field) => typeof entry[field] === "string");
  if (variable === undefined && entry.auth === undefined) return shaped;
  const { auth, ...rest } = shaped;
  for (const other of others) if (variable && rest[other] === rest[variable]) delete rest[other];
  if (variable) rest[variable] = `\${${String(rest[variable])}}`;
  if (auth === "oauth") return { ...rest, oauthEnabled: true };
  return auth === undefined ? rest : { ...rest, auth };
}

function emptyCommand(entry: JsonMap): HostFault | undefined {
  const field = firstOf(entry, COMMANDS);
  const command = field === undefined ? undefined : entry[field];
  if (field === undefined || !Array.isArray(command) || command.length > 0) return undefined;
  if (firstOf(entry, URLS) !== undefined) return undefined;
  return { field, text: `${quote(field)} is empty; write ["program", "argument"].` };
}

/** A command in an array includes its arguments, and `args` is not read; a text without arguments is split as mcporter does it. */
function shapeCommand(entry: JsonMap, remark: RemarkOnEntry): JsonMap {
  const field = firstOf(entry, COMMANDS);
  if (field === undefined) return entry;
  const { [field]: command, args, ...rest } = entry;
  const words = Array.isArray(command) ? command : commandLine(command, args);
  if (words === undefined) return entry;
  if (Array.isArray(command) && args !== undefined) {
    const text = `${quote("args")} is not read if ${quote(field)} is a list; put the arguments into that list.`;
    remark("unused-field", "args", text);
  }
  const [executable, ...others] = words;
  return { ...rest, [field]: executable, args: others };
}

/** The words of a command line. A text without spaces or quotes is not one; it may be a Windows path. */
function commandLine(command: unknown, args: unknown): readonly string[] | undefined {
  const isAlone = args === undefined || (Array.isArray(args) && args.length === 0);
  if (typeof command !== "string" || !isAlone || !/[\s'"]/.test(command)) return undefined;
  const words = splitWords(command);
  return words.length === 0 ? undefined : words;
}

/** Splits at spaces outside of quotes; a backslash escapes the next character, also inside of them (`config-normalize.ts`). */
function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let quoted = "";
  const text = line.trim();
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "\\" && at + 1 < text.length) {
      at += 1;
      word += text[at];
    } else if (quoted === "" ? character === "'" || character === '"' : character === quoted) {
      quoted = quoted === "" ? character : "";
    } else if (character === " " && quoted === "") {
      if (word !== "") words.push(word);
      word = "";
    } else {
      word += character;
    }
  }
  return word === "" ? words : [...words, word];
}

function remarkOnToken(field: string, token: unknown, remark: RemarkOnEntry): void {
  if (typeof token !== "string" || token === "" || hasVariables(token, VARIABLES)) return;
  const text = `${quote(field)} holds a credential; refer to a variable instead of writing it out.`;
  remark("literal-secret", field, text);
}

function firstOf(entry: JsonMap, fields: readonly string[]): string | undefined {
  return fields.find((field) => (entry[field] ?? undefined) !== undefined);
}

/** A token is sent with every request, whatever the headers say; a child runs in the folder of its file unless it has a `cwd`. */
function addHostFields(written: WrittenServer): WrittenServer {
  const { transport, cwd = ".", headers = {}, extra = {} } = written;
  if (transport === "stdio") return { ...written, cwd };
  const token = TOKENS.map((field) => extra[field]).find(
    (found) => typeof found === "string" && found !== "",
  );
  if (token === undefined) return written;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization");
  return { ...written, headers: { ...Object.fromEntries(others), Authorization: `Bearer ${String(token)}` } };
}

function writtenAt(path: JsonPath, entry: JsonMap): JsonPath {
  const [field, name] = path;
  if (field === "oauthEnabled" && entry.auth === "oauth") return ["auth"];
  const token = firstOf(entry, TOKENS);
  if (field === "headers" && name === "Authorization" && token !== undefined) return [token];
  const command = firstOf(entry, COMMANDS);
  if (command === undefined) return path;
  if (Array.isArray(entry[command])) return placeInCommand(path, { command: entry[command] });
  const isSplit = field === "args" && commandLine(entry[command], entry.args) !== undefined;
  return isSplit ? [command] : path;
}
