import type { JsonPath } from "../documents/json-path.ts";
import { isMap, type JsonMap, ownMember } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { FindingContext, HostDocument, ListedServer, ListVerdict, ReadLists } from "./host-dialect.ts";

/** What the user's file says about one project, and where. */
export interface ProjectRecord {
  readonly path: JsonPath;
  readonly record: JsonMap;
}

/** The record of the project in which the host runs; for a file by itself, else that of the first project with servers. */
export function projectRecord(root: JsonMap, context: FindingContext): ProjectRecord | undefined {
  const projects = isMap(root.projects) ? root.projects : {};
  const recordOf = (folder: string): ProjectRecord | undefined => {
    const record = ownMember(projects, folder);
    return isMap(record) ? { path: ["projects", folder], record } : undefined;
  };
  const own = context.folders.map(recordOf).find((record) => record !== undefined);
  if (own || !context.isSingleFile) return own;
  const folder = Object.keys(projects).find((name) => isMap(recordOf(name)?.record.mcpServers));
  if (folder === undefined) return undefined;
  const text = "the servers of this project are shown; name another folder to see those of another project.";
  context.remark("project-chosen", ["projects", folder], text);
  return recordOf(folder);
}

/**
 * What Claude Code's lists say: servers that were switched off, project servers that were refused, plugins that are not on, and
 * an administrator's lists of what is allowed and denied. A project's own settings can switch off and deny, never allow.
 */
export function readClaudeLists(
  documents: readonly HostDocument[],
  context: FindingContext,
): ReturnType<ReadLists> {
  const quiet: FindingContext = { ...context, remark: () => {} };
  const records = documents.flatMap(({ content }) => {
    const found = projectRecord(content, quiet);
    return found ? [found.record] : [];
  });
  const contents = documents.map(({ content }) => content);
  const disabled = namesIn([...records, ...contents], "disabledMcpServers");
  const refused = namesIn([...records, ...contents], "disabledMcpjsonServers");
  const isPluginOn = readPluginSwitches(documents);
  const isDenied = readDenied(contents);
  const isAllowed = readAllowed(documents);
  return (server: ListedServer): ListVerdict | undefined => {
    if (isDenied(server)) return { disabledBy: "deniedMcpServers" };
    if (!isAllowed(server)) return { disabledBy: "allowedMcpServers" };
    if (disabled.has(server.name)) return { disabledBy: "disabledMcpServers" };
    const isOfProject = server.definedIn.scope === "project";
    if (isOfProject && refused.has(server.name)) return { disabledBy: "disabledMcpjsonServers" };
    return isPluginOn(server) ? undefined : { disabledBy: "enabledPlugins" };
  };
}

function namesIn(records: readonly JsonMap[], list: string): ReadonlySet<unknown> {
  return new Set(records.flatMap((record) => (Array.isArray(record[list]) ? record[list] : [])));
}

/** Plugins are named `name@marketplace`; one that the settings do not name is on. */
function readPluginSwitches(documents: readonly HostDocument[]): (server: ListedServer) => boolean {
  const folders = new Map<unknown, string>();
  const switchedOff = new Set<string>();
  for (const { content } of documents) {
    for (const [plugin, installed] of Object.entries(isMap(content.plugins) ? content.plugins : {})) {
      for (const record of [installed].flat()) if (isMap(record)) folders.set(record.installPath, plugin);
    }
    const switches = isMap(content.enabledPlugins) ? content.enabledPlugins : {};
    for (const plugin of Object.keys(switches)) if (switches[plugin] === false) switchedOff.add(plugin);
  }
  return ({ definedIn }) => {
    const plugin = folders.get(definedIn.root);
    return definedIn.scope !== "extension" || plugin === undefined || !switchedOff.has(plugin);
  };
}

/** A line of a list: exactly one of a name, a whole command line and a URL with `*` in it. */
interface ListLine {
  readonly kind: "serverName" | "serverCommand" | "serverUrl";
  matches(server: ListedServer): boolean;
}

function readDenied(contents: readonly JsonMap[]): (server: ListedServer) => boolean {
  const lines = contents.flatMap((content) => readLines(content.deniedMcpServers) ?? []);
  return (server) => lines.some((line) => line.matches(server));
}

/** The administrator's list, else the user's. An empty list allows nothing. */
function readAllowed(documents: readonly HostDocument[]): (server: ListedServer) => boolean {
  const lists = ["managed", "user"].map((scope) =>
    documents
      .filter((document) => document.scope === scope)
      .map(({ content }) => readLines(content.allowedMcpServers))
      .filter((lines) => lines !== undefined),
  );
  const lines = lists.find((found) => found.length > 0)?.flat();
  if (!lines) return () => true;
  return (server) => {
    const kind = server.written.transport === "stdio" ? "serverCommand" : "serverUrl";
    const special = lines.filter((line) => line.kind === kind);
    const asked = special.length > 0 ? special : lines.filter((line) => line.kind === "serverName");
    return asked.some((line) => line.matches(server));
  };
}

/** A line that cannot be read is left out; the others still count. */
function readLines(list: unknown): readonly ListLine[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((line: unknown): ListLine[] => {
    if (!isMap(line)) return [];
    const { serverName, serverCommand, serverUrl } = line;
    if ([serverName, serverCommand, serverUrl].filter((found) => found !== undefined).length !== 1) return [];
    if (typeof serverName === "string") {
      return [{ kind: "serverName", matches: ({ name }) => name === serverName }];
    }
    if (Array.isArray(serverCommand)) {
      return [{ kind: "serverCommand", matches: ({ written }) => isCommandLine(written, serverCommand) }];
    }
    return typeof serverUrl === "string" ? [urlLine(serverUrl)] : [];
  });
}

function isCommandLine({ transport, command, args = [] }: WrittenServer, line: readonly unknown[]): boolean {
  const own = [command, ...args];
  return (
    transport === "stdio" && own.length === line.length && own.every((text, index) => text === line[index])
  );
}

function urlLine(pattern: string): ListLine {
  const parts = withLowerHost(pattern).split("*");
  return {
    kind: "serverUrl",
    matches: ({ written: { url } }) => url !== undefined && hasParts(withLowerHost(url), parts),
  };
}

/** Whether a text is made of these parts in this order, with anything between them. */
function hasParts(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  if (others.length === 0) return text === first;
  const last = others.pop() ?? "";
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Scheme and host have no case. */
function withLowerHost(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, (beginning) => beginning.toLowerCase());
}
