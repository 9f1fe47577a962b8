import { type DefinedIn, type DefinitionScope, isRecord, type ToolFilter } from "@jackfield/mcp-core";
import type { Report } from "../diagnostic-codes.ts";
import type { ConfigDocument, ConfigFormat } from "../documents/config-document.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import type { EntryDialect } from "../entries/entry-dialect.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { Environment } from "../safe-environment.ts";
import type { VariableDialect } from "../variables.ts";

/** Everything that the paths of a host's files depend on. All paths are absolute. */
export interface HostSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  /** The user's home directory. */
  readonly home: string;
  readonly cwd: string;
  /** The topmost directory in which a project's files are looked for: the repository's root, or `cwd` itself. */
  readonly projectTop: string;
}

/** Where a file of a host may be. */
export interface HostPath {
  readonly file: string;
  /** The content of the file, where the host takes it from a variable. Then no file is read. */
  readonly text?: string | undefined;
  /** The project or extension that the file belongs to. Default: the directory of the file. */
  readonly root?: string | undefined;
  /** Whether one segment of the path contains `*`, which matches any characters. If that segment is a folder, it is the default root. */
  readonly isPattern?: boolean | undefined;
  /** How names that match a pattern may end. Default: as the segment of the pattern does. */
  readonly endings?: readonly string[] | undefined;
  /** Whether a pattern matches names that begin with a dot. Default: it does. */
  readonly matchesHidden?: boolean | undefined;
  /** Whether a pattern also matches folders in place of files, which are then reported as unreadable. Default: it does. */
  readonly matchesFolders?: boolean | undefined;
}

/** A kind of file that a host reads. */
export interface HostFile {
  /** What it is called within its host, for example `project`. */
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The strongest first. A missing file is not an error. */
  paths(at: HostSurroundings): readonly HostPath[];
  /** The id of the host whose rules apply to it, if that is another one. */
  readonly writtenFor?: string | undefined;
  /** Default: the host's. */
  readonly format?: ConfigFormat | undefined;
  /** Why the file is reported and never read, if it is a program. Default: it is read. */
  readonly script?: string | undefined;
  /** Where the file holds servers; `none` for files that only hold rules about servers. Default: the host's. */
  readonly servers?: FindServers | "none" | undefined;
  /** Further files that this file leads to, such as those of installed plugins. `folder` is the extension it belongs to. */
  readonly leadsTo?:
    | ((root: unknown, at: HostSurroundings, folder: string | undefined) => readonly FollowedFile[])
    | undefined;
}

/** A file that another one leads to. */
export interface FollowedFile extends HostPath {
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The host in whose dialect it is written. */
  readonly host: string;
  /** Whether the file's extension names it: it must exist and lie inside `root`. */
  readonly isNamed?: boolean | undefined;
}

/** A section of a document that holds servers: a map by name, a list, or a single server. */
export interface ServerSection {
  readonly path: JsonPath;
  /** The name of the single server in this section, where neither a key nor a field gives it. */
  readonly name?: string | undefined;
  /**
   * Gives an id to each element of a list of ways to reach the one server, from which the user picks. Only a file that is parsed by
   * itself has these.
   */
  readonly optionOf?: ((element: unknown, index: number) => string) | undefined;
  /** Default: the file's. */
  readonly scope?: DefinitionScope | undefined;
  /** The field of each element that holds its name, for a list. */
  readonly nameField?: string | undefined;
  /** Which members of a map are servers, where it holds other things too. Default all. */
  readonly isServer?: ((value: unknown, name: string) => boolean) | undefined;
  /** Remarks on a section that holds no servers but names the files that do. */
  readonly elsewhere?: readonly string[] | undefined;
  /** Members from elsewhere in the document that belong to the one server here. */
  readonly beside?: JsonMap | undefined;
  /** Whether entries here replace weaker ones of their name where the host otherwise merges field by field. */
  readonly replaces?: boolean | undefined;
}

/** What finding servers may depend on besides the document. */
export interface FindingContext {
  /** The folders of the project, the nearest first. */
  readonly folders: readonly string[];
  /** Whether one file is parsed by itself. If it holds several projects and none is selected, the first is shown. */
  readonly isStandaloneFile: boolean;
  /** The platform for which an entry is read, where it differs by platform. */
  readonly platform: NodeJS.Platform;
  /** The environment in which lists look up the variables of entries. Missing where it is not known. */
  readonly env?: Environment | undefined;
  /** How many of `count` entries in a section of a project's file are used. Missing where nothing limits them. */
  readonly entriesOfProject?: ((file: string, section: JsonPath, count: number) => number) | undefined;
  /** Reports which project's servers were chosen. */
  remark(code: "project-chosen", path: JsonPath, text: string): void;
}

/** The sections where servers may be, the strongest first; those that do not exist are skipped. */
export type FindServers = (root: JsonMap, context: FindingContext, file?: string) => readonly ServerSection[];

/** A document of a host, as far as rules about servers need it. */
export interface HostDocument {
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The project or extension it belongs to. */
  readonly root?: string | undefined;
  readonly file?: string | undefined;
  /** Empty if the file is broken. */
  readonly content: JsonMap;
  /**
   * Whether the file exists but cannot be read, so that its rules are unknown. Only files that help to decide which servers are
   * used are kept then.
   */
  readonly isBroken?: boolean | undefined;
  /** Locates its values. */
  readonly document?: Pick<ConfigDocument, "locate"> | undefined;
}

/** A server that a host's lists decide on. */
export interface ListedServer {
  readonly name: string;
  readonly written: WrittenServer;
  readonly definedIn: DefinedIn;
  /** The kind of file it is in. */
  readonly kind: string;
}

/** What a host's lists say of a server. */
export interface ListVerdict {
  /** The list that switches it off. */
  readonly disabledBy?: string | undefined;
  /** Why that list does so, where its name does not tell. */
  readonly because?: string | undefined;
  /** Whether a list of the user's own switches it on, whatever the entry says. */
  readonly isSwitchedOn?: boolean | undefined;
  /** The tool filter outside the entry: `include` replaces the entry's, `exclude` is added to it. */
  readonly tools?: ToolFilter | undefined;
  /** Timeouts that apply where the entry has none. */
  readonly times?: Pick<WrittenServer, "connectTimeoutMs" | "timeoutMs"> | undefined;
}

/** Reads what the documents, the strongest first, say about servers outside their entries. The returned function decides on one server. */
export type ReadLists = (
  documents: readonly HostDocument[],
  context: FindingContext,
  report: Report,
) => (server: ListedServer) => ListVerdict | undefined;

/** How a host keeps its servers. One record for each host. */
export interface HostDialect {
  /** The name by which users select the host, in kebab-case. */
  readonly id: string;
  /** The display name. */
  readonly title: string;
  readonly format: ConfigFormat;
  /** The strongest first. */
  readonly files: readonly HostFile[];
  /** The scope of a file that is parsed by itself and matches none of the host's files. Default `user`. */
  readonly scope?: "user" | "extension" | undefined;
  readonly servers: FindServers;
  readonly entry: EntryDialect;
  readonly variables: VariableDialect;
  /**
   * How entries of one name in several of its files become one: the strongest as a whole, or field by field. Default
   * `entries`.
   */
  readonly merge?: "entries" | "fields" | undefined;
  /** How to join two values of a field, where entries are merged by fields and the stronger value does not simply win. */
  readonly joins?: { readonly [field: string]: (stronger: unknown, weaker: unknown) => unknown } | undefined;
  /** Reduces the layers of an entry, the strongest first, to what counts of each before they are joined. Default: everything. */
  readonly fitLayers?: ((layers: readonly unknown[]) => readonly unknown[]) | undefined;
  /** If a file of this scope exists, even a broken one, no other file of the host counts. */
  readonly exclusiveScope?: DefinitionScope | undefined;
  /** Entries of this scope are the same server as a stronger entry of another scope with the same endpoint, even within the host. */
  readonly endpointScope?: DefinitionScope | undefined;
  readonly lists?: ReadLists | undefined;
  /**
   * Explains why the host accepts what is a syntax error here, and what to do. Given the rest of the line, from the character
   * before the error on.
   */
  readonly causeOfFault?: ((text: string) => string | undefined) | undefined;
  /** Whether the host reads a project's files in a folder. Default: it does. */
  readonly trustsProject?:
    | ((documents: readonly HostDocument[], folder: string, context: FindingContext) => boolean)
    | undefined;
  /** The kinds of the user's files in which an empty file is a problem, because what they do not mention is trusted. Default: none. */
  readonly trustFiles?: readonly string[] | undefined;
}

/** Servers in one map, under one key or a path of keys. */
export function serversUnder(...path: readonly string[]): FindServers {
  return () => [{ path }];
}

/**
 * Servers under a key, or else in the root itself. Once a member of the root looks like a server, all other members count as
 * entries, so that faulty ones are reported.
 *
 * @param isBeside - what else the host has in the root; keys that begin with `$` or `_` are never servers
 */
export function serversUnderOrBare(
  key: string,
  isBeside: (name: string, value: unknown) => boolean = () => false,
): FindServers {
  const isEntry = (value: unknown, name: string) => !/^[$_]/.test(name) && !isBeside(name, value);
  return (root) => {
    const isServer = (name: string) => isEntry(root[name], name) && looksLikeServer(root[name]);
    const isBare = !Object.hasOwn(root, key) && Object.keys(root).some(isServer);
    return [isBare ? { path: [], isServer: isEntry } : { path: [key] }];
  };
}

/** Whether a value has a field that only servers have. */
export function looksLikeServer(value: unknown): boolean {
  return isRecord(value) && ["command", "url", "type"].some((field) => Object.hasOwn(value, field));
}
