import {
  canonicalJson,
  type Implementation,
  type ServerSnapshot,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import { pinTool, type ToolPin } from "../pinning/tool-pin.ts";

/** The content of `mcp.lock`: the servers of a project, as they were committed. */
export interface McpLock {
  /** By the server's name. */
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** A server as it was when the lock was made. */
export interface LockedServer {
  /** The name and version that the server reported. Missing if unknown. */
  readonly version?: LockedVersion | undefined;
  /** By original name. */
  readonly tools: ReadonlyMap<string, ToolPin>;
}

/** A server's own name and version, as it introduces itself. */
export type LockedVersion = Pick<Implementation, "name" | "version">;

/** The fields of an entry of `mcp.servers()` that a lock needs. */
export interface LockableServer extends Pick<ServerSnapshot, "name" | "toolsFrom"> {
  /** The name and version that the server reports. Without it the lock holds no version, and none is compared. */
  readonly serverInfo?: Implementation | undefined;
}

/** The input of a lock or of a comparison with one: the results of `mcp.servers()` and `mcp.tools()`. */
export interface LockableTools {
  readonly servers: readonly LockableServer[];
  readonly tools: readonly ToolDescriptor[];
}

/** The version of the file format. */
export const LOCK_VERSION = 1;

/**
 * Locks the servers as they are now. Includes only servers that listed their tools in this run, since the catalog may be out of
 * date.
 */
export function lockOf({ servers, tools }: LockableTools): McpLock {
  const live = servers.filter(({ toolsFrom }) => toolsFrom === "live");
  return {
    servers: new Map(
      live.map(({ name, serverInfo }) => {
        const own = tools.filter(({ server }) => server === name);
        return [name, { version: versionOf(serverInfo), tools: pinsOf(own) }];
      }),
    ),
  };
}

/**
 * Formats the lock as JSON with sorted keys, so that the same tools give the same bytes and a diff shows changes line by line.
 * Each tool is written with its pinned fields and its digest.
 */
export function formatLock({ servers }: McpLock): string {
  const written = [...servers].map(([name, { version, tools }]) => [
    name,
    {
      ...(version === undefined ? {} : { version }),
      tools: Object.fromEntries([...tools].map(([tool, pin]) => [tool, { ...pin.tool, digest: pin.digest }])),
    },
  ]);
  const lock = { lockVersion: LOCK_VERSION, servers: Object.fromEntries(written) };
  return `${JSON.stringify(JSON.parse(canonicalJson(lock)), null, 2)}\n`;
}

function versionOf(info: Implementation | undefined): LockedVersion | undefined {
  return info === undefined ? undefined : { name: info.name, version: info.version };
}

function pinsOf(tools: readonly ToolDescriptor[]): ReadonlyMap<string, ToolPin> {
  return new Map(tools.map((tool) => [tool.originalName, pinTool(tool)]));
}
