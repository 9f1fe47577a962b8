import { type CallOptions, McpError, type ToolDescriptor, type ToolRef } from "@jackfield/mcp-core";
import type { Deadline } from "../deadline.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { operationDeadline } from "../server/operation-deadline.ts";
import { unavailable } from "./call-error.ts";
import { createCallTime } from "./call-time.ts";
import type { FoundTool, ToolFinder } from "./found-tool.ts";
import { waitForServer } from "./server-wait.ts";
import { nearestNames, repairedTool } from "./tool-alias.ts";
import type { ToolRegistry } from "./tool-registry.ts";

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
        ? (findByName(ref, registry) ?? refuseName(ref, registry))
        : registry.find(ref.server, ref.tool);
    if (tool?.origin === "live") return { tool, options };
    return tool === undefined ? awaitTool(ref as ServerToolRef, options) : awaitLive(tool, options);
  };

  /**
   * What is remembered of a tool may not hold any more, and whoever judges the call is to judge what will be called (threat T78). A
   * server that cannot list its tools is called all the same.
   */
  async function awaitLive(known: ToolDescriptor, options: CallOptions): Promise<FoundTool> {
    const owner = server(known.server);
    const time = createCallTime(options, owner.definition.limits ?? {});
    const listed = (deadline: Deadline) =>
      owner.ensureTools(deadline).catch((error: unknown) => {
        if (owner.openSession === undefined || deadline.signal.aborted) throw error;
      });
    await waitForServer({ tool: known, options }, time, listed);
    const tool = registry.find(known.server, known.originalName) ?? known; // Middleware may know why it is gone.
    return { tool, options: { ...options, ...time.left() } };
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
    return { tool, options: { ...options, ...time.left() } };
  }
}

/**
 * Refuses a tool that was remembered and is not on offer any more.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`
 */
export function refuseIfGone({ origin, server, originalName }: ToolDescriptor, registry: ToolRegistry): void {
  if (origin === "cache" && registry.find(server, originalName) === undefined)
    refuseTool({ server, tool: originalName }, registry);
}

/** The tool of this name, or the only one that can be meant by it. */
function findByName(name: string, registry: ToolRegistry): ToolDescriptor | undefined {
  return registry.get(name) ?? repairedTool(name, registry.known());
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

function unknownTool(message: string, tool: string, server?: string): McpError {
  return new McpError("MCP_TOOL_UNKNOWN", message, { server, tool, phase: "call", outcome: "not-sent" });
}

function suggestion(near: readonly string[]): string {
  return near.length === 0 ? "." : `; names near it: ${near.map(quoted).join(", ")}.`;
}

/** The name may be whatever a model wrote. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name);
}
