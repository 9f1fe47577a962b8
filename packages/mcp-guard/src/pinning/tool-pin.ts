import type { ToolDefinition, ToolDescriptor } from "@jackfield/mcp-core";
import { type PinnedTool, pinDigest, pinnedTool } from "./pin-digest.ts";

/** A tool as it was when it was accepted. */
export interface ToolPin {
  readonly server: string;
  readonly digest: string;
  readonly tool: PinnedTool;
}

/** `new`: never accepted; `approved`: as it was accepted; `changed`: accepted once, and different now. */
export type PinState = "new" | "approved" | "changed";

/** Pins a tool as it is now. */
export function pinTool({ server, definition }: Pick<ToolDescriptor, "server" | "definition">): ToolPin {
  return { server, digest: pinDigest({ definition }), tool: pinnedTool(definition) };
}

/** Compares a tool with its pin. */
export function pinStateOf(tool: Pick<ToolDescriptor, "definition">, pin: ToolPin | undefined): PinState {
  if (pin === undefined) return "new";
  return pin.digest === pinDigest(tool) ? "approved" : "changed";
}

/**
 * Reads a pin from JSON and recomputes its digest, so that a digest edited by hand has no effect.
 *
 * @returns `undefined` if the value is not a pin.
 */
export function parsePin(server: string, value: unknown): ToolPin | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, inputSchema } = value as Partial<ToolDefinition>;
  if (typeof name !== "string" || typeof inputSchema !== "object" || inputSchema === null) return undefined;
  return pinTool({ server, definition: value as ToolDefinition });
}
