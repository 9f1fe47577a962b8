import { type CallOptions, McpError, type ToolDescriptor, type ToolRef } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { detailsOf, unavailable } from "./call-error.ts";
import { createCallTime } from "./call-time.ts";
import type { FoundTool, ToolFinder } from "./found-tool.ts";
import { waitForListedServer } from "./server-wait.ts";
import { nearestNames, repairedTool } from "./tool-alias.ts";
import { isAlike, type ToolRegistry } from "./tool-registry.ts";

type ServerToolRef = Exclude<ToolRef, string>;

export interface ToolFinderOptions {
  readonly registry: ToolRegistry;
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly server: (name: string) => ManagedServer;
}

export function createToolFinder({ registry, server }: ToolFinderOptions): ToolFinder {
  return (ref, options) => {
    const tool =
      typeof ref === "string"
        ? (registry.get(ref) ?? repairedTool(ref, registry.known()) ?? refuseName(ref, registry))
        : registry.find(ref.server, ref.tool);
    if (tool?.origin === "live") return { tool, options, session: server(tool.server).openSession };
    return tool === undefined ? awaitTool(ref as ServerToolRef, options) : awaitLive(tool, options);
  };

  /**
   * A tool from the catalog may be out of date, and a call must be judged by the tool that will be called (threat T78). A server that
   * cannot list its tools is called all the same.
   */
  async function awaitLive(known: ToolDescriptor, options: CallOptions): Promise<FoundTool> {
    const owner = server(known.server);
    const time = createCallTime(options, owner.definition.limits ?? {});
    const session = await waitForListedServer({ tool: known, options }, time, owner);
    const tool = registry.find(known.server, known.originalName) ?? known; // Middleware may know why it is gone.
    return { tool, options: { ...options, ...time.left() }, session };
  }

  async function awaitTool(ref: ServerToolRef, options: CallOptions): Promise<FoundTool> {
    const owner = server(ref.server);
    const time = createCallTime(options, owner.definition.limits ?? {});
    using deadline = operationDeadline(owner, "list", { signal: options.signal, timeoutMs: time.waitMs() });
    try {
      await owner.ensureTools(deadline);
    } catch (thrown) {
      throw unavailable({ server: ref.server, originalName: ref.tool }, thrown);
    }
    const tool = registry.find(ref.server, ref.tool) ?? refuseTool(ref, registry);
    return { tool, options: { ...options, ...time.left() }, session: owner.openSession };
  }
}

/**
 * Refuses a tool that has changed since the call was judged (threat T78).
 *
 * @throws McpError `MCP_TOOL_UNKNOWN` if it is not on offer any more, `MCP_TOOL_CHANGED` if it is different.
 */
export function refuseIfOther(tool: ToolDescriptor, registry: ToolRegistry): void {
  const { server, originalName } = tool;
  const offered = registry.find(server, originalName);
  if (offered === undefined) throw goneTool(tool);
  if (offered === tool || isAlike(offered, tool)) return;
  const message = `Tool ${quoted(originalName)} of server ${quoted(server)} changed after its call was checked, while the server restarted or listed its tools again, so the call was not sent. A new call is checked against the tool as it is now.`;
  throw new McpError("MCP_TOOL_CHANGED", message, { ...detailsOf(tool), outcome: "not-sent" });
}

/**
 * Refuses a tool that only an earlier session listed: a server must not escape judgement by holding its list back.
 *
 * @throws McpError `MCP_SESSION_LOST`
 */
export function refuseIfUnlisted(tool: ToolDescriptor, registry: ToolRegistry): void {
  const { server, originalName } = tool;
  if (registry.find(server, originalName)?.origin === "live") return;
  const message = `Server ${quoted(server)} restarted after the call of tool ${quoted(originalName)} was checked, and has not listed its tools since, so the call was not sent. A new call is checked against what is known of the tool then.`;
  throw new McpError("MCP_SESSION_LOST", message, { ...detailsOf(tool), outcome: "not-sent" });
}

function refuseName(name: string, registry: ToolRegistry): never {
  const near = nearestNames(name, registry.tools(), (tool) => tool.name);
  throw unknownTool(`No tool is called ${quoted(name)}${suggestion(near)}`, name);
}

function refuseTool({ server, tool }: ServerToolRef, registry: ToolRegistry): never {
  const offered = registry.tools().filter((candidate) => candidate.server === server);
  const near = nearestNames(tool, offered, ({ originalName }) => originalName);
  throw unknownTool(
    `Server ${quoted(server)} offers no tool ${quoted(tool)}${suggestion(near)}`,
    tool,
    server,
  );
}

/** Suggests no other tools, because a view may hide them from the caller. */
function goneTool({ server, originalName }: ToolDescriptor): McpError {
  return unknownTool(
    `Server ${quoted(server)} offers no tool ${quoted(originalName)} any more.`,
    originalName,
    server,
  );
}

function unknownTool(message: string, tool: string, server?: string): McpError {
  return new McpError("MCP_TOOL_UNKNOWN", message, { server, tool, phase: "call", outcome: "not-sent" });
}

function suggestion(near: readonly string[]): string {
  return near.length === 0 ? "." : `; similar names: ${near.map(quoted).join(", ")}.`;
}

/** Quotes a name and cuts it: a model may write anything. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name);
}
