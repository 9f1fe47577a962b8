import type { ToolDefinition, ToolDescriptor } from "@jackfield/mcp-core";

/** A filter's verdicts on tools. A verdict holds until anything but the tool's origin changes, and is forgotten when the tool is gone. */
export interface ToolVerdicts {
  /** `undefined` if this version of the tool was not judged. */
  get(tool: ToolDescriptor): boolean | undefined;
  set(tool: ToolDescriptor, isShown: boolean): void;
}

interface Verdict {
  readonly tool: ToolDescriptor;
  readonly isShown: boolean;
}

/** When a tool from the catalog turns live, its descriptor is a new object with the same definition, and no event announces it. */
export function createToolVerdicts(): ToolVerdicts {
  /** Several for one definition, because two servers may share it. */
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

/** Whether two descriptors are equal, except for the origin. */
function isSameTool(a: ToolDescriptor, b: ToolDescriptor): boolean {
  return a === b || (holds(a, b) && holds(b, a));
}

/** Makes no array of keys, because it runs for ten thousand tools at each look. */
function holds(a: ToolDescriptor, b: ToolDescriptor): boolean {
  for (const key in a) {
    if (key !== "origin" && a[key as keyof ToolDescriptor] !== b[key as keyof ToolDescriptor]) return false;
  }
  return true;
}
