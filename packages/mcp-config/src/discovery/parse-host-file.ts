import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import type { ConfigDiagnostic } from "../diagnostic-codes.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { Environment } from "../safe-environment.ts";
import type { LaunchOption } from "./launch-options.ts";

/** What to parse. */
export interface ParseHostFileOptions {
  /** In whose dialect, for example `claude-code`. */
  readonly host: string;
  /** The file; with `text`, only its name in messages. A relative path is relative to the working directory. */
  readonly file: string;
  /** What the file holds; then nothing is read. */
  readonly text?: string | undefined;
  /** Weaker layers of the same host, the strongest first, as if the project were trusted. Default none. */
  readonly beneath?: readonly string[] | undefined;
  /** The project whose local servers are meant, where a file holds several projects. Default: the first one in the file. */
  readonly cwd?: string | undefined;
  /**
   * Where lists of the host look up what servers refer to. Default: nobody knows what a reference stands for, so a list that denies means
   * whatever it may turn out to be. If given, references to variables that it does not have are remarked on.
   */
  readonly env?: Environment | undefined;
  /** A larger file is not read. Default 16 MiB. */
  readonly largestBytes?: number | undefined;
  /** For which system an entry is read that says different things for several. Default the one this runs on. */
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

/** What a file says. */
export interface ParsedHostFile {
  readonly servers: readonly ParsedServer[];
  /** Problems included: an error says that the file, or a server, was lost. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/**
 * Reads one file in the dialect of a host. It looks at no other file and executes nothing. What lies where the host looks for a
 * project's file is a project's, unless it is the user's own by lying in his home; a file elsewhere is taken for the user's own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a host that is not known and an option of the wrong kind; what is wrong with the file is a diagnostic.
 */
export async function parseHostFile(options: ParseHostFileOptions): Promise<ParsedHostFile> {
  checkKinds(options);
  // Most programs look for servers instead.
  const { parseSingleFile } = await import("./single-host-file.ts");
  return parseSingleFile(options);
}

const isString = (value: unknown) => typeof value === "string";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What options that may come from untyped code must be. */
const KINDS: Readonly<
  Record<keyof ParseHostFileOptions, { readonly what: string; fits(value: unknown): boolean }>
> = {
  host: { what: "a string", fits: isString },
  file: { what: "a path", fits: (value) => isString(value) && value !== "" },
  text: { what: "a string", fits: isString },
  beneath: { what: "a list of paths", fits: (value) => Array.isArray(value) && value.every(isString) },
  cwd: { what: "a path", fits: isString },
  env: { what: "an object", fits: isObject },
  largestBytes: { what: "a number", fits: (value) => typeof value === "number" && value >= 0 },
  platform: { what: "the name of a system", fits: isString },
};
const REQUIRED: readonly string[] = ["host", "file"];

function checkKinds(options: unknown): void {
  if (!isObject(options)) throw invalid("The options of parseHostFile must be an object.");
  for (const [name, { what, fits }] of Object.entries(KINDS)) {
    const value: unknown = options[name as keyof typeof options];
    if (value === undefined && !REQUIRED.includes(name)) continue;
    if (!fits(value)) throw invalid(`Option "${name}" of parseHostFile must be ${what}.`);
  }
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
