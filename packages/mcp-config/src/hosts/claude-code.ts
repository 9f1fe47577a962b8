import { CLAUDE_ENTRY, CLAUDE_VARIABLES } from "./claude-entry.ts";
import { INSTALLED_PLUGINS, pluginFolders } from "./claude-installed-plugins.ts";
import { projectRecord, readClaudeLists } from "./claude-lists.ts";
import {
  type FindServers,
  type FollowedFile,
  type HostDialect,
  type HostSurroundings,
  serversUnder,
} from "./host-dialect.ts";
import {
  absolute,
  homeFolder,
  inDirectory,
  inHome,
  namedFolder,
  systemFolder,
  upward,
  within,
} from "./host-paths.ts";

const MANAGED = systemFolder({
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
  other: "/etc/claude-code",
});

const SETTINGS = namedFolder("CLAUDE_CONFIG_DIR", homeFolder(".claude"));

/** The user's servers for one project are in the user's own file, under the project's directory. */
const localServers: FindServers = (root, context) => {
  const record = projectRecord(root, context);
  return record ? [{ path: [...record.path, "mcpServers"], scope: "local" }] : [];
};

/**
 * Local entries win over project entries, then user entries, then plugins, each as a whole; an administrator's file excludes all
 * others.
 */
export const CLAUDE_CODE: HostDialect = {
  id: "claude-code",
  title: "Claude Code",
  format: "json",
  files: [
    { kind: "managed", scope: "managed", paths: within(MANAGED, "managed-mcp.json") },
    { kind: "local", scope: "local", paths: userFile, servers: localServers },
    { kind: "project", scope: "project", paths: upward(".mcp.json") },
    { kind: "user", scope: "user", paths: userFile, servers: serversUnder("mcpServers") },
    {
      kind: "plugins",
      scope: "user",
      servers: "none",
      paths: within(SETTINGS, `plugins/${INSTALLED_PLUGINS}`),
      leadsTo: installedPlugins,
    },
    {
      kind: "managed-settings",
      scope: "managed",
      servers: "none",
      paths: (at) => [
        ...inDirectory(at, MANAGED(at), "managed-settings.json"),
        // Backups, notes and files that the system puts into folders are not settings.
        ...inDirectory(at, MANAGED(at), "managed-settings.d/*.json").map((path) => ({
          ...path,
          isPattern: true,
          matchesHidden: false,
          matchesFolders: false,
        })),
      ],
    },
    {
      kind: "local-settings",
      scope: "project",
      servers: "none",
      paths: upward(".claude/settings.local.json"),
    },
    {
      kind: "project-settings",
      scope: "project",
      servers: "none",
      paths: upward(".claude/settings.json"),
    },
    {
      kind: "user-settings",
      scope: "user",
      servers: "none",
      paths: within(SETTINGS, "settings.json"),
    },
  ],
  servers: (root, context) => [...localServers(root, context), ...serversUnder("mcpServers")(root, context)],
  entry: CLAUDE_ENTRY,
  variables: CLAUDE_VARIABLES,
  exclusiveScope: "managed",
  endpointScope: "extension",
  lists: readClaudeLists,
};

function userFile(at: HostSurroundings) {
  const directory = absolute(at, "CLAUDE_CONFIG_DIR");
  return directory === undefined ? inHome(".claude.json")(at) : inDirectory(at, directory, ".claude.json");
}

/** A plugin has its servers in its manifest or in a file at its root. */
function installedPlugins(root: unknown, at: HostSurroundings): readonly FollowedFile[] {
  return [...pluginFolders(root, at)].flatMap((folder) =>
    inDirectory(at, folder, ".claude-plugin/plugin.json", ".mcp.json").map((path) => ({
      ...path,
      root: folder,
      kind: "plugin",
      scope: "extension" as const,
      host: "claude-plugin",
    })),
  );
}
