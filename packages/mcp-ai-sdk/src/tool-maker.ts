import {
  type CallOptions,
  checkOptions,
  isRecord,
  McpError,
  type OptionKind,
  optionChoice,
  optionKinds,
  optionPort,
  type StateStore,
  type ToolDescriptor,
  type ToolSource,
} from "@jackfield/mcp-core";
import {
  approvalNeed,
  checkApproval,
  checkMedia,
  checkProfile,
  classifyResult,
  createModelTool,
  type FinderTool,
  type FindingOptions,
  failedCall,
  fitSchema,
  type KnownProfile,
  type MediaSupport,
  type ModelCallResult,
  type ModelTool,
  type ModelToolOptions,
  resultData,
  resultText,
  type ToolApproval,
  toolMetadata,
  toolTitle,
} from "@jackfield/mcp-tools";
import { type AiSdkModel, type ModelTraits, traitsOf } from "./ai-sdk-models.ts";
import { ANY_INPUT, aiSdkOutputSchema, aiSdkSchema } from "./ai-sdk-schema.ts";
import type { AiSdkExecuteOptions, AiSdkTool } from "./ai-sdk-tool.ts";
import { ApprovedCalls, type CallForm } from "./approved-calls.ts";
import { createAskedCalls } from "./asked-approval.ts";
import { type AiSdkMajor, installedMajor, toModelOutput } from "./model-output.ts";
import { type AiSdkToolRun, type FinishedOutput, isProgress, startToolRun } from "./tool-run.ts";

/**
 * Which tools are offered (`include`, `exclude`, by exposed or original name, with `*` for any characters), whether they are searched for
 * (`search`, `always`, `threshold`, `namesWithin`), what their schemas are fitted for (`schemaProfile`), and what is called when a call
 * fails (`onError`).
 */
export interface AiSdkToolsOptions extends FindingOptions, ModelToolOptions {
  /**
   * The conversation so far, if tools are searched for in AI SDK 7: what was found in it is offered from the start. `aiSdkLiveTools` learns it
   * from the SDK before each step. Default: none.
   */
  readonly messages?: readonly unknown[] | undefined;
  /**
   * The model that will read the results, which the SDK does not tell its tools: it decides what `media: "auto"` and `schemaProfile: "auto"`
   * mean. Default: unknown; `aiSdkLiveTools` learns it from the SDK before each step.
   */
  readonly model?: AiSdkModel | undefined;
  /**
   * Which media the model takes in a tool's result. Default `auto`: what the API of `model` is known to take, and none if it is not known.
   * Everything else is named in a line.
   */
  readonly media?: MediaSupport | "auto" | undefined;
  /**
   * What `execute` gives: the server's whole answer (`content`, the default), or `data` for code that a model writes (`@ai-sdk/code-mode`):
   * the structured content, or the text if there is none, and an exception for a failure. Tools then show their output schema.
   */
  readonly results?: "content" | "data" | undefined;
  /**
   * Whether a failed call throws, so that traces and user interfaces count it as failed (`tool-error`). Default `false`: it is a result. The model
   * reads its text.
   */
  readonly throwErrors?: boolean | undefined;
  /** Which calls the SDK asks a person about. Default `off`. */
  readonly approval?: ToolApproval | undefined;
  /**
   * Where the questions that were asked are remembered until they are answered: an answer in a message history approves a call only if its
   * question is found here, once. Default: the memory of this process, so that after a restart a person is asked again. Several processes
   * that serve one chat share a store.
   */
  readonly approvalStore?: Pick<StateStore, "get" | "set" | "delete"> | undefined;
  /** For whom the tools are made, for example a user's id from the session: an answer counts only for whom the question was asked. Default: everybody. */
  readonly principal?: string | undefined;
  /**
   * The SDK's major version, which decides the form of images and files for the model. Default: detected when a tool is called; until
   * then that of the package `ai` which is installed beside this one.
   */
  readonly sdk?: AiSdkMajor | undefined;
}

const { any, callable, flag, name } = optionKinds;
/** `any` is checked where it is used. */
const OPTIONS: Record<keyof AiSdkToolsOptions, OptionKind> = {
  include: any,
  exclude: any,
  search: any,
  always: any,
  threshold: any,
  namesWithin: any,
  messages: any,
  model: any,
  media: any,
  schemaProfile: any,
  results: optionChoice("content", "data"),
  throwErrors: flag,
  onError: callable,
  approval: any,
  approvalStore: optionPort("a store", ["get", "set", "delete"]),
  principal: name,
  sdk: any,
};

/** Makes the tools of one set. */
export interface AiSdkToolMaker {
  /** @param form - how the model calls it. Default: by its own name, with its arguments as input */
  make(descriptor: ToolDescriptor, form?: CallForm): AiSdkTool;
  /** A tool that converts stored results, and refuses calls. */
  makeRefusing(descriptor: ToolDescriptor): AiSdkTool;
  /** A tool that this program itself answers. @param answer - may throw. @param check - of the input. Default: it reads whatever it is given */
  makeOwn(
    tool: FinderTool,
    answer: (input: unknown, call: AiSdkExecuteOptions) => ModelCallResult | AiSdkToolRun,
    check?: ModelTool["check"],
  ): AiSdkTool;
  /** Tells the model of the next step. @returns whether tools must be made again, since their schemas depend on it */
  meet(model: unknown): boolean;
}

/** The maker of a set's tools. They share what is known about the SDK and the model. */
export function aiSdkToolMaker(source: ToolSource, options: AiSdkToolsOptions = {}): AiSdkToolMaker {
  // Checked now, because the first tool may come in the middle of a request.
  checkOptions(options, OPTIONS);
  const {
    model,
    media = "auto",
    approval,
    approvalStore,
    principal,
    sdk,
    schemaProfile = "auto",
    onError,
  } = options;
  const { results = "content", throwErrors = results === "data" } = options;
  checkApproval(approval);
  checkMedia(media);
  checkProfile(schemaProfile);
  const finished: FinishedOutput = (result) => {
    if (throwErrors && result.isError === true)
      throw new Error(resultText(classifyResult(result)), { cause: result });
    return results === "data" && result.isError !== true ? resultData(result) : result;
  };
  const reader: Reader = { major: sdk, traits: traitsOf(model) };
  const profile = (): KnownProfile =>
    schemaProfile === "auto" ? reader.traits.schemaProfile : schemaProfile;
  const modelOutput: AiSdkTool["toModelOutput"] = (options) => {
    const output = outputIn(options);
    return toModelOutput(results === "data" ? asAnswer(output) : output, {
      major: reader.major ?? installedMajor(),
      media: media === "auto" ? reader.traits.media : media,
    });
  };
  // Who asks for typed data gets none of another type.
  const output = results === "data" ? "refuse" : undefined;
  const asked = createAskedCalls({ approvalStore, principal });
  const strictness = () => (reader.traits.takesStrict ? { strict: profile() === "strict" } : {});
  const makeRefusing = (descriptor: ToolDescriptor): AiSdkTool => {
    const { server, originalName } = descriptor;
    const tool = createModelTool(source, descriptor, { schemaProfile: "none", onError });
    const message = `The tool "${originalName}" of server "${server}" is not offered here.`;
    const error = new McpError("MCP_TOOL_UNKNOWN", message, { server, tool: originalName, phase: "call" });
    return {
      type: "dynamic",
      description: tool.description,
      inputSchema: ANY_INPUT,
      metadata: toolMetadata(descriptor),
      execute: () => startToolRun(async () => tool.refuse(error), finished),
      toModelOutput: modelOutput,
    };
  };
  return {
    make(descriptor, form) {
      // Read as text, a schema needs no fitting.
      const fittedFor = form === undefined ? profile() : "none";
      const tool = createModelTool(source, descriptor, { schemaProfile: fittedFor, onError });
      const adapted: Writable<AiSdkTool> = {
        type: "dynamic",
        description: tool.description,
        inputSchema: aiSdkSchema(tool),
        metadata: toolMetadata(descriptor),
        execute: (input, call) => execute({ tool, form, reader, finished, calls, output }, input, call),
        toModelOutput: modelOutput,
      };
      const { outputSchema } = descriptor.definition;
      if (results === "data" && outputSchema !== undefined)
        Object.assign(adapted, { outputSchema: aiSdkOutputSchema(outputSchema) });
      const title = toolTitle(descriptor);
      if (title !== undefined) adapted.title = title;
      Object.assign(adapted, strictness());
      const need = approvalNeed(approval, descriptor);
      const calls = need === false ? undefined : new ApprovedCalls({ tool, form, need, asked });
      if (calls !== undefined) adapted.needsApproval = (input, call) => calls.isAsked(input, call);
      return adapted;
    },
    makeRefusing,
    makeOwn({ name: _, description, inputSchema }, answer, check = () => undefined) {
      return {
        type: "dynamic",
        description,
        inputSchema: aiSdkSchema({ fitted: fitSchema(inputSchema, { profile: profile() }), check }),
        metadata: {},
        ...strictness(),
        execute(input, call) {
          reader.major ??= majorOf(call);
          try {
            const answered = answer(input, call);
            return "content" in answered ? startToolRun(async () => answered, finished) : answered;
          } catch (error) {
            return startToolRun(async () => failedCall(error), finished);
          }
        },
        toModelOutput: modelOutput,
      };
    },
    meet(next) {
      if (model !== undefined || next === undefined) return false;
      const before = { profile: profile(), ...reader.traits };
      reader.traits = traitsOf(next);
      return before.takesStrict !== reader.traits.takesStrict || before.profile !== profile();
    },
  };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** Who reads the results: the SDK's major version, once it is known, and the model. */
interface Reader {
  major: AiSdkMajor | undefined;
  traits: ModelTraits;
}

/** What a call needs to know of its tool. */
interface Execution {
  readonly tool: ModelTool;
  readonly form: CallForm | undefined;
  readonly reader: Reader;
  readonly finished: FinishedOutput;
  readonly calls: ApprovedCalls | undefined;
  readonly output: CallOptions["output"];
}

function execute(
  { tool, form, reader, finished, calls, output }: Execution,
  input: unknown,
  call: AiSdkExecuteOptions,
): AiSdkToolRun {
  reader.major ??= majorOf(call);
  const { abortSignal: signal } = call;
  const args = form === undefined ? input : form.argumentsIn(input);
  return startToolRun(
    calls === undefined
      ? (onProgress) => tool.call(args, { signal, onProgress, output })
      : async (onProgress) => {
          const permission = await calls.permission(input, call);
          if ("refusal" in permission) return tool.refuse(permission.refusal);
          return tool.call(args, { signal, onProgress, output, ...permission });
        },
    finished,
  );
}

/** Only 7 passes a `context`, even if there is none. */
function majorOf(call: AiSdkExecuteOptions): AiSdkMajor {
  return "context" in call ? 7 : 6;
}

/** AI SDK 5 passes the output itself, and would get nothing in silence. */
function outputIn(options: unknown): unknown {
  if (isRecord(options) && "output" in options) return options.output;
  const message =
    'AI SDK 5 is not supported: its tools have no approval, and read results in another form. Install "ai" 6 or 7.';
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/** Data in the form of an answer, so that a model reads them as it reads every other. Progress, which has that form already, stays. */
function asAnswer(output: unknown): unknown {
  if (typeof output === "object" && output !== null && isProgress(output)) return output;
  return typeof output === "string" ? output : { content: [], structuredContent: output ?? null };
}
