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
import {
  answerMessage,
  type ContentAndArtifact,
  contentAndArtifact,
  type MessageOptions,
} from "./tool-message.ts";

/** Calls a tool; replaces the tool's own `call` if something must happen around it. */
export type MakeCall = (input: unknown, options: ModelCallOptions) => Promise<ModelCallResult>;

/** A LangChain tool. It is lazy: its schema is fitted when it is first read. */
export function createLangchainTool(
  tool: ModelTool,
  message: MessageOptions,
  makeCall?: MakeCall,
): StructuredTool {
  return new McpTool({
    tool,
    message,
    makeCall: makeCall ?? ((input, options) => tool.call(input, options)),
  });
}

/** What a tool is made of. */
interface Inside {
  readonly tool: ModelTool;
  readonly message: MessageOptions;
  readonly makeCall: MakeCall;
}

/**
 * The key of what a tool is made of: an ordinary member, so that a copy has it and a proxy reads it, which cannot be with a private field; and
 * no name, so that no serializer writes it out.
 */
const INSIDE = Symbol("jackfield.mcpTool");

/** The tools that accept any input, by the tools that were called. */
const ACCEPTING = new WeakMap<object, DynamicStructuredTool>();

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
  /** Fitted when it is first read, and may be set. */
  declare schema: ToolInputSchema;
  readonly [INSIDE]: Inside;

  constructor(inside: Inside) {
    const { tool } = inside;
    super({ responseFormat: "content_and_artifact", metadata: toolMetadata(tool.descriptor) });
    this.name = tool.descriptor.name;
    this.description = tool.description;
    this[INSIDE] = inside;
    let shown: ToolInputSchema | undefined;
    Object.defineProperty(this, "schema", {
      get: () => (shown ??= tool.fitted.schema),
      set(schema: ToolInputSchema) {
        // On a copy, the copy's own.
        Object.defineProperty(this, "schema", {
          value: schema,
          configurable: true,
          enumerable: true,
          writable: true,
        });
      },
      configurable: true,
      enumerable: true,
    });
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
    if (isToolCall(input) || isWatched(this, run, tags))
      return acceptingTool(this, (...call) => this.run(...call)).call((input ?? {}) as TArg, config, tags);
    const { name, metadata } = this;
    const result = await this[INSIDE].makeCall(input ?? {}, { signal: run.signal });
    const call = { name, toolCallId: run.toolCall?.id, metadata };
    return answerMessage(written(this, result, run), call) as Answer<TArg, TConfig>;
  }

  protected override _call(input: unknown, runManager?: unknown, config?: ToolRunnableConfig) {
    return this.run(input, runManager, config);
  }

  /** Reports progress to the run. Without callbacks there is none to report, and a generator would cost as much as the rest of the call. */
  private run(input: unknown, runManager: unknown, config: ToolRunnableConfig | undefined) {
    return runManager === undefined ? this.answer(input, config) : this.report(input, config);
  }

  private async answer(input: unknown, config: ToolRunnableConfig | undefined): Promise<ContentAndArtifact> {
    return written(this, await this[INSIDE].makeCall(input, { signal: config?.signal }), config);
  }

  private async *report(
    input: unknown,
    config: ToolRunnableConfig | undefined,
  ): AsyncGenerator<Progress, ContentAndArtifact> {
    const { progress } = followCall((onProgress) =>
      this[INSIDE].makeCall(input, { signal: config?.signal, onProgress }),
    );
    return written(this, yield* progress(), config);
  }
}

function isWatched(tool: McpTool, run: ToolRunnableConfig, ownTags: string[] | undefined): boolean {
  const { callbacks, tags, metadata, verbose } = tool;
  if (!run.callbacks && !callbacks && !verbose) return hasObserver();
  const runTags = run.tags ?? ownTags;
  const options = { verbose };
  return (
    CallbackManager.configure(run.callbacks, callbacks, runTags, tags, run.metadata, metadata, options) !==
    undefined
  );
}

/** The tool that accepts any input; made again if the program has changed a property that it was made from. */
function acceptingTool(
  tool: StructuredTool,
  func: (input: unknown, runManager: unknown, config: ToolRunnableConfig | undefined) => unknown,
): DynamicStructuredTool {
  const known = ACCEPTING.get(tool);
  if (known !== undefined && isMadeOf(known, tool)) return known;
  const { name, description, callbacks, tags, metadata, verbose } = tool;
  const accepting = new DynamicStructuredTool({
    name,
    description,
    schema: ANYTHING,
    responseFormat: "content_and_artifact",
    func: func as never,
    ...(callbacks === undefined ? {} : { callbacks }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    verbose,
  });
  ACCEPTING.set(tool, accepting);
  return accepting;
}

function written(
  tool: McpTool,
  result: ModelCallResult,
  config: ToolRunnableConfig | undefined,
): ContentAndArtifact {
  const { message, tool: made } = tool[INSIDE];
  // LangChain makes the message of a successful result, and adds id and metadata itself.
  const call = { name: tool.name, toolCallId: config?.toolCall?.id, metadata: toolMetadata(made.descriptor) };
  return contentAndArtifact(result, call, message);
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
