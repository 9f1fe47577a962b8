import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { selectTools } from "@jackfield/mcp-tools";
import { type AiSdkTool, type AiSdkToolSet, type AiSdkToolsOptions, aiSdkToolMaker } from "./ai-sdk-tools.ts";

/** A tool set that follows its source from step to step. */
export interface AiSdkLiveTools {
  /**
   * Pass this object itself to the SDK as `tools`: a copy would not be updated. You may add tools of your own under names that the
   * source does not use.
   */
  readonly tools: AiSdkToolSet;
  /** Updates the set. Pass it to the SDK as `prepareStep`, or call it from your own. */
  prepareStep(): undefined;
}

/**
 * The tools of a source as they are at each step, for long loops: new and changed tools are available from the next step on. AI SDK
 * 6 and 7 read the set again for each step. A tool that did not change stays the same object. A removed tool is no longer listed
 * but still found by name, so that the source answers calls of it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy or schema profile, and for a selection that is not a list of
 * names. The options are checked even if there are no tools yet.
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
      // Deleted and added again, so that the order is the source's.
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
 * Hides a removed tool. AI SDK 6 and 7 list enumerable tools and look calls up by name. An approved call whose tool they do not
 * find gets no result, and the run ends with an error.
 */
function hide(tools: AiSdkToolSet, name: string): void {
  const gone = tools[name];
  // A tool that the program adds under this name later is listed.
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
