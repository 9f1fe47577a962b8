import { isRecord } from "@jackfield/mcp-core";
import {
  COMMON_FIELDS,
  type EntryDialect,
  type HostFault,
  type ReshapeContext,
} from "../entry/entry-dialect.ts";
import { schemeOf } from "../entry/http-syntax.ts";
import { quote } from "../entry/server-name.ts";
import { realFileOf } from "../find/file.ts";
import { type JsonMap, type JsonPath, ownMember } from "../read/json-value.ts";
import { braces, dollarName } from "../resolve/variable-syntax.ts";
import type { VariableDialect } from "../resolve/variables.ts";
import { INSTALLED_PLUGINS, installedPlugins } from "./claude-installed-plugins.ts";
import {
  type FindingContext,
  type FindServers,
  type FollowedFile,
  type HostDialect,
  type HostSurroundings,
  serversUnder,
  serversUnderOrBare,
} from "./host-dialect.ts";
import {
  absolute,
  folderKey,
  homeFolder,
  inDirectory,
  inHome,
  namedFolder,
  pathRules,
  systemFolder,
  upward,
  within,
} from "./host-paths.ts";

const ENTRY_RULES: EntryDialect = {
  transport: {
    field: "type",
    // A WebSocket is read as HTTP, which is closest; its URL tells that it cannot be reached.
    types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse", ws: "http" },
    untypedUrl: "refused",
  },
  fields: { ...COMMON_FIELDS, timeoutMs: [{ field: "timeout", leastMs: 1000 }, "request_timeout_ms"] },
  oauth: { object: "oauth" },
  extraFields: ["alwaysLoad"],
  commandFields: ["headersHelper"],
  urlSchemes: ["http", "https", "ws", "wss"],
  findFault: otherAddress,
  reshape,
};

/** Entries of Claude Code's plugins. Without a type an entry is a child process, so a bare URL is a mistake. */
export const CLAUDE_PLUGIN_ENTRY = ENTRY_RULES;

/** The same for its own files, in which one name is reserved. */
const CLAUDE_ENTRY: EntryDialect = {
  ...ENTRY_RULES,
  findFault: (entry, name) =>
    name === "workspace"
      ? { field: "", text: "the name is reserved, so Claude Code skips the entry; choose another name." }
      : otherAddress(entry),
};

/** Refuses `ws:` and `wss:` URLs for anything but a WebSocket. */
function otherAddress({ type, url }: JsonMap): HostFault | undefined {
  const scheme = typeof url === "string" ? schemeOf(url) : undefined;
  if (type === "ws" || (scheme !== "ws" && scheme !== "wss")) return undefined;
  return { field: "url", text: `"url" begins with ${scheme}://, which requires "type": "ws".` };
}

/** The URL of a WebSocket may also begin with `http:` or `https:`, or with a reference. */
function reshape(entry: JsonMap, { remark }: ReshapeContext): JsonMap {
  const { type, url } = entry;
  if (type !== "ws" || typeof url !== "string") return entry;
  if (schemeOf(url) === undefined) {
    remark("unsupported-address", "type", "its host can reach a WebSocket, but Jackfield cannot.");
  }
  return { ...entry, url: url.replace(/^http(?=s?:)/i, "ws") };
}

const FOLDERS = ["CLAUDE_PROJECT_DIR"];
const PLUGIN_FOLDERS = [...FOLDERS, "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];

/** How entries of Claude Code refer to variables. Its children get the folders as well. */
const CLAUDE_VARIABLES: VariableDialect = {
  syntaxes: [braces({ places: FOLDERS }), dollarName("literal", FOLDERS)],
  whenUnset: "fail",
  ownEnv: "remote",
  childVariables: FOLDERS,
  // Credentials of the machine, which Claude Code gives to no remote server.
  emptyInRemote: ["ANTHROPIC_API_KEY", "NPM_TOKEN"],
};

/** The same for its plugins, which may also refer to their folders and settings. */
const CLAUDE_PLUGIN_VARIABLES: VariableDialect = {
  ...CLAUDE_VARIABLES,
  syntaxes: [braces({ places: PLUGIN_FOLDERS, inputs: ["user_config."] }), dollarName("literal", FOLDERS)],
  childVariables: PLUGIN_FOLDERS,
};

const MANAGED = systemFolder({
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
  other: "/etc/claude-code",
});

const SETTINGS = namedFolder("CLAUDE_CONFIG_DIR", homeFolder(".claude"));

/** The kind of the user's own file as a whole; it is read a second time as `local`. */
const USER_FILE = "user";

const SETTINGS_FILES = ["local-settings", "project-settings", "user-settings"];

const MISPLACED = [
  ...["mcp.json", ".mcp.json", "mcp_servers.json", "mcp_settings.json", "claude_desktop_config.json"],
  ...["claude.json", "config.json"],
];

/** The user's own file also holds the history of all chats, which can be a hundred megabytes. */
const SERVERS_AND_SWITCHES = [
  ["mcpServers"],
  ...["mcpServers", "disabledMcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers"].map((name) => [
    "projects",
    "*",
    name,
  ]),
];

/** The user's servers for one project are in the user's own file, under the project's directory. */
const localServers: FindServers = (root, context) => {
  const record = projectRecord(root, context);
  if (record === undefined) return [];
  const folder = String(record.at(-1));
  const isFolder = pathRules(context).isAbsolute(folder);
  return [{ path: [...record, "mcpServers"], scope: "local", root: isFolder ? folder : undefined }];
};

/** Local entries win over project entries, then user entries, then plugins, each as a whole. */
export const CLAUDE_CODE: HostDialect = {
  id: "claude-code",
  title: "Claude Code",
  format: "json",
  files: [
    { kind: "local", scope: "local", paths: userFile, servers: localServers, parts: SERVERS_AND_SWITCHES },
    { kind: "project", scope: "project", paths: upward(".mcp.json") },
    {
      kind: "user",
      scope: "user",
      paths: userFile,
      servers: serversUnder("mcpServers"),
      parts: SERVERS_AND_SWITCHES,
    },
    {
      kind: "plugins",
      scope: "user",
      servers: "none",
      paths: within(SETTINGS, `plugins/${INSTALLED_PLUGINS}`),
      leadsTo: filesOfPlugins,
    },
    {
      kind: "local-settings",
      scope: "project",
      servers: "none",
      paths: upward(".claude/settings.local.json"),
    },
    { kind: "project-settings", scope: "project", servers: "none", paths: upward(".claude/settings.json") },
    { kind: "user-settings", scope: "user", servers: "none", paths: within(SETTINGS, "settings.json") },
  ],
  misplaced: {
    user: (at) => [...within(SETTINGS, ...MISPLACED)(at), ...inHome(".mcp.json")(at)],
    project: upward(
      ...MISPLACED.map((name) => `.claude/${name}`),
      ".claude.json",
      "claude_desktop_config.json",
    ),
  },
  servers: (root, context) => [...localServers(root, context), ...serversUnder("mcpServers")(root, context)],
  entry: CLAUDE_ENTRY,
  variables: CLAUDE_VARIABLES,
  switches: [
    { in: [USER_FILE], path: inRecords("disabledMcpServers"), form: "off", title: "disabledMcpServers" },
    {
      in: [USER_FILE, ...SETTINGS_FILES],
      path: inRecords("disabledMcpjsonServers"),
      form: "off",
      of: "project",
      title: "disabledMcpjsonServers",
    },
    { in: SETTINGS_FILES, path: ["enabledPlugins"], form: "map", of: "extension", title: "enabledPlugins" },
    {
      in: SETTINGS_FILES,
      path: ["deniedMcpServers"],
      form: "off",
      nameField: "serverName",
      title: "deniedMcpServers",
    },
    {
      in: SETTINGS_FILES,
      path: ["allowedMcpServers"],
      form: "only",
      nameField: "serverName",
      title: "allowedMcpServers",
    },
  ],
  administered: (at) => [
    ...inDirectory(at, MANAGED(at), "managed-mcp.json", "managed-settings.json"),
    ...inDirectory(at, MANAGED(at), "managed-settings.d/*.json").map((path) => ({
      ...path,
      isPattern: true,
    })),
  ],
};

function userFile(at: HostSurroundings) {
  const directory = absolute(at, "CLAUDE_CONFIG_DIR");
  return directory === undefined ? inHome(".claude.json")(at) : inDirectory(at, directory, ".claude.json");
}

/** A plugin has its servers in its manifest or in a file at its root. */
function filesOfPlugins(root: unknown, at: HostSurroundings): readonly FollowedFile[] {
  return installedPlugins(root, at).flatMap(({ plugin, installPath }) =>
    inDirectory(at, installPath, ".claude-plugin/plugin.json", ".mcp.json").map((path) => ({
      ...path,
      root: installPath,
      extension: plugin,
      kind: "plugin",
      scope: "extension" as const,
      host: "claude-plugin",
    })),
  );
}

/** The paths of a member of the project's record in the user's file, and of the file's own member of that name. */
function inRecords(name: string): (root: JsonMap, context: FindingContext) => readonly JsonPath[] {
  return (root, context) => {
    const record = projectRecord(root, { ...context, remark: undefined });
    return record ? [[...record, name], [name]] : [[name]];
  };
}

/**
 * The path of the record of the project in which the host runs, by its path as it is given or without links, as the host writes it;
 * for a file parsed by itself without a working directory, that of the first project with servers.
 */
function projectRecord(root: JsonMap, context: FindingContext): JsonPath | undefined {
  const { folders = [] } = context;
  if (!isRecord(root.projects)) return undefined;
  const { projects } = root;
  const isRecorded = (key: string | undefined) => key !== undefined && isRecord(ownMember(projects, key));
  const own = folders
    .flatMap((folder) => [folder, realFileOf(folder) ?? folder])
    .map((folder) => keyOf(folder, projects, context))
    .find(isRecorded);
  if (own !== undefined) return ["projects", own];
  if (!context.isStandaloneFile) return undefined;
  const chosen = Object.keys(projects).find((key) => {
    const record = projects[key];
    return isRecord(record) && isRecord(record.mcpServers) && Object.keys(record.mcpServers).length > 0;
  });
  if (chosen === undefined) return undefined;
  if (folders.length > 0) {
    const text =
      "no project has the folder that is named, nor one above it, so no servers of a project are shown.";
    context.remark?.(["projects"], text);
    return undefined;
  }
  const text = "only the servers of this project are shown; to see another project's, name its folder.";
  context.remark?.(["projects", chosen], text);
  return ["projects", chosen];
}

/** The key under which a folder is recorded: Claude Code writes forward slashes, which older versions did not. */
function keyOf(folder: string, projects: JsonMap, context: FindingContext): string | undefined {
  if (context.platform !== "win32") return folder;
  const slashed = folder.replaceAll("\\", "/");
  if (Object.hasOwn(projects, slashed)) return slashed;
  return Object.keys(projects).find((name) => folderKey(name, context) === folderKey(folder, context));
}

/** Fields of a manifest that describe the plugin itself. */
const ABOUT = ["name", "version", "description", "author", "homepage", "repository", "license", "keywords"];

const { types: TYPES } = CLAUDE_PLUGIN_ENTRY.transport;

/** A manifest holds servers, or names files that do; a file of servers may hold them in its root. */
const pluginServers: FindServers = (root, context) => {
  if (!isManifest(root)) return serversUnderOrBare("mcpServers", isAbout)(root, context);
  const paths = pathsIn(root);
  if (!paths) return serversUnder("mcpServers")(root, context);
  const bundles = paths
    .filter(isBundle)
    .map((path) => `${quote(withoutSecrets(path))} is a bundle, which Jackfield does not open.`);
  const files = paths.filter((path) => !isBundle(path));
  const others = files.map(
    (path) => `the servers are in another file, ${quote(path)}; read that file instead.`,
  );
  return [{ path: ["mcpServers"], elsewhere: context.isStandaloneFile ? [...others, ...bundles] : bundles }];
};

/**
 * A plugin of Claude Code: `mcpServers` in its manifest, or in files that the manifest names, or an `.mcp.json` at the plugin's
 * root, which may hold servers without that key. Only the host that installs plugins knows where they are.
 */
export const CLAUDE_PLUGIN: HostDialect = {
  id: "claude-plugin",
  title: "Claude Code plugin",
  format: "json",
  files: [{ kind: "plugin", scope: "extension", paths: () => [], leadsTo: namedFiles }],
  scope: "extension",
  servers: pluginServers,
  entry: CLAUDE_PLUGIN_ENTRY,
  variables: CLAUDE_PLUGIN_VARIABLES,
};

/** Authors and repositories may also have a URL and a type, but not the type of a server. */
function isAbout(name: string, value: unknown): boolean {
  if (!ABOUT.includes(name)) return false;
  const { command, url, type }: JsonMap = isRecord(value) ? value : {};
  const isRemote = url !== undefined && typeof type === "string" && Object.hasOwn(TYPES, type);
  return command === undefined && !isRemote;
}

function isManifest(root: JsonMap): boolean {
  return typeof root.name === "string";
}

/** The file or files that a manifest names in place of servers. */
function pathsIn({ mcpServers }: JsonMap): readonly string[] | undefined {
  if (typeof mcpServers === "string") return [mcpServers];
  if (!Array.isArray(mcpServers) || mcpServers.length === 0) return undefined;
  const paths: unknown[] = mcpServers;
  return paths.every((path) => typeof path === "string") ? paths : undefined;
}

function isBundle(path: string): boolean {
  return /\.(?:mcpb|dxt)$/i.test(path) || /^https?:/i.test(path);
}

/** The URL of a bundle without parts that may be credentials. */
function withoutSecrets(path: string): string {
  return /^https?:/i.test(path) ? path.replace(/(?<=:\/\/)[^/?#]*@|[?#].*/gs, "") : path;
}

function namedFiles(
  root: unknown,
  at: HostSurroundings,
  folder: string | undefined,
): readonly FollowedFile[] {
  if (folder === undefined || !isRecord(root) || !isManifest(root)) return [];
  const files = (pathsIn(root) ?? []).filter((path) => !isBundle(path));
  return files.map((path) => ({
    file: pathRules(at).resolve(folder, path),
    root: folder,
    kind: "plugin-servers",
    scope: "extension",
    host: "claude-plugin",
    isNamed: true,
  }));
}
