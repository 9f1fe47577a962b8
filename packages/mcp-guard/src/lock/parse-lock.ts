import { isRecord, McpError, type SourceLocation, thrownMessage } from "@jackfield/mcp-core";
import { parsePin, type ToolPin } from "../pinning/tool-pin.ts";
import { LOCK_VERSION, type LockedServer, type LockedVersion, type McpLock } from "./mcp-lock.ts";

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
