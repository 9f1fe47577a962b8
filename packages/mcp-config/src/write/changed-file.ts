import { McpError } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { type SurroundingsOptions, surroundingsOf } from "../find/surroundings.ts";
import type { HostDialect } from "../hosts/host-dialect.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import type { JsonMap } from "../read/json-value.ts";
import type { NewServer } from "./change-servers.ts";

/** What is changed about a server in a file. `replaces`: also if there is one of that name. */
export type ServerChange =
  | { readonly kind: "add"; readonly name: string; readonly server: NewServer; readonly replaces?: boolean }
  | { readonly kind: "remove" | "enable" | "disable"; readonly name: string };

/** The change, and the file in which it is made. */
export interface ChangeServersOptions extends ServersFileOptions {
  readonly change: ServerChange;
}

/** A file with a change that is not written yet. */
export interface ChangedServersFile {
  readonly host: string;
  /** The host's name for people. */
  readonly title: string;
  readonly file: string;
  /** The whole new text. */
  readonly text: string;
  /** The entry after the change; `undefined` if it was removed. */
  readonly entry: JsonMap | undefined;
  /** False if the file says so already. */
  readonly isChanged: boolean;
  /** Whether the file does not exist yet, or is empty. */
  readonly isNew: boolean;
}

/**
 * A file of servers with one of them added, removed or switched, in the words of its host. Comments, order and indentation of the rest stay
 * as they are. Nothing is written.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a file that is not valid, a name that is taken, an entry that the host would not read, and a
 * host that is not one of `WRITABLE_HOSTS` or has no such file or switch; `MCP_SERVER_UNKNOWN` for a name that the file does not have
 */
export async function changeServersFile(options: ChangeServersOptions): Promise<ChangedServersFile> {
  // Loaded on demand: hardly any program writes.
  const { changedServers } = await import("../find/search.ts");
  return changedServers(options);
}

/** The file of a host in which servers are written. */
export interface ServersFileOptions extends SurroundingsOptions {
  /** One of `WRITABLE_HOSTS`. Default: `jackfield`. */
  readonly host?: string | undefined;
  /** Whether the project's file is meant, such as `.mcp.json`, and not the user's own. */
  readonly inProject?: boolean | undefined;
}

/** Your own `mcp.json`; `undefined` if it depends on a folder that is not known. The file need not exist. */
export function ownFile(options: SurroundingsOptions = {}): string | undefined {
  return fileOf(JACKFIELD, options);
}

/**
 * The file in which a host keeps the user's servers, or those of a project: of those upward of the working directory the nearest that exists,
 * else the one in it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if the host has no such file
 */
export function fileOfHost(dialect: HostDialect, { inProject = false, ...at }: ServersFileOptions): string {
  const file = fileOf(dialect, at, inProject);
  if (file !== undefined) return file;
  const kind = inProject ? "file of a project" : "file of yours";
  throw new McpError("MCP_CONFIG_INVALID", `${dialect.title} has no ${kind} that is known.`, {
    phase: "config",
  });
}

function fileOf(dialect: HostDialect, options: SurroundingsOptions, inProject = false): string | undefined {
  const at = surroundingsOf(options);
  const scope = inProject ? "project" : "user";
  const kind = dialect.files.find((file) => file.scope === scope && file.servers !== "none");
  const files = (kind?.paths(at) ?? []).filter(({ isPattern }) => isPattern !== true).map(({ file }) => file);
  return files.find((file) => inProject && fileSystem.existsSync(file)) ?? files[0];
}
