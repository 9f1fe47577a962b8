import type { ToolDescriptor } from "./tool.ts";

/**
 * Decides what is offered of a tool: the tool as it is, a changed descriptor (never another name or server), or a reason
 * why it is blocked. A policy that throws blocks the tool.
 */
export type ToolListPolicy = (tool: ToolDescriptor) => ToolDescriptor | { readonly blocked: string };
