import type { DefinedIn, DefinitionScope, ToolFilter } from "@jackfield/mcp-core";
import type { Report } from "../diagnostic-codes.ts";
import type { ConfigDocument, ConfigFormat } from "../documents/config-document.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import type { EntryDialect } from "../entries/entry-dialect.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { Environment } from "../safe-environment.ts";
import type { VariableDialect } from "../variables.ts";

/** What the places of a host's files depend on, and nothing else. All paths are absolute. */
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
  /** What would stand in the file, where the host has it in a variable instead. Then nothing is read. */
  readonly text?: string | undefined;
  /** The project or extension that the file belongs to. Default: the directory of the file. */
  readonly root?: string | undefined;
  /** Whether one segment of the path is `*`, which stands for every name. The root is then what lies up to that name. */
  readonly isPattern?: boolean | undefined;
  /** How a name may end that a pattern stands for; others are passed over. Default: as the segment of the pattern does. */
  readonly endings?: readonly string[] | undefined;
  /** Whether a pattern stands for names that begin with a dot as well. Default: it does. */
  readonly standsForHidden?: boolean | undefined;
  /** Whether a pattern that ends in a name stands for folders as well, which then are files that cannot be read. Default: it does. */
  readonly standsForFolders?: boolean | undefined;
}

/** A kind of file that a host reads. */
export interface HostFile {
  /** What it is called within its host, for example `project`. */
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The strongest first. A file that does not exist is no fault. */
  paths(at: HostSurroundings): readonly HostPath[];
  /** The host by whose rules it is read, if another one's. */
  readonly writtenFor?: string | undefined;
  /** Default: the host's. */
  readonly format?: ConfigFormat | undefined;
  /** Why the file is reported and never read: it is a program. Default: it is read. */
  readonly script?: string | undefined;
  /** Where servers stand in it; `none` in files that only say something about servers. Default: the host's. */
  readonly servers?: FindServers | "none" | undefined;
  /** Files of the host named by this file, such as those of installed plugins. `folder` is the extension it belongs to. */
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
  /** Whether the file was named by its extension: it must be there, and inside of the root. */
  readonly isNamed?: boolean | undefined;
}

/** A value in a document that holds servers: a map by name, a list, or a single server. */
export interface ServersPlace {
  readonly path: JsonPath;
  /** The name of the one server that stands here, where no key and no field says it. */
  readonly name?: string | undefined;
  /**
   * Names the elements of a list that are different ways to reach the one server, of which somebody picks one. Only a file that
   * is looked at by itself has these.
   */
  readonly optionOf?: ((element: unknown, index: number) => string) | undefined;
  /** Default: the file's. */
  readonly scope?: DefinitionScope | undefined;
  /** The field of each element that holds its name, for a list. */
  readonly nameField?: string | undefined;
  /** Which members of a map are servers, where it holds other things too. Default all. */
  readonly isServer?: ((value: unknown, name: string) => boolean) | undefined;
  /** It holds no servers, but names the files in which they stand: what is to be said of that. */
  readonly elsewhere?: readonly string[] | undefined;
  /** Members of the document that stand elsewhere and belong to the one server here. */
  readonly beside?: JsonMap | undefined;
  /** Whether entries here replace weaker ones of their name where the host otherwise merges field by field. */
  readonly replaces?: boolean | undefined;
}

/** What finding servers may depend on besides the document. */
export interface FindingContext {
  /** The folders of the project, the nearest first. */
  readonly folders: readonly string[];
  /** One file is looked at by itself: where it holds several projects and none is meant, the first is shown. */
  readonly isSingleFile: boolean;
  /** What an entry is read for that says different things for different systems. */
  readonly platform: NodeJS.Platform;
  /** Where lists look variables up that entries refer to. Missing where it is not known. */
  readonly env?: Environment | undefined;
  /** Tells whose servers were chosen. */
  remark(code: "project-chosen", path: JsonPath, text: string): void;
}

/** The places where servers may stand, the strongest first; those that do not exist are passed over. */
export type FindServers = (root: JsonMap, context: FindingContext, file?: string) => readonly ServersPlace[];

/** A document of a host, as far as rules about servers need it. */
export interface HostDocument {
  readonly kind: string;
  readonly scope: DefinitionScope;
  /** The project or extension it belongs to. */
  readonly root?: string | undefined;
  readonly file?: string | undefined;
  /** Without members where the file is broken. */
  readonly content: JsonMap;
  /** Whether the file is there and cannot be read, so that nobody knows what it says. Only files with a say in which servers are used are known then. */
  readonly isBroken?: boolean | undefined;
  /** Tells where something in it stands. */
  readonly document?: Pick<ConfigDocument, "locate"> | undefined;
}

/** A server about which a host's lists are asked. */
export interface ListedServer {
  readonly name: string;
  readonly written: WrittenServer;
  readonly definedIn: DefinedIn;
  /** The kind of file it stands in. */
  readonly kind: string;
}

/** What a host's lists say of a server. */
export interface ListVerdict {
  /** The list that switches it off. */
  readonly disabledBy?: string | undefined;
  /** Why it does, where its name does not say that. */
  readonly because?: string | undefined;
  /** A list of the user's own switches it on, whatever the entry says. */
  readonly isSwitchedOn?: boolean | undefined;
  /** What is said about its tools outside the entry; its `include` takes the place of the entry's. */
  readonly tools?: ToolFilter | undefined;
  /** Times for what the entry says none of. */
  readonly times?: Pick<WrittenServer, "connectTimeoutMs" | "timeoutMs"> | undefined;
}

/** Makes a question of what the documents say about servers outside their entries, the strongest document first. */
export type ReadLists = (
  documents: readonly HostDocument[],
  context: FindingContext,
  report: Report,
) => (server: ListedServer) => ListVerdict | undefined;

/** How a host keeps its servers. One record for each host. */
export interface HostDialect {
  /** Kebab-case; what users name the host by. */
  readonly id: string;
  /** What people call it. */
  readonly title: string;
  readonly format: ConfigFormat;
  /** The strongest first. */
  readonly files: readonly HostFile[];
  /** What a file counts as that is looked at by itself, where no file of the host has its name. Default `user`. */
  readonly scope?: "user" | "extension" | undefined;
  readonly servers: FindServers;
  readonly entry: EntryDialect;
  readonly variables: VariableDialect;
  /**
   * How entries of one name in several of its files become one: the strongest as a whole, or field by field. Default
   * `entries`.
   */
  readonly merge?: "entries" | "fields" | undefined;
  /** Fields of which, where entries are joined, the strongest layer does not simply win: what becomes of the two values. */
  readonly joins?: { readonly [field: string]: (stronger: unknown, weaker: unknown) => unknown } | undefined;
  /** What counts of each layer, where entries are joined, the strongest first. Default: everything. */
  readonly fitLayers?: ((layers: readonly unknown[]) => readonly unknown[]) | undefined;
  /** If a file of this scope exists, even a broken one, no other file of the host counts. */
  readonly exclusiveScope?: DefinitionScope | undefined;
  /** Whether entries of one endpoint are one server even within the host, for entries of this scope. */
  readonly endpointScope?: DefinitionScope | undefined;
  readonly lists?: ReadLists | undefined;
  /** Why the host can read what cannot be read here, and what to do: of the rest of a line from the character before the fault on. */
  readonly causeOfFault?: ((text: string) => string | undefined) | undefined;
  /** Whether the host reads a project's files in a folder. Default: it does. */
  readonly trustsProject?:
    | ((documents: readonly HostDocument[], folder: string, context: FindingContext) => boolean)
    | undefined;
  /** The kinds of the user's files of which that is a fault if they are empty: what they do not say is trusted. Default: none. */
  readonly trustFiles?: readonly string[] | undefined;
}

/** Servers in one map, under one key or a path of keys. */
export function serversUnder(...path: readonly string[]): FindServers {
  return () => [{ path }];
}

/**
 * Servers under a key, or else in the root itself. Once a member of the root looks like a server, the others are entries too, so that
 * faulty ones are told of.
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
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && ["command", "url", "type"].some((field) => Object.hasOwn(value, field));
}
