import { COMMON_FIELDS, COMMON_TRANSPORT } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import { isAbsent } from "../entry/shape.ts";
import type { ConfigFormat } from "../read/document.ts";
import { bracedPlaces, braces, prefixedBraces } from "../resolve/variable-syntax.ts";
import { NO_VARIABLES, OWN_VARIABLES, type VariableDialect } from "../resolve/variables.ts";
import { CLAUDE_CODE, CLAUDE_PLUGIN } from "./claude-code.ts";
import { CLINE } from "./cline.ts";
import { CODEX } from "./codex.ts";
import { CONTINUE } from "./continue.ts";
import { COPILOT_CLI } from "./copilot-cli.ts";
import { CRUSH } from "./crush.ts";
import { GEMINI } from "./gemini.ts";
import { GOOSE } from "./goose.ts";
import { type HostDialect, type HostFile, serversUnder, serversUnderOrBare } from "./host-dialect.ts";
import {
  absolute,
  applicationData,
  folderIn,
  homeFolder,
  inDirectory,
  inHome,
  systemFolder,
  upward,
  within,
} from "./host-paths.ts";
import { JACKFIELD } from "./jackfield.ts";
import { MCPB } from "./mcpb.ts";
import { MCPORTER } from "./mcporter.ts";
import { OMP } from "./omp.ts";
import { AGENT_PLUGINS, SEP_2633 } from "./open-formats.ts";
import { OPENCODE } from "./opencode.ts";
import { REGISTRY } from "./registry.ts";
import { ENV_FILE_OF_PROCESS, VSCODE, VSCODE_MCP_JSON } from "./vscode.ts";
import { ZED } from "./zed.ts";

// Hosts that are nothing but a table. Those that need functions have a module of their own.

const DESKTOP_FILE = "claude_desktop_config.json";

/** Its file holds only stdio servers; remote servers are set up in its own window. */
const CLAUDE_DESKTOP: HostDialect = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  files: [
    { kind: "user", scope: "user", paths: within(folderIn(applicationData, "Claude"), DESKTOP_FILE) },
    {
      // An installation from the Windows store keeps its files apart.
      kind: "store",
      scope: "user",
      paths: (at) =>
        at.platform === "win32"
          ? inDirectory(
              at,
              absolute(at, "LOCALAPPDATA"),
              `Packages/Claude_*/LocalCache/Roaming/Claude/${DESKTOP_FILE}`,
            ).map((path) => ({ ...path, isPattern: true }))
          : [],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: {
    transport: { field: "type", types: { stdio: "stdio" }, untypedUrl: "refused" },
    fields: { command: "command", args: "args", env: "env" },
    findFault: (entry) =>
      !isAbsent(entry.url)
        ? {
            field: "url",
            text: "Claude Desktop reads no remote servers from its file; add them as connectors in its settings.",
          }
        : undefined,
  },
  variables: NO_VARIABLES,
};

/** The transport of a remote server is inferred: Streamable HTTP. Whether a server is on is not kept in the file. */
const CURSOR: HostDialect = {
  id: "cursor",
  title: "Cursor",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".cursor/mcp.json") },
    { kind: "user", scope: "user", paths: inHome(".cursor/mcp.json") },
  ],
  misplaced: {
    user: (at) => [
      ...within(folderIn(applicationData, "Cursor/User"), "mcp.json")(at),
      ...inHome(".cursor/mcp_config.json", ".cursor/settings.json")(at),
    ],
    project: upward(".cursor/mcp_config.json", ".cursor/settings.json"),
  },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, envFile: "envFile" },
    ...ENV_FILE_OF_PROCESS,
    oauth: { object: "auth", members: { CLIENT_ID: "clientId", CLIENT_SECRET: "clientSecret" } },
  },
  variables: {
    syntaxes: [
      prefixedBraces({ env: "environment" }),
      bracedPlaces("userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator", "/"),
    ],
    whenUnset: "fail",
    ownEnv: "remote",
  },
};

/** One file for the editor and one for its plugin in other editors; no file of a project is documented. */
const WINDSURF: HostDialect = {
  id: "windsurf",
  title: "Windsurf",
  format: "json",
  files: [
    {
      kind: "user",
      scope: "user",
      paths: inHome(".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json"),
    },
  ],
  misplaced: {
    user: inHome(".codeium/windsurf/mcp.json", ".windsurf/mcp.json", ".windsurf/mcp_config.json"),
    project: upward(".windsurf/mcp.json", ".windsurf/mcp_config.json"),
  },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      url: ["serverUrl", "url"],
      exclude: "disabledTools",
      autoApprove: "alwaysAllow",
    },
    switches: ["disabled"],
  },
  variables: {
    syntaxes: [prefixedBraces({ env: "environment", file: "file" })],
    whenUnset: "fail",
    ownEnv: "remote",
  },
};

const ROO_STORAGE = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings";

/** A URL without a type is refused. Times are seconds, from 1 to 3,600. */
const ROO: HostDialect = {
  id: "roo",
  title: "Roo Code",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(".roo/mcp.json") },
    {
      kind: "user",
      scope: "user",
      paths: within(folderIn(applicationData, ROO_STORAGE), "mcp_settings.json"),
    },
  ],
  misplaced: { user: inHome(".roo/mcp.json"), project: upward(".roo/mcp_settings.json") },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", sse: "sse" },
      untypedUrl: "refused",
    },
    // Its documentation: an entry has either a command or a URL, whatever its type.
    findFault: ({ command, url }) =>
      command !== undefined && url !== undefined
        ? {
            field: "url",
            text: `it has both "command" and "url", which Roo Code refuses; keep the one you mean.`,
          }
        : undefined,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds", leastMs: 1_000, mostMs: 3_600_000 }],
      autoApprove: "alwaysAllow",
      exclude: "disabledTools",
    },
    switches: ["disabled"],
    extraFields: ["watchPaths"],
  },
  variables: {
    syntaxes: [prefixedBraces({ env: "environment" }), bracedPlaces("workspaceFolder")],
    whenUnset: "empty",
    ownEnv: "remote",
  },
};

const AMP_FILES = ["settings.jsonc", "settings.json"];

const AMP_MANAGED = systemFolder({
  darwin: "/Library/Application Support/ampcode",
  win32: "%ProgramData%\\ampcode",
  other: "/etc/ampcode",
});

/** Servers are under one key with a dot in it, among other settings. */
const AMP: HostDialect = {
  id: "amp",
  title: "Amp",
  format: "jsonc",
  files: [
    { kind: "project", scope: "project", paths: upward(...AMP_FILES.map((file) => `.amp/${file}`)) },
    { kind: "user", scope: "user", paths: within(homeFolder(".config/amp"), ...AMP_FILES) },
  ],
  misplaced: { user: inHome(".amp/settings.json", ".config/amp/mcp.json"), project: upward(".amp/mcp.json") },
  servers: serversUnder("amp.mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, include: "includeTools" },
    switches: ["disabled"],
  },
  variables: { syntaxes: [braces()], whenUnset: "fail", ownEnv: "remote" },
  switches: [{ in: ["user"], path: ["amp.mcpPermissions"], form: "rules", title: "amp.mcpPermissions" }],
  administered: within(AMP_MANAGED, "managed-settings.json"),
};

const KIRO_FILE = ".kiro/settings/mcp.json";

/** The workspace's file beats the user's. Times are milliseconds. */
const KIRO: HostDialect = {
  id: "kiro",
  title: "Kiro",
  format: "json",
  files: [
    { kind: "workspace", scope: "project", paths: upward(KIRO_FILE) },
    { kind: "user", scope: "user", paths: inHome(KIRO_FILE) },
  ],
  misplaced: { user: inHome(".kiro/mcp.json"), project: upward(".kiro/mcp.json") },
  servers: serversUnder("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["timeout"],
      autoApprove: "autoApprove",
      exclude: "disabledTools",
    },
    switches: ["disabled"],
    oauth: { object: "oauth", fields: { oauthScopes: "scopes" } },
  },
  variables: { syntaxes: [braces()], whenUnset: "fail", ownEnv: "remote" },
};

/** Cursor's notation, without variables. */
const LM_STUDIO: HostDialect = {
  id: "lm-studio",
  title: "LM Studio",
  format: "json",
  files: [{ kind: "user", scope: "user", paths: inHome(".lmstudio/mcp.json") }],
  servers: serversUnder("mcpServers"),
  entry: { transport: COMMON_TRANSPORT, fields: { ...COMMON_FIELDS, timeoutMs: ["timeout"] } },
  variables: NO_VARIABLES,
};

const JUNIE_FILE = ".junie/mcp/mcp.json";

/** JetBrains' agents Junie, AI Assistant and Air, whose files are side by side in the project. */
const JUNIE: HostDialect = {
  id: "junie",
  title: "JetBrains Junie",
  format: "json",
  files: [
    {
      kind: "project",
      scope: "project",
      paths: upward(JUNIE_FILE, ".idea/mcp.json", ".air/mcp.json", ".mcp.json"),
    },
    { kind: "user", scope: "user", paths: inHome(JUNIE_FILE) },
  ],
  misplaced: { user: inHome(".junie/mcp.json"), project: upward(".junie/mcp.json") },
  servers: serversUnder("mcpServers"),
  entry: { transport: COMMON_TRANSPORT, fields: COMMON_FIELDS },
  variables: NO_VARIABLES,
};

const WARP_FILE = ".warp/.mcp.json";

/** The switch is called `start_on_launch`. In Warp, servers of a project are always started by hand. */
const WARP: HostDialect = {
  id: "warp",
  title: "Warp",
  format: "json",
  files: [
    { kind: "project", scope: "project", paths: upward(WARP_FILE) },
    { kind: "user", scope: "user", paths: inHome(WARP_FILE) },
  ],
  misplaced: { user: inHome(".warp/mcp.json"), project: upward(".warp/mcp.json") },
  servers: serversUnderOrBare("mcpServers"),
  entry: {
    transport: COMMON_TRANSPORT,
    fields: {
      ...COMMON_FIELDS,
      cwd: ["working_directory", "cwd"],
      enabled: "start_on_launch",
    },
  },
  variables: NO_VARIABLES,
};

/** Version 2 of the Inspector. Entries say which protocol era a server is spoken to in, and which roots it is shown. */
const INSPECTOR: HostDialect = {
  id: "inspector",
  title: "MCP Inspector",
  format: "json",
  files: [{ kind: "user", scope: "user", paths: inHome(".mcp-inspector/mcp.json") }],
  servers: serversUnder("mcpServers"),
  entry: {
    // The Inspector treats entries without a type, or with an unknown one, as child processes (`normalizeServerType`).
    transport: {
      field: "type",
      types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse" },
      untypedUrl: "refused",
    },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: ["requestTimeout"],
      connectTimeoutMs: ["connectionTimeout"],
    },
    oauth: { object: "oauth" },
    extraFields: [
      ...["protocolEra", "roots", "metadata", "taskTtl", "autoRefreshOnListChanged", "paginatedLists"],
      ...["maxFetchRequests", "modernLogLevel", "suppressNotificationStream"],
    ],
  },
  variables: NO_VARIABLES,
};

/** Every supported host, in the order of precedence that `all` has. */
export const HOST_DIALECTS: readonly HostDialect[] = [
  JACKFIELD,
  CLAUDE_CODE,
  CLAUDE_DESKTOP,
  CURSOR,
  VSCODE,
  CODEX,
  GEMINI,
  OPENCODE,
  WINDSURF,
  ZED,
  COPILOT_CLI,
  CLINE,
  ROO,
  CONTINUE,
  AMP,
  GOOSE,
  KIRO,
  LM_STUDIO,
  JUNIE,
  WARP,
  CRUSH,
  OMP,
  MCPORTER,
  INSPECTOR,
  CLAUDE_PLUGIN,
  VSCODE_MCP_JSON,
  AGENT_PLUGINS,
  MCPB,
  REGISTRY,
  SEP_2633,
];

const BY_ID: ReadonlyMap<string, HostDialect> = new Map(
  HOST_DIALECTS.map((dialect) => [dialect.id, dialect]),
);

/** The dialect of a host, if it is known. */
export function dialectOf(host: string): HostDialect | undefined {
  return BY_ID.get(host);
}

/** The variable dialect of a host; Jackfield's own where the host is missing or unknown. */
export function variablesOf(host: string | undefined): VariableDialect {
  return (host === undefined ? undefined : dialectOf(host)?.variables) ?? OWN_VARIABLES;
}

/** The text about an unknown host. */
export function unknownHost(host: string): string {
  const known = HOST_DIALECTS.map(({ id }) => quote(id)).join(", ");
  return `${quote(host)} is not a known host; use one of ${known}.`;
}

/** The dialect in which a host's file is read. */
export function rulesOf({ writtenFor }: Pick<HostFile, "writtenFor">, dialect: HostDialect): HostDialect {
  return (writtenFor === undefined ? undefined : dialectOf(writtenFor)) ?? dialect;
}

/** The format by a file's extension, else the host's. JSON in a host of another format may have comments. */
export function formatOf(file: string, { format }: HostDialect): ConfigFormat {
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  if (ending === "yaml" || ending === "yml") return "yaml";
  if (ending === "toml") return "toml";
  const isJson = ending === "json" || ending === "jsonc";
  return isJson && (format === "toml" || format === "yaml") ? "jsonc" : format;
}
