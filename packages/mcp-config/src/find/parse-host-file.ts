import type { ServerDefinition } from "@jackfield/mcp-core";
import type { WrittenServer } from "../entry/written-server.ts";
import { createMap } from "../read/json-value.ts";
import type { Environment } from "../resolve/safe-environment.ts";
import type { ConfigDiagnostic } from "./diagnostics.ts";

/** The ids of all hosts. They stand apart from the tables of the hosts, which a program loads only if it reads a file of one. */
export const HOST_IDS: readonly string[] = [
  "jackfield",
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "opencode",
  "windsurf",
  "zed",
  "copilot-cli",
  "cline",
  "roo",
  "continue",
  "amp",
  "goose",
  "kiro",
  "lm-studio",
  "junie",
  "warp",
  "crush",
  "omp",
  "mcporter",
  "inspector",
  "claude-plugin",
  "vscode-mcp-json",
  "agent-plugins",
  "mcpb",
  "registry",
  "sep-2633",
];

/** What to parse. */
export interface ParseHostFileOptions {
  /** The host in whose dialect it is read, for example `claude-code`. */
  readonly host: string;
  /** The path of the file; with `text`, nothing is read there. A relative path is relative to the working directory. */
  readonly file: string;
  /** The content of the file, which is then not read. */
  readonly text?: string | undefined;
  /** Files of weaker layers of the same host, the strongest first. Default none. */
  readonly beneath?: readonly string[] | undefined;
  /** The project whose local servers are read, if a file holds several projects. Default: the first one in the file. */
  readonly cwd?: string | undefined;
  /** If given, references to variables that it does not have are remarked on. */
  readonly env?: Environment | undefined;
  /** A larger file is not read, in bytes. Default 16 MiB. */
  readonly maxFileBytes?: number | undefined;
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

/** One of several ways to reach a server. */
export interface LaunchOption {
  /** Identifies the option, for example `npm:@acme/weather-mcp@1.0.2` or `remote:0`. */
  readonly id: string;
  /** As the file has it. What is still missing is in `requires`. */
  readonly written: WrittenServer;
  /** Ready to be resolved, once what it requires is given. */
  readonly definition: ServerDefinition;
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
  const { parseSingleFile } = await import("./search.ts");
  return parseSingleFile(options);
}

/** A server as a plain record: the fields that its transport always has, and the others that the file has. */
export type DescribedServer = { readonly [field: string]: unknown };

/**
 * Servers by name, as plain data for people and programs. `transport` and `enabled` are always there, as are `command`, `args` and
 * `env`, or `url` and `headers`; other fields only if the file has them. Values are as written and may be secret. A server that can
 * be reached in several ways is `{ $options: [...] }`, each with its `id`. `$requires` lists what has to be given first.
 */
export function describeServers(servers: readonly ParsedServer[]): { [name: string]: DescribedServer } {
  const described = createMap<DescribedServer>();
  for (const { name, written, options } of servers) {
    described[name] = options
      ? { $options: options.map(({ id, written: own }) => ({ id, ...describeServer(own) })) }
      : describeServer(written);
  }
  return described;
}

function describeServer({ transport, requires, ...written }: WrittenServer): DescribedServer {
  const always = transport === "stdio" ? { args: [], env: {} } : { headers: {} };
  const described: { [field: string]: unknown } = { transport, ...always };
  if (requires) described.$requires = requires;
  for (const [field, value] of Object.entries(written)) if (value !== undefined) described[field] = value;
  return described;
}
