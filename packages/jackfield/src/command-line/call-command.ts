import type { Readable } from "node:stream";
import {
  type ContentBlock,
  type JsonObject,
  McpError,
  type ServerSnapshot,
  type ToolCallResult,
  type ToolRef,
} from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { parseJson } from "./arguments.ts";
import type { CommandResult } from "./command-result.ts";
import { untilInterrupted } from "./interruption.ts";
import { unknownTools, untilListed } from "./late-servers.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { printable } from "./terminal.ts";
import { whyUnused } from "./unused-server.ts";

export interface CallOptions {
  readonly tool: ToolRef;
  /** The tool's arguments. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export async function call(
  mcp: Pick<Mcp, "callTool">,
  { tool, input, signal }: CallOptions,
): Promise<CommandResult> {
  const result = await mcp.callTool(tool, input as JsonObject, { signal });
  const { content, structuredContent, isError = false } = result;
  return { json: { content, structuredContent, isError }, text: asText(result), exitCode: isError ? 2 : 0 };
}

export interface InputOptions {
  /** Standard input; a function, because accessing it opens it. */
  readonly stdin: () => Readable;
  /** Stops reading. */
  readonly signal: AbortSignal;
}

/**
 * The tool's arguments: JSON, or `-` to read it from standard input.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid JSON, and the signal's reason
 */
export async function readInput(
  input: string | undefined,
  { stdin, signal }: InputOptions,
): Promise<unknown> {
  if (input === undefined) return {};
  return parseJson(
    input === "-" ? await readAll(stdin(), signal) : input,
    "The JSON of the tool's arguments",
  );
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const { text } = await import("node:stream/consumers");
  // A stream that is still open would keep the process alive.
  const close = () => stdin.destroy();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    return await untilInterrupted(text(stdin), signal);
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/**
 * Finds a tool by its exposed name, or by its original name if only one server has it. Before it refuses a name, it waits for servers whose
 * tools are not known yet, and starts lazy servers that may have the tool.
 *
 * @param places - the options of this command, for the command that is advised
 * @throws McpError `MCP_TOOL_UNKNOWN`, and the signal's reason
 */
export async function findTool(
  mcp: Mcp,
  name: string,
  signal: AbortSignal,
  places: CommandPlaces = {},
): Promise<ToolRef> {
  await untilListed(mcp, { isEnough: () => namesOf(mcp, name).length > 0, signal });
  if (namesOf(mcp, name).length === 0) {
    const isWanted = (server: ServerSnapshot) => !isExposed(name) || mayNameToolOf(server.name, name);
    await startLazyServers(mcp, signal, isWanted);
  }
  const found = namesOf(mcp, name);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw new McpError("MCP_TOOL_UNKNOWN", `No tool is called "${name}"${hintOn(mcp, name, found, places)}`, {
    tool: name,
    outcome: "not-sent",
  });
}

function hintOn(mcp: Mcp, name: string, found: readonly string[], places: CommandPlaces): string {
  if (found.length > 0) return `; several servers have one: ${found.join(", ")}.`;
  const unknown = mcp.servers().flatMap((server) => unknownTools(server) ?? []);
  const unused = mcp.report.blocked.filter((server) => mayNameToolOf(server.name, name));
  const { waiting = [], other = [] } = Object.groupBy(unused, ({ by }) =>
    by === "approval" ? "waiting" : "other",
  );
  // The text ends with a command to copy, so it names at most one server that waits for approval.
  const reasons = [...other, ...waiting.slice(0, 1)].map((server) => whyUnused(server, places));
  const told = [...unknown, ...reasons].map((text) => ` ${text}`).join("");
  return `; "${nextCommand("tools", places)}" lists the available tools.${told}`;
}

/** Whether a name has the form of an exposed name, which includes the server. */
function isExposed(name: string): boolean {
  return name.startsWith("mcp__");
}

/**
 * Whether the manager could give this exposed name to a tool of the server. For a server that is not in use this is a guess: a server part
 * that is too long, or taken by another server, ends with a hash.
 */
export function mayNameToolOf(server: string, name: string): boolean {
  const safe = server.replace(/[^A-Za-z0-9_-]/g, "_").replace(/_{2,}/g, "_");
  const part = safe.replace(/^_+|_+$/g, "") || "server";
  if (name.startsWith(`mcp__${part}__`)) return true;
  const hashed = `mcp__${part.slice(0, 23).replace(/[_-]+$/, "")}`;
  return name.startsWith(hashed) && /^_[0-9a-f]{8}__/.test(name.slice(hashed.length));
}

/** The exposed names of the tools that a name may mean. */
function namesOf(mcp: Mcp, name: string): readonly string[] {
  const tools = mcp.tools();
  if (tools.some((tool) => tool.name === name)) return [name];
  return tools.filter((tool) => tool.originalName === name).map((tool) => tool.name);
}

function asText({ content, structuredContent }: ToolCallResult): string {
  const parts = content.map(blockText);
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(JSON.stringify(structuredContent, undefined, 2));
  return parts.map((part) => `${printable(part)}\n`).join("");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`;
    case "resource_link":
      return `[link ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return JSON.stringify(block);
  }
}
