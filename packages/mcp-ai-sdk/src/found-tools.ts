import { isRecord, McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import {
  callIn,
  foundText,
  MOST_FOUND,
  namesFound,
  type ToolFinder,
  textIn,
  textResult,
} from "@jackfield/mcp-tools";
import type { AiSdkTool } from "./ai-sdk-tool.ts";
import type { AiSdkToolMaker } from "./tool-maker.ts";

/** What the finder's tools are made of. */
interface FinderToolsOptions {
  readonly finder: ToolFinder;
  readonly maker: AiSdkToolMaker;
  /** Whether AI SDK 7 shows what is found. Else there are `describe_tool` and `call_tool` for it. */
  readonly isDeferring: boolean;
  onFound(names: readonly string[]): void;
}

/** The tools that a model is offered in place of those that it may find. */
export function finderTools(options: FinderToolsOptions): Record<string, AiSdkTool> {
  const { finder, maker, isDeferring } = options;
  const { searchTool, describeTool, callTool } = finder;
  if (isDeferring) return { [searchTool.name]: deferringSearch(options) };
  const next = `Read a tool with ${describeTool.name}, then call it with ${callTool.name}.`;
  return {
    [searchTool.name]: maker.makeOwn(searchTool, (input) =>
      textResult(foundText(finder.search(textIn(input, "query")), next)),
    ),
    [describeTool.name]: maker.makeOwn(describeTool, (input) =>
      textResult(finder.describe(textIn(input, "name"))),
    ),
    [callTool.name]: callingTool(options),
  };
}

/** Calls any tool that may be found: with its approval, limits, errors and answer. */
function callingTool({ finder, maker }: FinderToolsOptions): AiSdkTool {
  const { callTool } = finder;
  const form = { toolName: callTool.name, argumentsIn: (input: unknown) => callIn(input).args };
  const made = new WeakMap<ToolDescriptor, AiSdkTool>();
  const called = (input: unknown): AiSdkTool => {
    const descriptor = finder.find(callIn(input).name);
    const tool = made.get(descriptor) ?? maker.make(descriptor, form);
    made.set(descriptor, tool);
    return tool;
  };
  return {
    ...maker.makeOwn(callTool, (input, call) => called(input).execute(input, call)),
    async needsApproval(input, call) {
      try {
        return (await called(input).needsApproval?.(input, call)) ?? false;
      } catch {
        return false; // There is no such tool, as the call will say.
      }
    },
  };
}

/** The marks by which AI SDK 7 knows its `toolSearch`, and by which that finds what it asks for. */
const TOOL_SEARCH = Symbol.for("vercel.ai.toolSearch");
const TOOL_SEARCH_FUNCTION = Symbol.for("vercel.ai.toolSearch.search");
const TOOL_SEARCH_MOST = Symbol.for("vercel.ai.toolSearch.maxResults");

/** AI SDK 7's `toolSearch` with the finder behind it, written without importing the SDK. */
function deferringSearch({ finder, maker, onFound }: FinderToolsOptions): AiSdkTool {
  const search = ({ query }: { readonly query: string }) => {
    const names = finder.search(query).map(({ name }) => name);
    onFound(names);
    return names;
  };
  const { searchTool } = finder;
  // The SDK itself reads the query, and breaks on any other input.
  const check = (input: unknown) =>
    isRecord(input) && typeof input.query === "string"
      ? undefined
      : new McpError("MCP_ARGUMENTS_INVALID", 'The input must be { "query": "…" }.', {
          tool: searchTool.name,
        });
  const answer = (input: unknown) => textResult(foundText(finder.search(textIn(input, "query"))));
  const tool: AiSdkTool = {
    ...maker.makeOwn(searchTool, answer, check),
    toModelOutput: ({ output }) => ({ type: "text", value: foundText(toolsIn(output)) }),
  };
  return Object.assign(tool, {
    [TOOL_SEARCH]: true,
    [TOOL_SEARCH_FUNCTION]: search,
    [TOOL_SEARCH_MOST]: MOST_FOUND,
  });
}

/** The tools in an output of `toolSearch`, fresh or stored. */
function toolsIn(output: unknown): readonly Pick<ToolDescriptor, "name" | "description">[] {
  const tools = isRecord(output) && Array.isArray(output.tools) ? output.tools.filter(isRecord) : [];
  return tools.map(({ name, description }) => ({
    name: String(name),
    description: String(description ?? ""),
  }));
}

/**
 * The names of the tools that a conversation knows, in the order in which it came to know them: those that its searches found, and those that it
 * called. From messages of a model, and of a user interface.
 */
export function foundIn(messages: unknown, { searchTool, hidden }: ToolFinder): readonly string[] {
  if (!Array.isArray(messages)) return [];
  const known = new Set(hidden.map(({ name }) => name));
  const names = messages.flatMap(partsOf).flatMap((part) => {
    const name = toolOf(part);
    if (name !== searchTool.name) return name === undefined ? [] : [name];
    const { output } = part;
    if (isRecord(output) && typeof output.value === "string") return namesFound(output.value);
    return toolsIn(output).map((tool) => tool.name);
  });
  return [...new Set(names)].filter((name) => known.has(name));
}

function partsOf(message: unknown): readonly Record<string, unknown>[] {
  const { content, parts } = isRecord(message) ? message : {};
  const list = Array.isArray(content) ? content : Array.isArray(parts) ? parts : [];
  return list.filter(isRecord);
}

/** The name of the tool that a part is about, in any form of a message. */
function toolOf({ type, toolName }: Record<string, unknown>): string | undefined {
  if (typeof toolName === "string") return toolName;
  return typeof type === "string" && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}
