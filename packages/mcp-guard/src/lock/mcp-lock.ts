import {
  canonicalJson,
  type Implementation,
  isRecord,
  McpError,
  type ServerSnapshot,
  type SourceLocation,
  type ToolDescriptor,
  thrownMessage,
} from "@jackfield/mcp-core";
import { parsePin, pinTool, type ToolPin } from "../pinning/tool-pin.ts";

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
const LOCK_VERSION = 1;

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

/** How a lock is read. */
export interface ParseLockOptions {
  /** The file name for error messages. Default `mcp.lock`. */
  readonly file?: string | undefined;
}

/**
 * Reads what `formatLock` wrote. Digests are recomputed: one that does not match its tool was edited by hand or came from a
 * merge, and is refused.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with the location, as far as it is known.
 */
export function parseLock(text: string, { file = "mcp.lock" }: ParseLockOptions = {}): McpLock {
  const refuse: Refuse = (what, path) => {
    const location = { file, ...locate(text, path) };
    const line = location.line === undefined ? "" : `:${location.line}`;
    const message = `${file}${line} cannot be used: ${what}. Create it again, or restore it from version control.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location });
  };
  const lock = parseJson(text, file);
  if (!isRecord(lock)) return refuse("it is not a JSON object", []);
  if (lock.lockVersion !== LOCK_VERSION)
    refuse(`"lockVersion" must be ${LOCK_VERSION}; another version of Jackfield made it`, ["lockVersion"]);
  if (!isRecord(lock.servers)) return refuse(`"servers" must be an object`, ["servers"]);
  const servers = Object.entries(lock.servers).map(([name, server]): [string, LockedServer] => [
    name,
    readServer(name, server, refuse),
  ]);
  return { servers: new Map(servers) };
}

type Refuse = (what: string, path: readonly string[]) => never;

function readServer(name: string, server: unknown, refuse: Refuse): LockedServer {
  const path = ["servers", name];
  if (!isRecord(server) || !isRecord(server.tools)) {
    return refuse(`server ${JSON.stringify(name)} must be an object with "tools"`, path);
  }
  const tools = Object.entries(server.tools).map(([tool, value]): [string, ToolPin] => [
    tool,
    readTool(name, tool, value, refuse),
  ]);
  return { version: readVersion(server.version, path, refuse), tools: new Map(tools) };
}

function readVersion(version: unknown, path: readonly string[], refuse: Refuse): LockedVersion | undefined {
  if (version === undefined) return undefined;
  if (!isRecord(version)) return refuse(`"version" must be an object`, [...path, "version"]);
  const { name, version: number } = version;
  if (typeof name === "string" && typeof number === "string") return { name, version: number };
  return refuse(`"version" must hold "name" and "version"`, [...path, "version"]);
}

function readTool(server: string, name: string, value: unknown, refuse: Refuse): ToolPin {
  const path = ["servers", server, "tools", name];
  const pin = parsePin(server, value);
  if (pin === undefined || pin.tool.name !== name)
    return refuse(`tool ${JSON.stringify(name)} is not described`, path);
  if (!isRecord(value) || value.digest !== pin.digest)
    return refuse(`the digest of tool ${JSON.stringify(name)} does not match its description`, path);
  return pin;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = thrownMessage(error);
    const at = /at position (\d+)/.exec(reason)?.[1];
    const line = lineAt(text, at === undefined ? text.length : Number(at));
    const message = `${file}:${line} is not JSON: ${reason.slice(0, 200)}. Restore it from version control.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", location: { file, line } });
  }
}

/** Locates a path by searching for its keys in order. The line is a best guess: an earlier member may have the same name. */
function locate(text: string, path: readonly string[]): SourceLocation {
  let at = 0;
  for (const member of path) {
    const found = text.indexOf(`${JSON.stringify(member)}:`, at);
    if (found < 0) return {};
    at = found;
  }
  const pointer = path.map((member) => `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return path.length === 0 ? {} : { line: lineAt(text, at), pointer };
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
