import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { selectTools } from "@jackfield/mcp-tools";
import { type AiSdkTool, type AiSdkToolSet, type AiSdkToolsOptions, aiSdkToolMaker } from "./ai-sdk-tools.ts";

/** Tools that follow their source from step to step. */
export interface AiSdkLiveTools {
  /**
   * The set to hand to the SDK as `tools`, as it is: a copy would not follow. Tools of your own may be added to it under names that
   * the source does not use.
   */
  readonly tools: AiSdkToolSet;
  /** Brings the set up to date. Hand it to the SDK as `prepareStep`, or call it from your own. */
  prepareStep(): undefined;
}

/**
 * The tools of a source as they are at each step, for loops that outlast a change: a server that comes up late, or whose tools
 * change, is there from the next step on. Both majors read the set anew for each step; a tool that did not change stays the same
 * object. One that went away is not listed any more, and still found by its name, so that a call of it is answered by the source.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an approval policy or a schema profile that does not exist, and for a selection that is no
 * list of names; also where there is no tool yet.
 */
export function aiSdkLiveTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkLiveTools {
  const tools: AiSdkToolSet = Object.create(null);
  const make = aiSdkToolMaker(source, options);
  const offered = new Map<string, ToolDescriptor>();
  let seen: readonly ToolDescriptor[] | undefined;
  const prepareStep = (): undefined => {
    const current = source.tools();
    if (current === seen) return;
    seen = current;
    const selected = new Map(selectTools(current, options).map((tool) => [tool.name, tool]));
    for (const name of offered.keys()) if (!selected.has(name)) hide(tools, name);
    for (const [name, tool] of selected) {
      const isSame = offered.get(name) === tool && tools[name] !== undefined;
      const adapted = isSame ? tools[name] : make(tool);
      // Taken out and put in again, so that the order is the source's, whatever came when.
      delete tools[name];
      if (adapted !== undefined) tools[name] = adapted;
    }
    offered.clear();
    for (const [name, tool] of selected) offered.set(name, tool);
  };
  prepareStep();
  return { tools, prepareStep };
}

/**
 * Both majors list what can be enumerated and look calls up by name. A call that a person agreed to and whose tool they do not find
 * has no result, and the run ends with an error.
 */
function hide(tools: AiSdkToolSet, name: string): void {
  const gone = tools[name];
  // A tool of the program's own that is put in by this name later is listed.
  const offer = (value: AiSdkTool) =>
    Object.defineProperty(tools, name, { value, configurable: true, enumerable: true, writable: true });
  if (gone !== undefined)
    Object.defineProperty(tools, name, {
      get: () => gone,
      set: offer,
      configurable: true,
      enumerable: false,
    });
}
