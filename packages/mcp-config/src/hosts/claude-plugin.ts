import { isRecord } from "@jackfield/mcp-core";
import type { JsonMap } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { CLAUDE_PLUGIN_ENTRY, CLAUDE_PLUGIN_VARIABLES } from "./claude-entry.ts";
import {
  type FindServers,
  type FollowedFile,
  type HostDialect,
  type HostSurroundings,
  serversUnder,
  serversUnderOrBare,
} from "./host-dialect.ts";
import { pathRules } from "./host-paths.ts";

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
