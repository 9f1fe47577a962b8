import { isRecord, MAX_TIMER_MS, type ToolFilter } from "@jackfield/mcp-core";
import { COMMON_FIELDS, GAP, placeInCommand, splitCommand } from "../entry/entry-dialect.ts";
import { isAbsent } from "../entry/shape.ts";
import { type JsonMap, kindOf, valueAt } from "../read/json-value.ts";
import { bareBraces } from "../resolve/variable-syntax.ts";
import type { HostDialect, HostDocument, HostSurroundings, ServerSection } from "./host-dialect.ts";
import { configHome, folderIn, joined, namedFile, systemFolder, upward, within } from "./host-paths.ts";

const FILES = ["opencode.jsonc", "opencode.json"];

const MANAGED = systemFolder({
  darwin: "/Library/Application Support/opencode",
  win32: "%ProgramData%\\opencode",
  other: "/etc/opencode",
});

/** A variable that holds the content of a file. */
const CONTENT = "OPENCODE_CONFIG_CONTENT";

/** The field that the startup timeout is read as; no file has a field of this name. */
const STARTUP = "timeout.startup";

/** The switch of the older format, and that of the newer one. */
const SWITCHES = ["enabled", "disabled"];

/**
 * Two formats are in use: servers by name in `mcp` and in `mcp.servers`. An entry that holds nothing but a switch switches the servers
 * of its name in other files.
 */
export const OPENCODE: HostDialect = {
  id: "opencode",
  title: "opencode",
  format: "jsonc",
  files: [
    { kind: "content", scope: "local", paths: givenContent },
    {
      kind: "project-directory",
      scope: "project",
      paths: upward(...FILES.map((file) => `.opencode/${file}`)),
    },
    { kind: "project", scope: "project", paths: upward(...FILES) },
    { kind: "named", scope: "user", paths: namedFile("OPENCODE_CONFIG") },
    // The last one is from before the others.
    { kind: "user", scope: "user", paths: within(folderIn(configHome, "opencode"), ...FILES, "config.json") },
  ],
  servers: findServers,
  entry: {
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
    inner: [{ field: "timeout", members: { startup: STARTUP, execution: "timeout" }, mayBeField: true }],
    reshape: splitCommand,
    writtenAt: placeInCommand,
    findFault: ({ command, url }) => {
      if (command === undefined || (Array.isArray(command) && command.length > 0)) return undefined;
      if (Array.isArray(command) && !isAbsent(url)) return undefined;
      const fault = Array.isArray(command)
        ? "is empty"
        : `must be an array of strings, not ${kindOf(command)}`;
      const text = `"command" ${fault}; write ["program", "argument"].`;
      return { field: "command", text };
    },
    notRunnable: (entry) => (Object.keys(entry).length === 0 ? "it is empty" : undefined),
  },
  variables: {
    syntaxes: [bareBraces({ env: "environment", file: "file" })],
    whenUnset: "empty",
    ownEnv: "remote",
  },
  settingsOf,
  administered: within(MANAGED, ...FILES),
  causeOfFault: unquotedReference,
};

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
  return [{ path: ["mcp", "servers"] }, { path: ["mcp"], isServer: isOlder }];
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

/** Whether `mcp.timeout` holds timeouts for every server, and is not a server of that name. */
function areTimes(value: unknown): boolean {
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 0 && names.every((name) => ["startup", "catalog", "execution"].includes(name));
}

/**
 * Times for every server are in `mcp.timeout`, each from the strongest layer that has it; the older format has one in
 * `experimental.mcp_timeout`.
 */
function settingsOf(documents: readonly HostDocument[], isOfProject: boolean) {
  const toolsOf = toolFilters(documents, isOfProject);
  const counting = documents.filter(({ scope }) => isOfProject || scope !== "project");
  const timeAt = (...path: readonly string[]) =>
    counting
      .map(({ content }) => valueAt(content, path))
      .find((time) => typeof time === "number" && time >= 0 && time <= MAX_TIMER_MS) as number | undefined;
  const connectTimeoutMs = timeAt("mcp", "timeout", "startup");
  const timeoutMs = timeAt("mcp", "timeout", "execution") ?? timeAt("experimental", "mcp_timeout");
  return (server: string) => ({ tools: toolsOf(server), timeoutMs, connectTimeoutMs });
}

/**
 * `tools` at the root switches tools off and on by patterns of the names under which they are offered, `<server>_<tool>`, in which
 * `_` replaces all but letters, digits, `_` and `-`. The layers form one map, in which the strongest layer with a pattern decides
 * it; if several patterns match a tool, the longest wins. A project switches no tool of the user's on.
 */
function toolFilters(
  documents: readonly HostDocument[],
  isOfProject: boolean,
): (server: string) => ToolFilter | undefined {
  const switches = new Map<string, boolean>();
  for (const { content, scope } of documents) {
    const mayTurnOn = isOfProject || scope !== "project";
    for (const [pattern, isOn] of Object.entries(isRecord(content.tools) ? content.tools : {})) {
      if (switches.has(pattern) || (isOn !== false && !(isOn === true && mayTurnOn))) continue;
      switches.set(pattern, isOn);
    }
  }
  const byLength = [...switches].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return (server) => filterFor(`${server.replace(/[^\w-]/g, "_")}_`, byLength);
}

/**
 * @param beginning - the prefix of the server's tool names
 * @param switches - the weakest first
 */
function filterFor(
  beginning: string,
  switches: readonly (readonly [string, boolean])[],
): ToolFilter | undefined {
  let include: readonly string[] = [];
  let exclude: readonly string[] = [];
  for (const [pattern, isOn] of switches) {
    const rests = behind(beginning, pattern.replaceAll("?", "*"));
    if (rests.includes("*")) [include, exclude] = [[], isOn ? [] : ["*"]];
    else if (isOn) include = [...include, ...rests];
    else exclude = [...exclude, ...rests];
  }
  if (exclude.length === 0) return undefined;
  // Unless everything is off, a tool that is on needs no mention, and it cannot be exempted from a pattern that switches it off.
  return exclude[0] === "*" && include.length > 0 ? { include, exclude: exclude.slice(1) } : { exclude };
}

/** The patterns that are left for text after a beginning: `*_rm` after `a_` leaves `*_rm` and `rm`. */
function behind(beginning: string, pattern: string): readonly string[] {
  let rests = new Set([pattern]);
  for (const character of beginning) {
    const next = new Set<string>();
    for (const rest of rests) {
      const literal = rest.search(/[^*]/);
      if (rest.startsWith("*")) next.add(rest);
      if (literal !== -1 && rest[literal] === character) next.add(rest.slice(literal + 1));
    }
    rests = next;
  }
  return [...rests].filter((rest) => rest !== "");
}
