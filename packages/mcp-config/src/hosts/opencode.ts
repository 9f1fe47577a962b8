import { isRecord } from "@jackfield/mcp-core";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect, splitCommand } from "../entries/entry-dialect.ts";
import { GAP } from "../entries/entry-examples.ts";
import { bareBraces } from "../variable-syntax.ts";
import type { HostDialect, HostSurroundings, ReadLists, ServerSection } from "./host-dialect.ts";
import { configHome, folderIn, joined, namedFile, systemFolder, upward, within } from "./host-paths.ts";
import { areTimes, otherTimes, placeOf, readTimes, STARTUP, splitTimes } from "./opencode-times.ts";
import { readToolSwitches } from "./opencode-tools.ts";

const FILES = ["opencode.jsonc", "opencode.json"];

const MANAGED = systemFolder({
  darwin: "/Library/Application Support/opencode",
  win32: "%ProgramData%\\opencode",
  other: "/etc/opencode",
});

/** A variable that holds the content of a file. */
const CONTENT = "OPENCODE_CONFIG_CONTENT";

/** The switch of the older format, and that of the newer one. */
const SWITCHES = ["enabled", "disabled"];

/**
 * Two formats are in use: servers by name in `mcp`, merged field by field, and in `mcp.servers`, where a later entry replaces the
 * earlier one.
 */
export const OPENCODE: HostDialect = {
  id: "opencode",
  title: "opencode",
  format: "jsonc",
  files: [
    { kind: "managed", scope: "managed", paths: within(MANAGED, ...FILES) },
    { kind: "content", scope: "user", paths: givenContent },
    {
      kind: "project-directory",
      scope: "project",
      paths: upward(...FILES.map((file) => `.opencode/${file}`)),
    },
    { kind: "project", scope: "project", paths: upward(...FILES) },
    { kind: "named", scope: "user", paths: namedFile("OPENCODE_CONFIG") },
    { kind: "user", scope: "user", paths: within(folderIn(configHome, "opencode"), ...FILES) },
  ],
  servers: findServers,
  entry: entryDialect({
    examples: [
      { type: "local", command: [GAP] },
      { type: "remote", url: GAP },
    ],
    transport: { field: "type", types: { local: "stdio", remote: "http" }, untypedUrl: "http" },
    fields: {
      ...COMMON_FIELDS,
      env: "environment",
      timeoutMs: ["timeout"],
      connectTimeoutMs: [STARTUP],
    },
    switches: ["enabled", "disabled"],
    oauth: {
      object: "oauth",
      members: {
        scope: "scopes",
        client_id: "clientId",
        client_secret: "clientSecret",
        callback_port: "callbackPort",
        redirect_uri: "redirectUri",
      },
    },
    reshape: (entry) => splitTimes(splitCommand(entry)),
    removedFields: otherTimes,
    writtenAt: placeOf,
    findFault: ({ command }) => {
      if (command === undefined || (Array.isArray(command) && command.length > 0)) return undefined;
      const fault = Array.isArray(command)
        ? "is empty"
        : `must be an array of strings, not ${kindOf(command)}`;
      const text = `"command" ${fault}; write ["program", "argument"].`;
      return { field: "command", text };
    },
    notRunnable: (entry) => {
      const isSwitchOnly = Object.keys(entry).every((field) => SWITCHES.includes(field));
      return isSwitchOnly ? "it only switches a server of another file on or off" : undefined;
    },
  }),
  variables: {
    syntaxes: [bareBraces({ env: "environment", file: "file" })],
    whenUnset: "empty",
    ownEnv: "remote",
  },
  merge: "fields",
  lists: readLists,
  causeOfFault: unquotedReference,
};

function readLists(...[documents, context, report]: Parameters<ReadLists>): ReturnType<ReadLists> {
  const toolsOf = readToolSwitches(documents, context, report);
  const times = readTimes(documents, report);
  return (server) => (times ? { ...toolsOf(server), times } : toolsOf(server));
}

/** opencode expands references before it parses the file as JSON, so a reference may stand for any value. */
function unquotedReference(text: string): string | undefined {
  if (!/^\{(?:env|file):/.test(text)) return undefined;
  return "This is a reference that opencode fills in before it reads the file. Jackfield reads references only in strings: put it in double quotes, or write its value.";
}

/** One file may have both formats; members beside `mcp.servers` are servers of the older one, except for settings of the newer. */
function findServers({ mcp }: JsonMap): readonly ServerSection[] {
  const servers = isRecord(mcp) ? mcp.servers : undefined;
  if (!isRecord(servers) || isEntry(servers)) {
    return [{ path: ["mcp"], isServer: (value, name) => name !== "timeout" || !areTimes(value) }];
  }
  const isOlder = (value: unknown, name: string) =>
    name === "timeout" ? isEntry(value) : name !== "servers" && isRecord(value);
  return [
    { path: ["mcp", "servers"], replaces: true },
    { path: ["mcp"], isServer: isOlder },
  ];
}

/** A server of the older format may itself be named `servers`. Its fields are not objects, unlike servers by name. */
function isEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ["type", "command", "url", ...SWITCHES].some(
    (field) => Object.hasOwn(value, field) && !isRecord(value[field]),
  );
}

/** A caller may pass opencode a whole file in a variable. Paths in it are relative to the working directory. */
function givenContent(at: HostSurroundings) {
  const text = at.env[CONTENT];
  return text ? [{ file: joined(at, at.cwd, `$${CONTENT}`), text }] : [];
}
