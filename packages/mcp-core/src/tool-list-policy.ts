import type { ToolDescriptor } from "./tool.ts";

/**
 * Decides how a tool is offered: unchanged, with a changed descriptor (never another name or server), or blocked with a reason. A
 * policy that throws blocks the tool.
 */
export type ToolListPolicy = (tool: ToolDescriptor) => ToolDescriptor | { readonly blocked: string };
