import type { ToolDefinition, ToolDescriptor } from "@jackfield/mcp-core";

/** What a filter has said of tools. It holds for a tool as long as nothing but its origin changes; of one that is gone it is forgotten. */
export interface ToolVerdicts {
  /** `undefined` if this tool, as it is, was not judged. */
  get(tool: ToolDescriptor): boolean | undefined;
  set(tool: ToolDescriptor, isShown: boolean): void;
}

interface Verdict {
  readonly tool: ToolDescriptor;
  readonly isShown: boolean;
}

/** A tool of the catalog that is live now is a new object with the definition it had, and nobody is told of it. */
export function createToolVerdicts(): ToolVerdicts {
  /** Two servers may share a definition, so there may be several of one. */
  const verdicts = new WeakMap<ToolDefinition, readonly Verdict[]>();
  return {
    get: (tool) => verdicts.get(tool.definition)?.find((verdict) => isSameTool(verdict.tool, tool))?.isShown,
    set(tool, isShown) {
      const others = (verdicts.get(tool.definition) ?? []).filter(
        (verdict) => verdict.tool.server !== tool.server || verdict.tool.originalName !== tool.originalName,
      );
      verdicts.set(tool.definition, [...others, { tool, isShown }]);
    },
  };
}

/** Whether everything that a filter may look at is the same, save the origin. */
function isSameTool(a: ToolDescriptor, b: ToolDescriptor): boolean {
  return a === b || (holds(a, b) && holds(b, a));
}

/** No array of names: this is asked of ten thousand tools whenever they are looked at. */
function holds(a: ToolDescriptor, b: ToolDescriptor): boolean {
  for (const key in a) {
    if (key !== "origin" && a[key as keyof ToolDescriptor] !== b[key as keyof ToolDescriptor]) return false;
  }
  return true;
}
