import {
  type DefinedIn,
  type McpError,
  type ServerDefinition,
  type SourceLocation,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ConfigDiagnostic, Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { EntryContext } from "../entries/entry-context.ts";
import { readServerEntry } from "../entries/server-entry.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { ServerBlock } from "../filters/server-filters.ts";
import { quote } from "../server-name.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** The location of something in an entry, and its path in the file's own names. */
export interface WrittenLocation {
  readonly path: JsonPath;
  readonly location: SourceLocation;
}

/** One entry of a source: a server, or the reason why it is none. */
export interface SourceEntry {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** The id of this way to reach the server, if there are several. */
  readonly option?: string | undefined;
  /** Finds something in the entry by Jackfield's own field names. Set if a file is parsed by itself. */
  readonly locate?: ((path: JsonPath) => WrittenLocation) | undefined;
  /** What keeps the entry from being used, whatever else is decided. */
  readonly block?: ServerBlock | undefined;
  /** What the entry replaces in weaker files, if its host otherwise joins them. */
  readonly replaced?: readonly SourceEntry[] | undefined;
  /** If a project has a part in the entry: the entry to use when that part does not count. */
  readonly withoutProject?: SourceEntry | undefined;
  readonly outcome:
    | { readonly definition: ServerDefinition; readonly written?: WrittenServer | undefined }
    | { readonly error: McpError };
}

/** The content of one file, of one host or of the `servers` option. */
export interface ServerSource {
  /** The strongest first; a name may occur more than once. */
  readonly entries: readonly SourceEntry[];
  /** What could not be used, apart from single entries. */
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** Reads one entry; a fault becomes the entry's outcome, so that its neighbours are read as well. */
export function readSourceEntry(entry: unknown, context: EntryContext, report: Report): SourceEntry {
  const { name, definedIn } = context;
  try {
    return { name, definedIn, outcome: readServerEntry(entry, context, report) };
  } catch (cause) {
    return unreadableEntry(name, definedIn, cause);
  }
}

/** An entry whose reading threw; the outcome is what was thrown, or an error that it caused. */
export function unreadableEntry(name: string, definedIn: DefinedIn, cause: unknown): SourceEntry {
  const text = `Server ${quote(name)}: its entry cannot be read.`;
  const details = { server: name, phase: "config", location: definedIn } as const;
  return { name, definedIn, outcome: { error: toMcpError(cause, "MCP_CONFIG_INVALID", text, details) } };
}
