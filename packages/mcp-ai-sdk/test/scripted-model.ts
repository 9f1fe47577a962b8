import * as ai7 from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai6";
import { MockLanguageModelV3 } from "ai6/test";
import type { AiSdkToolSet } from "../src/index.ts";

/** What the model replies in one step: a text, or tool calls with their input as the model would write it. */
export type Step =
  | string
  | readonly { readonly tool: string; readonly input: string; readonly id?: string | undefined }[];

type Call = MockLanguageModelV4["doGenerateCalls"][number];
type Generated = Extract<Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>, { content: unknown }>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

/** A model that replies with one step after the other, for either major, streamed or not. */
export interface ScriptedModel {
  readonly v7: MockLanguageModelV4;
  readonly v6: MockLanguageModelV3;
  /** The requests it received, in order. */
  readonly calls: readonly Call[];
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const toolCalls = (step: Exclude<Step, string>) =>
  step.map(({ tool, input, id }, index) => ({
    type: "tool-call" as const,
    toolCallId: id ?? `call-${index}`,
    toolName: tool,
    input,
  }));

const finishReason = (step: Step) => ({
  unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const),
  raw: undefined,
});

export function scriptedModel(steps: readonly Step[]): ScriptedModel {
  const calls: Call[] = [];
  const next = (call: unknown): Step => {
    const step = steps[calls.length] ?? "The script is at its end.";
    calls.push(call as Call);
    return step;
  };
  const script = {
    doGenerate: async (call: unknown) => generated(next(call)),
    doStream: async (call: unknown) => ({ stream: convertArrayToReadableStream(streamParts(next(call))) }),
  };
  // The two versions of the interface are alike in all that is used here.
  return { v7: new MockLanguageModelV4(script), v6: new MockLanguageModelV3(script as never), calls };
}

function generated(step: Step): Generated {
  return {
    content: typeof step === "string" ? [{ type: "text", text: step }] : toolCalls(step),
    finishReason: finishReason(step),
    usage: USAGE,
    warnings: [],
  };
}

function streamParts(step: Step): StreamPart[] {
  const said: StreamPart[] =
    typeof step === "string"
      ? [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: step },
          { type: "text-end", id: "1" },
        ]
      : toolCalls(step);
  return [
    { type: "stream-start", warnings: [] },
    ...said,
    { type: "finish", finishReason: finishReason(step), usage: USAGE },
  ];
}

/** The outcome of a run, in the same form for all ways of running. */
export interface Outcome {
  readonly text: string;
  /** The raw outputs of the first step's tools, and what was thrown instead of one. */
  readonly outputs: readonly unknown[];
  readonly errors: readonly unknown[];
  /** The tool results in the model's last prompt. */
  readonly toModel: readonly unknown[];
  /** The messages that the run adds to the conversation. */
  readonly messages: readonly unknown[];
  /** The parts of the first step. */
  readonly parts: readonly Part[];
}

/** What a run may be given besides the model and the tools. */
export interface RunOptions {
  readonly abortSignal?: AbortSignal;
  readonly messages?: readonly unknown[];
  readonly prepareStep?: () => undefined;
  /** More options of the SDK's own. */
  readonly more?: object;
}

export interface Run {
  readonly name: string;
  readonly major: 6 | 7;
  run(model: ScriptedModel, tools: AiSdkToolSet, options?: RunOptions): Promise<Outcome>;
}

type Part = { type: string; output?: unknown; error?: unknown; toolMetadata?: unknown };

interface Finished {
  readonly text: string;
  readonly steps: readonly { readonly content: readonly unknown[] }[];
  readonly response: { readonly messages: readonly unknown[] };
}

function outcomeOf({ text, steps, response }: Finished, { calls }: ScriptedModel): Outcome {
  const parts = (steps[0]?.content ?? []) as readonly Part[];
  const results = (calls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === "tool" ? message.content : [],
  );
  return {
    text,
    parts,
    messages: response.messages,
    outputs: parts.filter((part) => part.type === "tool-result").map((part) => part.output),
    errors: parts.filter((part) => part.type === "tool-error").map((part) => part.error),
    toModel: results.map((part) => (part.type === "tool-result" ? part.output : part)),
  };
}

/** A run's options for either major; the majors agree on all that is used here. */
function settings(
  tools: AiSdkToolSet,
  { messages, more, abortSignal = new AbortController().signal, ...rest }: RunOptions,
) {
  const prompt = messages === undefined ? { prompt: "Do it." } : { messages };
  return { ...prompt, tools, abortSignal, ...rest, ...more } as never;
}

async function finished(stream: {
  consumeStream(): PromiseLike<void>;
  text: PromiseLike<string>;
  steps: PromiseLike<Finished["steps"]>;
  response: PromiseLike<Finished["response"]>;
}): Promise<Finished> {
  await stream.consumeStream();
  return { text: await stream.text, steps: await stream.steps, response: await stream.response };
}

type Settings = Record<string, unknown>;
type Generate = (options: never) => PromiseLike<Finished>;

function runsOf(sdk: typeof ai7, major: 6 | 7): readonly Run[] {
  const modelOf = (model: ScriptedModel) => (major === 7 ? model.v7 : model.v6);
  const common = (model: ScriptedModel): Settings => ({
    model: modelOf(model),
    stopWhen: major === 7 ? ai7.isStepCount(3) : ai6.stepCountIs(3),
  });
  const run = (name: string, start: (all: Settings) => PromiseLike<Finished>): Run => ({
    name: `${name} of AI SDK ${major}`,
    major,
    run: async (model, tools, options = {}) =>
      outcomeOf(
        await start({ ...common(model), ...(settings(tools, options) as Settings), onError: () => {} }),
        model,
      ),
  });
  return [
    run("generateText", (all) => (sdk.generateText as unknown as Generate)(all as never)),
    run("streamText", (all) => finished((sdk.streamText as unknown as (o: Settings) => never)(all))),
    run("an agent", ({ prompt, messages, abortSignal, onError: _, ...agent }) => {
      const loop = new sdk.ToolLoopAgent(agent as never);
      const question = prompt === undefined ? { messages } : { prompt };
      return (loop.generate as unknown as Generate)({ ...question, abortSignal } as never);
    }),
  ];
}

/** The ways of both majors to run a loop of steps. */
export const RUNS: readonly Run[] = [...runsOf(ai7, 7), ...runsOf(ai6 as unknown as typeof ai7, 6)];
