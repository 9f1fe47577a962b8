import {
  type DefinedIn,
  type McpError,
  type ServerDefinition,
  type SourceLocation,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ConfigDiagnostic, Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { EntryPlace } from "../entries/entry-place.ts";
import { readServerEntry } from "../entries/server-entry.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { quote } from "../server-name.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** Where something in an entry stands, and what the file calls it. */
export interface WrittenPlace {
  readonly path: JsonPath;
  readonly location: SourceLocation;
}

/** One name in a source: a server, or the reason why its entry is none. */
export interface SourceEntry {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** Which of several ways to reach one server this is. */
  readonly option?: string | undefined;
  /** Where something in it stands, by Jackfield's own name of it. Known where a file is looked at by itself. */
  readonly locate?: ((path: JsonPath) => WrittenPlace) | undefined;
  /** What takes its place where it is joined with a project's part, and the project's part is not to count. */
  readonly withoutProject?: SourceEntry | undefined;
  readonly outcome:
    | { readonly definition: ServerDefinition; readonly written?: WrittenServer | undefined }
    | { readonly error: McpError };
}

/** What one file, one host or the `servers` option had to say. */
export interface ServerSource {
  /** The strongest first; a name may occur more than once. */
  readonly entries: readonly SourceEntry[];
  /** What could not be used as a whole. */
  readonly problems: readonly ConfigProblem[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** Reads one entry; a fault becomes the entry's outcome, so that its neighbours are read as well. */
export function readSourceEntry(entry: unknown, place: EntryPlace, report: Report): SourceEntry {
  const { name, definedIn } = place;
  try {
    return { name, definedIn, outcome: readServerEntry(entry, place, report) };
  } catch (cause) {
    const text = `Server ${quote(name)}: its entry cannot be read.`;
    const details = { server: name, phase: "config", location: definedIn } as const;
    return { name, definedIn, outcome: { error: toMcpError(cause, "MCP_CONFIG_INVALID", text, details) } };
  }
}
