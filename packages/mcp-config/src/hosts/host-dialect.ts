import { type DefinitionScope, isRecord } from "@jackfield/mcp-core";
import type { EntryDialect } from "../entry/entry-dialect.ts";
import type { WrittenServer } from "../entry/written-server.ts";
import type { FileParts } from "../find/file-parts.ts";
import type { ConfigFormat } from "../read/document.ts";
import type { JsonMap, JsonPath } from "../read/json-value.ts";
import type { Environment } from "../resolve/safe-environment.ts";
import type { VariableDialect } from "../resolve/variables.ts";

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
  /** The name of the extension that the file belongs to, by which its host switches it. */
  readonly extension?: string | undefined;
  /** Whether one segment of the path contains `*`, which matches any characters. If that segment is a folder, it is the default root. */
  readonly isPattern?: boolean | undefined;
  /** How names that match a pattern may end. Default: as the segment of the pattern does. */
  readonly endings?: readonly string[] | undefined;
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
  /** Where the file holds servers; `none` for files that only say which servers are on. Default: the host's. */
  readonly servers?: FindServers | "none" | undefined;
  /** What of a JSON file is read where it is larger than configuration is, by paths; `*` is any name. Default: then nothing. */
  readonly parts?: FileParts | undefined;
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
  /** The project for which the user keeps these servers. Default: the file's. */
  readonly root?: string | undefined;
  /** The field of each element that holds its name, for a list. */
  readonly nameField?: string | undefined;
  /** Which members of a map are servers, where it holds other things too. Default all. */
  readonly isServer?: ((value: unknown, name: string) => boolean) | undefined;
  /** Remarks on a section that holds no servers but names the files that do. */
  readonly elsewhere?: readonly string[] | undefined;
  /** Members from elsewhere in the document that belong to the one server here. */
  readonly beside?: JsonMap | undefined;
}

/** What finding servers may depend on besides the document. */
export interface FindingContext {
  /** The folders of the project, the nearest first. Default none. */
  readonly folders?: readonly string[] | undefined;
  /** Where a search takes place. Missing where files are named. */
  readonly at?: HostSurroundings | undefined;
  /** Whether one file is parsed by itself. If it holds several projects and none is selected, the first is shown. */
  readonly isStandaloneFile?: boolean | undefined;
  /** The platform for which an entry is read, where it differs by platform. */
  readonly platform: NodeJS.Platform;
  /** Whether projects are switched off, so that their files switch nothing. */
  readonly ignoresProject?: boolean | undefined;
  /** Whether remarks on entries are made. */
  readonly remarks?: boolean | undefined;
  /** How many of `count` entries in a section of a project's file are used. Missing where nothing limits them. */
  readonly entriesOfProject?: ((file: string, section: JsonPath, count: number) => number) | undefined;
  /** Reports which project's servers were chosen. */
  readonly remark?: ((path: JsonPath, text: string) => void) | undefined;
}

/** The sections where servers may be, the strongest first; those that do not exist are skipped. */
export type FindServers = (root: JsonMap, context: FindingContext, file?: string) => readonly ServerSection[];

/** A document of a host, as far as what stands outside of its entries needs it. */
export interface HostDocument {
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The project or extension it belongs to. */
  readonly root?: string | undefined;
  readonly file: string;
  readonly content: JsonMap;
}

/** A place outside of the entries that switches servers on or off by their names. */
export interface SwitchPlace {
  /** The kinds of files that may have it. */
  readonly in: readonly string[];
  /** Where it stands; several paths if it depends on the project. */
  readonly path: JsonPath | ((root: JsonMap, context: FindingContext) => readonly JsonPath[]);
  /**
   * What stands there: a list of the names that are `off`, of those that are `on` whatever their entries say, of the `only` ones that
   * are used, or a map in which `false`, or an object whose `enabled` is `false`, switches a name off. `rules` are about more than names;
   * they are not applied, which is told.
   */
  readonly form: "off" | "on" | "only" | "map" | "rules";
  /** The member of an element that holds the name, where a list has objects. Elements without it are rules about more than names. */
  readonly nameField?: string | undefined;
  /** The scope of the entries that it switches; those of an extension by the extension's name. Default: every scope. */
  readonly of?: "project" | "extension" | undefined;
  /** Whether upper and lower case make no difference. */
  readonly ignoresCase?: boolean | undefined;
  /** What messages call it. */
  readonly title: string;
}

/** A remark on a file, at a path in it. */
export interface FileRemark {
  readonly code: "legacy-shape" | "missing-metadata" | "unread-profile";
  readonly path: JsonPath;
  readonly text: string;
}

/** What may be said of a server outside of its entry. */
export type CommonSettings = Pick<WrittenServer, "tools" | "timeoutMs" | "connectTimeoutMs">;

/** How a host keeps its servers. One record for each host. */
export interface HostDialect {
  /** The name by which users select the host, in kebab-case. */
  readonly id: string;
  /** The display name. */
  readonly title: string;
  readonly format: ConfigFormat;
  /** The strongest first. */
  readonly files: readonly HostFile[];
  /**
   * Where people put servers that the host does not read, although it looks like its place. Servers in them are told where remarks are
   * made. Default: nowhere.
   */
  readonly misplaced?: { readonly [scope in "user" | "project"]?: HostFile["paths"] } | undefined;
  /** The scope of a file that is parsed by itself and matches none of the host's files. Default `user`. */
  readonly scope?: "user" | "extension" | undefined;
  readonly servers: FindServers;
  readonly entry: EntryDialect;
  readonly variables: VariableDialect;
  /** How entries of one name in several of its files become one. Default: the strongest counts as a whole. */
  readonly layers?: "joined-by-field" | undefined;
  /** What switches servers on and off outside of their entries. Default: nothing. */
  readonly switches?: readonly SwitchPlace[] | undefined;
  /**
   * What is said of servers outside of their entries, by the server's name: tool filters, of which `include` replaces the entry's and
   * `exclude` is added to it, and times for entries that have none. Of a server that no project brought, a project's files say only which
   * tools are off. Default: nothing.
   */
  readonly settingsOf?:
    | ((documents: readonly HostDocument[], isOfProject: boolean) => (server: string) => CommonSettings)
    | undefined;
  /**
   * Files in which an administrator decides about the host's servers. If one is there, nothing of the host is read: its rules are not
   * applied here.
   */
  readonly administered?: ((at: HostSurroundings) => readonly HostPath[]) | undefined;
  /** Remarks on a file as a whole. */
  readonly remarksOnFile?: ((document: HostDocument) => readonly FileRemark[]) | undefined;
  /**
   * Explains why the host accepts what is a syntax error here, and what to do. Given the rest of the line, from the character
   * before the error on.
   */
  readonly causeOfFault?: ((text: string) => string | undefined) | undefined;
}

/** The files of a host, and those that only look like one. */
export function filesAndMisplaced({ files, misplaced = {} }: HostDialect): readonly HostFile[] {
  const { user, project } = misplaced;
  const none = { kind: "misplaced", servers: "none" } as const;
  return [
    ...files,
    ...(user === undefined ? [] : [{ ...none, scope: "user" as const, paths: user }]),
    ...(project === undefined ? [] : [{ ...none, scope: "project" as const, paths: project }]),
  ];
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
