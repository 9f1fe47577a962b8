import type { Progress, ToolInputSchema } from "@jackfield/mcp-core";
import {
  followCall,
  type ModelCallOptions,
  type ModelCallResult,
  type ModelTool,
  toolMetadata,
} from "@jackfield/mcp-tools";
import { CallbackManager, parseCallbackConfigArg } from "@langchain/core/callbacks/manager";
import {
  DynamicStructuredTool,
  StructuredTool,
  type StructuredToolCallInput,
  type ToolReturnType,
  type ToolRunnableConfig,
} from "@langchain/core/tools";
import { hasObserver } from "./observers.ts";
import { answerMessage, type ContentAndArtifact, contentAndArtifact } from "./tool-message.ts";

/** Calls a tool; replaces the tool's own `call` if something must happen around it. */
export type MakeCall = (input: unknown, options: ModelCallOptions) => Promise<ModelCallResult>;

/** A LangChain tool. It is lazy: its schema is fitted when it is first read. */
export function createLangchainTool(tool: ModelTool, makeCall?: MakeCall): StructuredTool {
  return new McpTool(tool, makeCall ?? ((input, options) => tool.call(input, options)));
}

type Answer<Input, Config> = ToolReturnType<NonNullable<Input>, Config, unknown>;

/** A schema that accepts everything. Not `{}`, for which LangChain's check has as much to do as for any other. */
const ANYTHING = true as unknown as ToolInputSchema;

/**
 * Shows models the server's schema and keeps LangChain from checking against it. On every call, LangChain's check throws plain
 * errors for references it cannot resolve and patterns it cannot compile, and runs patterns that a server chose without a time
 * limit. `ModelTool` checks the arguments, in a bounded number of steps, before anything is sent.
 */
class McpTool extends StructuredTool<ToolInputSchema> {
  static override lc_name(): string {
    return "McpTool";
  }

  override name: string;
  override description: string;
  readonly #tool: ModelTool;
  readonly #makeCall: MakeCall;
  #accepting: DynamicStructuredTool | undefined;

  constructor(tool: ModelTool, makeCall: MakeCall) {
    super({ responseFormat: "content_and_artifact", metadata: toolMetadata(tool.descriptor) });
    this.name = tool.descriptor.name;
    this.description = tool.descriptor.description;
    this.#tool = tool;
    this.#makeCall = makeCall;
  }

  override get schema(): ToolInputSchema {
    return this.#tool.fitted.schema;
  }

  /**
   * Without callbacks, all that LangChain would add is its check and the message, a third of the cost of a call, so the call
   * bypasses it. A call with callbacks, or with a model's tool call as its input, goes through a LangChain tool of its own.
   */
  override async call<
    TArg extends StructuredToolCallInput<ToolInputSchema>,
    TConfig extends ToolRunnableConfig | undefined,
  >(input: TArg, config?: TConfig, tags?: string[]): Promise<Answer<TArg, TConfig>> {
    const run: ToolRunnableConfig = parseCallbackConfigArg(config);
    if (isToolCall(input) || this.#isWatched(run, tags))
      return this.#acceptingTool().call((input ?? {}) as TArg, config, tags);
    const { name, metadata } = this;
    const result = await this.#makeCall(input ?? {}, { signal: run.signal });
    const call = { name, toolCallId: run.toolCall?.id, metadata };
    return answerMessage(this.#written(result, run), call) as Answer<TArg, TConfig>;
  }

  #isWatched(run: ToolRunnableConfig, ownTags: string[] | undefined): boolean {
    const { callbacks, tags, metadata, verbose } = this;
    if (!run.callbacks && !callbacks && !verbose) return hasObserver();
    const runTags = run.tags ?? ownTags;
    const options = { verbose };
    return (
      CallbackManager.configure(run.callbacks, callbacks, runTags, tags, run.metadata, metadata, options) !==
      undefined
    );
  }

  /** The tool that accepts any input; made again if the program has changed a property that it was made from. */
  #acceptingTool(): DynamicStructuredTool {
    const known = this.#accepting;
    if (known !== undefined && isMadeOf(known, this)) return known;
    const { name, description, callbacks, tags, metadata, verbose } = this;
    const accepting = new DynamicStructuredTool({
      name,
      description,
      schema: ANYTHING,
      responseFormat: "content_and_artifact",
      func: (args, runManager, runConfig) => this.#run(args, runManager, runConfig),
      ...(callbacks === undefined ? {} : { callbacks }),
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
      verbose,
    });
    this.#accepting = accepting;
    return accepting;
  }

  protected override _call(input: unknown, runManager?: unknown, config?: ToolRunnableConfig) {
    return this.#run(input, runManager, config);
  }

  /** Reports progress to the run. Without callbacks there is none to report, and a generator would cost as much as the rest of the call. */
  #run(input: unknown, runManager: unknown, config: ToolRunnableConfig | undefined) {
    return runManager === undefined ? this.#answer(input, config) : this.#report(input, config);
  }

  async #answer(input: unknown, config: ToolRunnableConfig | undefined): Promise<ContentAndArtifact> {
    return this.#written(await this.#makeCall(input, { signal: config?.signal }), config);
  }

  async *#report(
    input: unknown,
    config: ToolRunnableConfig | undefined,
  ): AsyncGenerator<Progress, ContentAndArtifact> {
    const { progress } = followCall((onProgress) =>
      this.#makeCall(input, { signal: config?.signal, onProgress }),
    );
    return this.#written(yield* progress(), config);
  }

  #written(result: ModelCallResult, config: ToolRunnableConfig | undefined): ContentAndArtifact {
    // LangChain makes the message of a successful result, and adds id and metadata itself.
    if (result.isError !== true) return contentAndArtifact(result, { name: this.name });
    const metadata = toolMetadata(this.#tool.descriptor);
    return contentAndArtifact(result, { name: this.name, toolCallId: config?.toolCall?.id, metadata });
  }
}

/** Some callers pass a model's tool call to `call` itself, which LangChain does only with `invoke`. */
function isToolCall(input: unknown): boolean {
  return (input as { readonly type?: unknown } | null | undefined)?.type === "tool_call";
}

function isMadeOf(made: StructuredTool, from: StructuredTool): boolean {
  return (
    made.name === from.name &&
    made.description === from.description &&
    made.callbacks === from.callbacks &&
    made.tags === from.tags &&
    made.metadata === from.metadata &&
    made.verbose === from.verbose
  );
}
