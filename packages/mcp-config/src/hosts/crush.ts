import { isRecord } from "@jackfield/mcp-core";
import { createMap, type JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, COMMON_TRANSPORT, entryDialect } from "../entries/entry-dialect.ts";
import { quote } from "../server-name.ts";
import {
  closingBrace,
  commandEnd,
  commandSubstitution,
  dollarName,
  escapedDollar,
  requiredName,
  shellBraces,
} from "../variable-syntax.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";
import { configHome, folderIn, namedFolder, upward, within } from "./host-paths.ts";

const SETTINGS = namedFolder("CRUSH_GLOBAL_CONFIG", folderIn(configHome, "crush"));

const SCRIPT = "it is a shell script, which is never run; Jackfield reads Crush's JSON files only";

/** The field in which the host keeps the token that a server issued at login. */
const TOKEN = "oauth_token";

const OAUTH = {
  object: "oauth",
  fields: {
    oauth_client_id: "clientId",
    oauth_client_secret: "clientSecret",
    oauth_callback_port: "callbackPort",
  },
} as const;

/** All fields that an entry with a token may have and still not say where its server is. */
const OAUTH_FIELDS: ReadonlySet<string> = new Set([TOKEN, OAUTH.object, ...Object.keys(OAUTH.fields)]);

/**
 * Its JSON files are layers joined field by field: fields for another transport than that of the joined entry do not count, and a
 * server that one layer switches off stays off. Times are seconds. Its other form, `crushrc`, is a shell script: it is reported and
 * never run. Values are expanded as by a shell, but a command runs only with `runCommands`.
 */
export const CRUSH: HostDialect = {
  id: "crush",
  title: "Crush",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".crush.json", "crush.json") },
    {
      kind: "project-script",
      scope: "project",
      script: SCRIPT,
      paths: upward(".crushrc", "crushrc"),
    },
    { kind: "user", scope: "user", paths: within(SETTINGS, "crush.json") },
    {
      kind: "user-script",
      scope: "user",
      script: SCRIPT,
      paths: within(SETTINGS, "crushrc"),
    },
    {
      kind: "system",
      scope: "user",
      paths: (at) => (at.platform === "win32" ? [] : [{ file: "/etc/crush/crush.json" }]),
    },
  ],
  servers: serversUnder("mcp"),
  merge: "fields",
  fitLayers: leaveOutOtherKind,
  joins: {
    disabled: (stronger, weaker) => (weaker === true ? true : stronger),
    disabled_tools: bothLists,
    enabled_tools: bothLists,
    args: (stronger, weaker) => (Array.isArray(stronger) && stronger.length === 0 ? weaker : stronger),
    timeout: (stronger, weaker) =>
      typeof stronger === "number" && typeof weaker === "number" ? Math.max(stronger, weaker) : stronger,
  },
  entry: entryDialect({
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds" }],
      include: "enabled_tools",
      exclude: "disabled_tools",
    },
    switches: ["disabled"],
    emptyIncludesAll: true,
    oauth: OAUTH,
    findFault: dollarFault,
    extraFields: [TOKEN],
    notRunnable: (entry) =>
      isTokenOnly(entry) ? "it only holds a token for a server that another file defines" : undefined,
  }),
  variables: {
    syntaxes: [escapedDollar, requiredName, shellBraces, dollarName(), commandSubstitution],
    whenUnset: "empty",
    ownEnv: "remote",
    omitsEmptyHeaders: true,
  },
};

function bothLists(stronger: unknown, weaker: unknown): unknown {
  return Array.isArray(stronger) && Array.isArray(weaker) ? [...weaker, ...stronger] : stronger;
}

/** Fields that apply to one kind of server only. */
const WAYS: ReadonlySet<string> = new Set([
  ...["type", "command", "args", "env", "cwd", "url", "headers"],
  ...OAUTH_FIELDS,
]);

/**
 * The type of the joined entry decides which fields the host reads, so a layer for the other kind of server keeps only its common
 * fields.
 */
function leaveOutOtherKind(layers: readonly unknown[]): readonly unknown[] {
  const maps = layers.filter(isRecord);
  const kinds = [...maps.map(kindOfType), ...maps.map(kindOfServer)];
  const joined = kinds.find((kind) => kind !== undefined);
  return layers.map((layer) => {
    if (!isRecord(layer) || (kindOfServer(layer) ?? joined) === joined) return layer;
    const fitting = createMap();
    for (const field of Object.keys(layer)) if (!WAYS.has(field)) fitting[field] = layer[field];
    return fitting;
  });
}

function kindOfType({ type }: JsonMap): "local" | "remote" | undefined {
  if (typeof type !== "string") return undefined;
  return type === "stdio" ? "local" : "remote";
}

function kindOfServer(entry: JsonMap): "local" | "remote" | undefined {
  if (entry.type !== undefined) return kindOfType(entry);
  if (entry.command !== undefined) return "local";
  return entry.url === undefined ? undefined : "remote";
}

function isTokenOnly(entry: JsonMap): boolean {
  return Object.hasOwn(entry, TOKEN) && Object.keys(entry).every((field) => OAUTH_FIELDS.has(field));
}

/** Finds what Crush refuses, since a shell would cut a credential short there, and references that Crush expands but Jackfield does not. */
function dollarFault(entry: JsonMap): { field: string; text: string } | undefined {
  for (const field of ["command", "args", "env", "url", "headers"]) {
    const fault = faultIn(entry[field]);
    if (fault !== undefined) return { field, text: `${quote(field)} has ${fault}.` };
  }
  return undefined;
}

function faultIn(value: unknown): string | undefined {
  if (typeof value === "string") return faultInText(value);
  if (typeof value !== "object" || value === null) return undefined;
  for (const member of Object.values(value)) {
    const fault = faultIn(member);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const UNCLOSED = "a reference that is not closed, which Crush refuses";
const LONE = "a dollar sign that does not start a reference, which Crush refuses";
const FURTHER = "shell syntax that Crush fills in but Jackfield does not; write ${NAME} or ${NAME:-default}";
const BACKTICK = "a command in backticks, which is never run; put its output into a variable";

/** What is wrong with the references of a text, except for those inside a command. */
function faultInText(text: string): string | undefined {
  if (!text.includes("$") && !text.includes("`")) return undefined;
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at + 1] ?? "";
    const isEscape = text[at] === "\\" && (next === "$" || next === "\\");
    if (isEscape) at += 1;
    if (text[at] === "`") return BACKTICK;
    if (isEscape || text[at] !== "$") continue;
    if (next === "{") {
      const found = requiredName(text, at) ?? shellBraces(text, at);
      if (typeof found !== "object") return faultOfBraces(text, at + 2);
      at = found.to - 1;
    } else if (next === "(") {
      const end = commandEnd(text, at + 2);
      if (end === undefined) return UNCLOSED;
      at = end;
    } else if (!/[A-Za-z_]/.test(next)) {
      return LONE;
    }
  }
  return undefined;
}

/** What is wrong with braces that are not a reference. */
function faultOfBraces(text: string, from: number): string {
  const end = closingBrace(text, from);
  if (end === undefined) return UNCLOSED;
  return text.slice(from, end).includes("`") ? BACKTICK : FURTHER;
}
