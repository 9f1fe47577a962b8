import { generateText, isStepCount, streamText, type ToolSet } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

/** What the model says in one step: a text, or calls of tools with their input as the model would write it. */
export type Step = string | readonly { readonly tool: string; readonly input: string }[];

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const toolCalls = (step: Exclude<Step, string>) =>
  step.map(({ tool, input }, index) => ({
    type: "tool-call" as const,
    toolCallId: `call-${index}`,
    toolName: tool,
    input,
  }));

const finishReason = (step: Step) => ({
  unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const),
  raw: undefined,
});

/** A model that says one step after the other, whether it is asked for a stream or not. */
export function scriptedModel(steps: readonly Step[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: steps.map((step) => ({
      content: typeof step === "string" ? [{ type: "text", text: step }] : toolCalls(step),
      finishReason: finishReason(step),
      usage: USAGE,
      warnings: [],
    })),
    doStream: steps.map((step) => ({ stream: convertArrayToReadableStream(streamParts(step)) })),
  });
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

/** What came of a run, the same for both ways of running. */
export interface Outcome {
  readonly text: string;
  /** The raw outputs of the first step's tools, and what was thrown instead of one. */
  readonly outputs: readonly unknown[];
  readonly errors: readonly unknown[];
  /** What the model was given of the tools' results, in its last prompt. */
  readonly toModel: readonly unknown[];
}

export interface Run {
  readonly name: string;
  run(model: MockLanguageModelV4, tools: ToolSet, abortSignal?: AbortSignal): Promise<Outcome>;
}

type Part = { type: string; output?: unknown; error?: unknown };

function outcomeOf(
  text: string,
  firstStep: readonly Part[],
  calls: MockLanguageModelV4["doGenerateCalls"],
): Outcome {
  const messages = calls.at(-1)?.prompt ?? [];
  const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  return {
    text,
    outputs: firstStep.filter((part) => part.type === "tool-result").map((part) => part.output),
    errors: firstStep.filter((part) => part.type === "tool-error").map((part) => part.error),
    toModel: results.map((part) => (part.type === "tool-result" ? part.output : part)),
  };
}

const prompt = "Do it.";
const stopWhen = isStepCount(3);

/** The two ways of the AI SDK to run a loop of steps. */
export const RUNS: readonly Run[] = [
  {
    name: "generateText",
    async run(model, tools, abortSignal = new AbortController().signal) {
      const { text, steps } = await generateText({ model, tools, prompt, stopWhen, abortSignal });
      return outcomeOf(text, steps[0]?.content ?? [], model.doGenerateCalls);
    },
  },
  {
    name: "streamText",
    async run(model, tools, abortSignal = new AbortController().signal) {
      const result = streamText({ model, tools, prompt, stopWhen, abortSignal, onError: () => {} });
      await result.consumeStream();
      const steps = await result.steps;
      return outcomeOf(await result.text, steps[0]?.content ?? [], model.doStreamCalls);
    },
  },
];
