import type { ServerDefinition } from "@jackfield/mcp-core";
import type { ConfigDiagnostic } from "../diagnostic-codes.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { Environment } from "../safe-environment.ts";
import type { LaunchOption } from "./launch-options.ts";

/** What to parse. */
export interface ParseHostFileOptions {
  /** The host in whose dialect it is read, for example `claude-code`. */
  readonly host: string;
  /** The path of the file; with `text`, nothing is read there. A relative path is relative to the working directory. */
  readonly file: string;
  /** The content of the file, which is then not read. */
  readonly text?: string | undefined;
  /** Files of weaker layers of the same host, the strongest first, as if the project were trusted. Default none. */
  readonly beneath?: readonly string[] | undefined;
  /** The project whose local servers are read, if a file holds several projects. Default: the first one in the file. */
  readonly cwd?: string | undefined;
  /**
   * Values of references, for the lists of the host. Default: no value is known, so a list that denies also covers servers that may
   * match once expanded. If given, references to variables that it does not have are remarked on.
   */
  readonly env?: Environment | undefined;
  /** A larger file is not read. Default 16 MiB. */
  readonly largestBytes?: number | undefined;
  /** The platform for which entries are read that differ by platform. Default the one this runs on. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** A server of a file. */
export interface ParsedServer {
  readonly name: string;
  /** As the file has it, in one shape for all hosts. */
  readonly written: WrittenServer;
  /** Ready to be resolved. */
  readonly definition: ServerDefinition;
  /** The ways to reach it, where the file gives a choice. `written` and `definition` are then those of the first one. */
  readonly options?: readonly LaunchOption[] | undefined;
}

/** The result of parsing a file. */
export interface ParsedHostFile {
  readonly servers: readonly ParsedServer[];
  /** Problems included. An error means that the file, a server or a variable of one was lost. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/**
 * Reads one file in the dialect of a host. It reads no other file but those in `beneath`, and executes nothing. A file where the
 * host looks for a project's file is a project's, unless it is the user's own in the home directory; a file elsewhere counts as the
 * user's own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown host, an option of the wrong type, and a relative path in a working directory
 * that was removed; faults of the file are diagnostics.
 */
export async function parseHostFile(options: ParseHostFileOptions): Promise<ParsedHostFile> {
  // Loaded on demand: most programs look for servers instead.
  const { parseSingleFile } = await import("./single-host-file.ts");
  return parseSingleFile(options);
}
