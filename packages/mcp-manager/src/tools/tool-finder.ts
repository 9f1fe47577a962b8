import { McpError, type ToolDescriptor, type ToolRef } from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import { type OperationOptions, operationDeadline } from "../server/operation-deadline.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolFinderOptions {
  readonly registry: ToolRegistry;
  /** @throws McpError `MCP_SERVER_UNKNOWN` */
  readonly server: (name: string) => ManagedServer;
}

/**
 * Finds the tool a reference means. One that is named by its server may belong to a list that is not in yet, and is waited for.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`, `MCP_SERVER_UNKNOWN`, or what keeps the server from being asked; nothing was sent.
 */
export type ToolFinder = (ref: ToolRef, options: OperationOptions) => Promise<ToolDescriptor>;

export function createToolFinder({ registry, server }: ToolFinderOptions): ToolFinder {
  return async (ref, options) => {
    if (typeof ref === "string") return registry.get(ref) ?? refuse(`No tool is called "${ref}".`, ref);
    const known = registry.find(ref.server, ref.tool);
    if (known !== undefined) return known;
    const owner = server(ref.server);
    using deadline = operationDeadline(owner, "list", options);
    await owner.ensureTools(deadline);
    const message = `Server "${ref.server}" offers no tool "${ref.tool}".`;
    return registry.find(ref.server, ref.tool) ?? refuse(message, ref.tool, ref.server);
  };
}

function refuse(message: string, tool: string, server?: string): never {
  throw new McpError("MCP_TOOL_UNKNOWN", message, { server, tool, phase: "call", outcome: "not-sent" });
}
