import type { Implementation, ServerSnapshot, ToolDescriptor } from "@jackfield/mcp-core";
import { canonicalJson } from "../pinning/tool-digest.ts";
import { pinTool, type ToolPin } from "../pinning/tool-pin.ts";

/** What a project has committed of its servers: `mcp.lock`. */
export interface McpLock {
  /** By the server's name. */
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** A server as it was when the lock was made. */
export interface LockedServer {
  /** What the server said it was. Missing where it was not known. */
  readonly version?: LockedVersion | undefined;
  /** By original name. */
  readonly tools: ReadonlyMap<string, ToolPin>;
}

/** A server's own name and version, as it introduces itself. */
export type LockedVersion = Pick<Implementation, "name" | "version">;

/** What `mcp.servers()` tells of a server, as far as a lock is concerned. */
export interface LockableServer extends Pick<ServerSnapshot, "name" | "toolsFrom"> {
  /** What the server said it is. Without it the lock holds no version, and none is compared. */
  readonly serverInfo?: Implementation | undefined;
}

/** What is locked, or compared with a lock: what `mcp.servers()` and `mcp.tools()` give. */
export interface LockableTools {
  readonly servers: readonly LockableServer[];
  readonly tools: readonly ToolDescriptor[];
}

/** The version of the file's form. */
export const LOCK_VERSION = 1;

/**
 * The servers as they are now. Only those that have listed their tools themselves in this run: what is known from the catalog
 * may be what they were.
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
 * The lock as text: JSON with everything in the order of its name, so that the same tools give the same bytes and a review
 * shows what changed line by line. Of each tool it holds the digest and the pinned fields.
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
