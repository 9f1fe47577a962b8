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
import { answerMessage, type ContentAndArtifact, contentAndArtifact } from "./tool-message.ts";

/** Makes a call of a tool; in place of the tool's own way where something must happen around it. */
export type MakeCall = (input: unknown, options: ModelCallOptions) => Promise<ModelCallResult>;

/** A tool as LangChain takes it. It does nothing until it is asked: its schema is fitted when it is first looked at. */
export function createLangchainTool(tool: ModelTool, makeCall?: MakeCall): StructuredTool {
  return new McpTool(tool, makeCall ?? ((input, options) => tool.call(input, options)));
}

type Answer<Input, Config> = ToolReturnType<NonNullable<Input>, Config, unknown>;

/** A schema that everything fits. LangChain's check has as much to do for `{}` as for any other. */
const ANYTHING = true as unknown as ToolInputSchema;

/**
 * Shows models the server's schema and keeps LangChain from checking against it. LangChain's check throws plain errors for
 * references it cannot follow and patterns it cannot compile, on every call, and runs patterns that a server chose without a
 * time limit. Arguments are checked by `ModelTool`, in a bounded number of steps, before anything is sent.
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
   * Where LangChain says that nobody watches, all it would still do is its check and the message: a third of what a call costs
   * here. A call that is watched goes through a tool of its own.
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
    const runTags = run.tags ?? ownTags;
    const options = { verbose };
    return (
      CallbackManager.configure(run.callbacks, callbacks, runTags, tags, run.metadata, metadata, options) !==
      undefined
    );
  }

  /** The last one that was made, unless a program has changed since what it was made of. */
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

  /** Progress is told to the run; without callbacks there is none, and a generator would cost as much as the rest of the call. */
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
    // Of an answer LangChain makes the message, and knows the rest.
    if (result.isError !== true) return contentAndArtifact(result, { name: this.name });
    const metadata = toolMetadata(this.#tool.descriptor);
    return contentAndArtifact(result, { name: this.name, toolCallId: config?.toolCall?.id, metadata });
  }
}

/** Some hand the call of a model to `call` itself, which LangChain does with `invoke` only. */
function isToolCall(input: unknown): boolean {
  return typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
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
