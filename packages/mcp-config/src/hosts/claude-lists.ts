import { isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { type JsonMap, kindOf, ownMember } from "../documents/json-value.ts";
import { realFileOf } from "../text-file.ts";
import { CLAUDE_PLUGIN_VARIABLES, CLAUDE_VARIABLES } from "./claude-entry.ts";
import { pluginsByFolder } from "./claude-installed-plugins.ts";
import { type ListLine, readListLines } from "./claude-list-lines.ts";
import type { FindingContext, HostDocument, ListedServer, ListVerdict, ReadLists } from "./host-dialect.ts";
import { folderKey } from "./host-paths.ts";
import { type KnownTarget, knownTarget } from "./known-target.ts";
import { brokenPolicy, ListReader } from "./list-reader.ts";

/** The record of one project in the user's file, and its path. */
export interface ProjectRecord {
  readonly path: JsonPath;
  readonly record: JsonMap;
}

/**
 * The record of the project in which the host runs, by its path as it is given or without links, as the host writes it; for a file
 * parsed by itself without a working directory, that of the first project with servers.
 */
export function projectRecord(root: JsonMap, context: FindingContext): ProjectRecord | undefined {
  if (!isRecord(root.projects)) return undefined;
  const { projects } = root;
  const recordOf = (folder: string | undefined): ProjectRecord | undefined => {
    const record = folder === undefined ? undefined : ownMember(projects, folder);
    return folder !== undefined && isRecord(record) ? { path: ["projects", folder], record } : undefined;
  };
  const own = context.folders
    .map(
      (folder) =>
        recordOf(keyOf(folder, projects, context)) ?? recordOf(realKeyOf(folder, projects, context)),
    )
    .find((record) => record !== undefined);
  if (own || !context.isStandaloneFile) return own;
  const chosen = Object.keys(projects)
    .map(recordOf)
    .find((found) => isRecord(found?.record.mcpServers));
  if (chosen === undefined) return undefined;
  if (context.folders.length > 0) {
    const text =
      "no project has the folder that is named, nor one above it, so no servers of a project are shown.";
    context.remark("project-chosen", ["projects"], text);
    return undefined;
  }
  const text = "only the servers of this project are shown; to see another project's, name its folder.";
  context.remark("project-chosen", chosen.path, text);
  return chosen;
}

/** The key under which a folder is recorded: Claude Code writes forward slashes, which older versions did not. */
function keyOf(folder: string, projects: JsonMap, context: FindingContext): string | undefined {
  if (context.platform !== "win32") return folder;
  const slashed = folder.replaceAll("\\", "/");
  if (Object.hasOwn(projects, slashed)) return slashed;
  return Object.keys(projects).find((name) => folderKey(name, context) === folderKey(folder, context));
}

function realKeyOf(folder: string, projects: JsonMap, context: FindingContext): string | undefined {
  const real = realFileOf(folder);
  return real === undefined ? undefined : keyOf(real, projects, context);
}

/**
 * Applies Claude Code's lists: servers that are switched off, project servers that were refused, plugins that are off, and lists of
 * allowed and denied servers. A project's own settings can switch off and deny, never allow. A line that cannot be read is left
 * out; an administrator's list, or file, that cannot be read lets nothing through.
 */
export const readClaudeLists: ReadLists = (documents, context, report) => {
  const reader = new ListReader(report);
  const quiet: FindingContext = { ...context, remark: () => {} };
  const places = documents.flatMap((document): Place[] => {
    const found = projectRecord(document.content, quiet);
    const whole = { document, path: [] };
    return found ? [{ document, path: found.path }, whole] : [whole];
  });
  const disabled = namesIn(places, "disabledMcpServers", reader);
  const refused = namesIn(places, "disabledMcpjsonServers", reader);
  const isPluginOn = readPluginSwitches(documents, reader);
  const isDenied = readDenied(documents, reader);
  const isAllowed = readAllowed(documents, reader);
  const denyAllVerdict = brokenPolicy(documents, "managed-settings") ?? reader.denyAllVerdict;
  return (server: ListedServer): ListVerdict | undefined => {
    if (denyAllVerdict) return denyAllVerdict;
    const isOfPlugin = server.definedIn.scope === "extension";
    const target = knownTarget(server, context, isOfPlugin ? CLAUDE_PLUGIN_VARIABLES : CLAUDE_VARIABLES);
    if (isDenied(target)) return { disabledBy: "deniedMcpServers" };
    if (!isAllowed(target)) return { disabledBy: "allowedMcpServers" };
    if (disabled.has(server.name)) return { disabledBy: "disabledMcpServers" };
    const isOfProject = server.definedIn.scope === "project";
    if (isOfProject && refused.has(server.name)) return { disabledBy: "disabledMcpjsonServers" };
    return isPluginOn(server) ? undefined : { disabledBy: "enabledPlugins" };
  };
};

/** A place in a document that may hold lists. */
interface Place {
  readonly document: HostDocument;
  readonly path: JsonPath;
}

function namesIn(places: readonly Place[], list: string, reader: ListReader): ReadonlySet<unknown> {
  return new Set(places.flatMap(({ document, path }) => reader.list(document, [...path, list]) ?? []));
}

/** Plugins are named `name@marketplace`. One that the settings do not name is on, and so is one limited to certain versions. */
function readPluginSwitches(
  documents: readonly HostDocument[],
  reader: ListReader,
): (server: ListedServer) => boolean {
  const folders = new Map<unknown, string>();
  const switchedOff = new Set<string>();
  for (const document of documents) {
    for (const [folder, plugin] of pluginsByFolder(document.content)) folders.set(folder, plugin);
    const switches = reader.map(document, ["enabledPlugins"]) ?? {};
    for (const plugin of Object.keys(switches)) {
      const isOn = switches[plugin];
      if (isOn === true || Array.isArray(isOn)) continue;
      switchedOff.add(plugin);
      if (isOn === false) continue;
      const wanted = `true or false, not ${kindOf(isOn)}`;
      reader.refuse(document, ["enabledPlugins", plugin], wanted, "So the plugin is switched off.");
    }
  }
  return ({ definedIn }) => {
    const plugin = folders.get(definedIn.root);
    return definedIn.scope !== "extension" || plugin === undefined || !switchedOff.has(plugin);
  };
}

function linesIn(document: HostDocument, list: string, reader: ListReader): readonly ListLine[] | undefined {
  const found = reader.list(document, [list]);
  return (
    found &&
    readListLines(found, (index) => {
      const wanted = `an object with exactly one of "serverName", "serverUrl" and "serverCommand", which is a list of strings`;
      reader.refuse(document, [list, index], wanted, "It is left out; the other lines count.");
    })
  );
}

function readDenied(
  documents: readonly HostDocument[],
  reader: ListReader,
): (target: KnownTarget) => boolean {
  const lines = documents.flatMap((document) => linesIn(document, "deniedMcpServers", reader) ?? []);
  return (target) => lines.some((line) => line.matches(target) !== false);
}

/** The administrator's list, else the user's. An empty list allows nothing. */
function readAllowed(
  documents: readonly HostDocument[],
  reader: ListReader,
): (target: KnownTarget) => boolean {
  const lists = ["managed", "user"].map((scope) =>
    documents
      .filter((document) => document.scope === scope)
      .map((document) => linesIn(document, "allowedMcpServers", reader))
      .filter((lines) => lines !== undefined),
  );
  const lines = lists.find((found) => found.length > 0)?.flat();
  if (!lines) return () => true;
  return (target) => {
    const kind = target.server.written.transport === "stdio" ? "serverCommand" : "serverUrl";
    const special = lines.filter((line) => line.kind === kind);
    const asked = special.length > 0 ? special : lines.filter((line) => line.kind === "serverName");
    return asked.some((line) => line.matches(target) === true);
  };
}
