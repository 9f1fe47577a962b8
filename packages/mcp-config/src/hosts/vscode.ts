import { isRecord } from "@jackfield/mcp-core";
import { COMMON_FIELDS, COMMON_TRANSPORT, type EntryDialect } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { bracedPlaces, prefixedBraces } from "../resolve/variable-syntax.ts";
import { NO_VARIABLES } from "../resolve/variables.ts";
import { CLAUDE_PLUGIN_ENTRY } from "./claude-code.ts";
import { copilotPolicy } from "./copilot-cli.ts";
import { type FindServers, type HostDialect, type HostFile, serversUnder } from "./host-dialect.ts";
import { applicationData, type FindPaths, inDirectory, inHome, joined, upward } from "./host-paths.ts";

const inDevContainer = serversUnder("customizations", "vscode", "mcp", "servers");
const inSettings = serversUnder("mcp", "servers");
const inOwnFile = serversUnder("servers");

/** For a file parsed by itself: a development container and the old block in the settings are recognised by their content. */
const anywhere: FindServers = (root, context) => {
  if (Object.hasOwn(root, "servers")) return [{ path: ["servers"] }];
  if (isRecord(root.customizations)) return inDevContainer(root, context);
  return isRecord(root.mcp) ? inSettings(root, context) : [{ path: ["servers"] }];
};

/** Files of one edition of the program, in the folder with the user's settings. */
const ofUser =
  (edition: string, file: string): FindPaths =>
  (at) => {
    const paths = inDirectory(at, joined(at, applicationData(at), `${edition}/User`), file);
    return file.includes("*") ? paths.map((path) => ({ ...path, isPattern: true })) : paths;
  };

/** The user's files of one edition. Which profile is in use is not known, so all count, the default one first. */
const userFiles = (edition: string, prefix: string): HostFile[] => [
  { kind: `${prefix}user`, scope: "user", paths: ofUser(edition, "mcp.json"), servers: inOwnFile },
  {
    kind: `${prefix}profile`,
    scope: "user",
    paths: ofUser(edition, "profiles/*/mcp.json"),
    servers: inOwnFile,
  },
  {
    kind: `${prefix}user-settings`,
    scope: "user",
    paths: ofUser(edition, "settings.json"),
    servers: inSettings,
  },
];

/** For hosts that read an `envFile` for child processes only: beside a URL it is reported and kept, but never read. */
export const ENV_FILE_OF_PROCESS = {
  reshape: (entry, { remark }) => {
    if (!isIdle(entry)) return entry;
    const { envFile: _idle, ...others } = entry;
    remark("unused-field", "envFile", `"envFile" has no effect for a server that is not a child process.`);
    return others;
  },
  removedFields: (entry) => (isIdle(entry) ? { envFile: entry.envFile } : undefined),
} as const satisfies Pick<EntryDialect, "reshape" | "removedFields">;

function isIdle({ envFile, command, url }: JsonMap): boolean {
  return envFile !== undefined && command === undefined && url !== undefined;
}

/** Where an administrator's policies for the editor are files; on Windows they are in the registry. */
const POLICIES: { readonly [platform in NodeJS.Platform]?: readonly string[] } = {
  linux: ["/etc/vscode/policy.json"],
  darwin: ["", "Insiders"].map((e) => `/Library/Managed Preferences/com.microsoft.VSCode${e}.plist`),
};

/** Its key is `servers`. Values that the user is asked for are listed in `inputs`, and their definitions stay in the file. */
export const VSCODE: HostDialect = {
  id: "vscode",
  title: "VS Code",
  format: "jsonc",
  files: [
    { kind: "workspace", scope: "project", paths: upward(".vscode/mcp.json"), servers: inOwnFile },
    {
      kind: "devcontainer",
      scope: "project",
      paths: upward(".devcontainer/devcontainer.json", ".devcontainer.json"),
      servers: inDevContainer,
    },
    {
      kind: "workspace-settings",
      scope: "project",
      paths: upward(".vscode/settings.json"),
      servers: inSettings,
    },
    {
      kind: "workspace-mcp-json",
      scope: "project",
      paths: upward(".mcp.json"),
      format: "json",
      servers: serversUnder("mcpServers"),
      writtenFor: "vscode-mcp-json",
    },
    ...userFiles("Code", ""),
    ...userFiles("Code - Insiders", "insiders-"),
  ],
  misplaced: { user: inHome(".vscode/mcp.json") },
  servers: anywhere,
  entry: {
    transport: COMMON_TRANSPORT,
    fields: { ...COMMON_FIELDS, envFile: "envFile" },
    ...ENV_FILE_OF_PROCESS,
    extraFields: ["dev", "sandboxEnabled", "sandbox", "gallery", "version"],
    urlSchemes: ["http", "https", "unix", "pipe"],
  },
  variables: {
    syntaxes: [
      prefixedBraces({ env: "environment", input: "input" }),
      bracedPlaces("userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator", "/"),
    ],
    whenUnset: "empty",
    ownEnv: "remote",
  },
  administered: (at) => [...copilotPolicy(at), ...(POLICIES[at.platform] ?? []).map((file) => ({ file }))],
};

/**
 * The `.mcp.json` of a workspace, which VS Code reads since 1.131 as Claude Code writes it: strict JSON, under `mcpServers`,
 * without variables. `VSCODE` says where these files are.
 */
export const VSCODE_MCP_JSON: HostDialect = {
  id: "vscode-mcp-json",
  title: "VS Code",
  format: "json",
  files: [],
  servers: serversUnder("mcpServers"),
  entry: CLAUDE_PLUGIN_ENTRY,
  variables: NO_VARIABLES,
};
