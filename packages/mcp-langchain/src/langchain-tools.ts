import type { ToolDescriptor, ToolInputSchema, ToolSource } from "@jackfield/mcp-core";
import { callForModel, fitSchema, selectTools, type ToolSelection } from "@jackfield/mcp-tools";
import {
  DynamicStructuredTool,
  type DynamicStructuredToolInput,
  type StructuredTool,
  type StructuredToolCallInput,
  type ToolRunnableConfig,
} from "@langchain/core/tools";
import { contentAndArtifact } from "./tool-message.ts";

/** Which tools are offered: `include` and `exclude`, by exposed or original name, with `*` for any characters. */
export interface LangchainToolsOptions extends ToolSelection {}

/**
 * The tools that a source has now, for `createAgent`, `ToolNode` and `bindTools` of LangChain 1.
 *
 * A snapshot, made at once: call it again when the source says `toolsChanged`. A tool that has gone meanwhile answers with
 * an error the model can read. Each tool's `invoke` rejects with `MCP_ABORTED` if the caller has given up, with LangChain's
 * `ToolInputParsingException` if the input is no object, and with nothing else.
 */
export function langchainTools(source: ToolSource, options?: LangchainToolsOptions): StructuredTool[] {
  return selectTools(source.tools(), options).map((tool) => new McpTool(toolFields(source, tool)));
}

type Fields = DynamicStructuredToolInput & { name: string };

function toolFields(source: ToolSource, tool: ToolDescriptor): Fields {
  return {
    name: tool.name,
    description: tool.description,
    schema: fitSchema(tool.definition.inputSchema).schema,
    responseFormat: "content_and_artifact",
    verboseParsingErrors: true,
    func: async (input, _runManager, config?: ToolRunnableConfig) => {
      const result = await callForModel(source, tool, input, { signal: config?.signal });
      return contentAndArtifact(result, { name: tool.name, toolCallId: config?.toolCall?.id });
    },
  };
}

const ANY_OBJECT: ToolInputSchema = { type: "object" };

/**
 * Shows models the server's schema, and has LangChain check no more than that the input is an object. LangChain's check
 * throws plain errors for references it cannot follow and patterns it cannot compile, on every call, and runs patterns
 * that a server chose without a time limit. Arguments are checked on the way to the server, and by the server.
 */
class McpTool extends DynamicStructuredTool {
  readonly #unchecked: DynamicStructuredTool;

  constructor(fields: Fields) {
    super(fields);
    this.#unchecked = new DynamicStructuredTool({ ...fields, schema: ANY_OBJECT });
  }

  override call<TArg extends StructuredToolCallInput, TConfig extends ToolRunnableConfig | undefined>(
    input: TArg,
    config?: TConfig,
    tags?: string[],
  ) {
    return this.#unchecked.call(input, config, tags);
  }
}
