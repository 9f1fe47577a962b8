import { type AiSdkToolSet, aiSdkTools } from "@jackfield/mcp-ai-sdk";
import type { ToolSource } from "@jackfield/mcp-core";
import * as ai7 from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai6";
import { MockLanguageModelV3 } from "ai6/test";

/** A call of a tool by a model. */
export interface ModelToolCall {
  readonly tool: string;
  readonly input: object;
}

/** What the model does in one step, seeing the tools it is offered: a text, or calls. */
export type ModelStep = string | readonly ModelToolCall[];

/** The parts of a request that tests look at. */
export interface ModelRequest {
  readonly tools?: readonly { readonly name: string }[];
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model of either major that follows a script, and writes down what it was asked. */
function scriptedModels(steps: readonly ModelStep[]) {
  const requests: ModelRequest[] = [];
  const contentOf = (request: unknown) => {
    const step = steps[requests.length] ?? "The script is at its end.";
    requests.push(request as ModelRequest);
    if (typeof step === "string") return { content: [{ type: "text", text: step }], reason: "stop" };
    const calls = step.map(({ tool, input }, index) => ({
      type: "tool-call",
      toolCallId: `call-${requests.length}-${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    }));
    return { content: calls, reason: "tool-calls" };
  };
  const script = {
    doGenerate: async (request: unknown) => {
      const { content, reason } = contentOf(request);
      return { content, finishReason: { unified: reason, raw: undefined }, usage: USAGE, warnings: [] };
    },
    doStream: async (request: unknown) => {
      const { content, reason } = contentOf(request);
      const said = content.flatMap((part): object[] =>
        "text" in part
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: part.text },
              { type: "text-end", id: "1" },
            ]
          : [part],
      );
      const finish = { type: "finish", finishReason: { unified: reason, raw: undefined }, usage: USAGE };
      const parts = [{ type: "stream-start", warnings: [] }, ...said, finish];
      return { stream: convertArrayToReadableStream(parts) };
    },
  };
  return {
    v7: new MockLanguageModelV4(script as never),
    v6: new MockLanguageModelV3(script as never),
    requests,
  };
}

/** What came of a loop. */
export interface LoopOutcome {
  readonly text: string;
  /** What the model was last given of its tools' results. */
  readonly toModel: readonly { readonly type: string; readonly value: unknown }[];
  readonly requests: readonly ModelRequest[];
  /** What the loop adds to the conversation. */
  readonly messages: readonly unknown[];
}

/** Options of the SDK's own, the same in both majors. */
export type LoopOptions = Readonly<Record<string, unknown>>;

/** One way of one major to run a loop. */
export interface Loop {
  readonly name: string;
  readonly major: 6 | 7;
  run(
    steps: readonly ModelStep[],
    tools: ToolSource | AiSdkToolSet,
    options?: LoopOptions,
  ): Promise<LoopOutcome>;
}

interface Finished {
  readonly text: string;
  readonly response: { readonly messages: readonly unknown[] };
}

function loop(name: string, major: 6 | 7, start: (options: never) => PromiseLike<Finished>): Loop {
  return {
    name: `${name} of AI SDK ${major}`,
    major,
    async run(steps, tools, options = {}) {
      const models = scriptedModels(steps);
      const { text, response } = await start({
        model: major === 7 ? models.v7 : models.v6,
        tools: isSource(tools) ? aiSdkTools(tools, { media: { image: true } }) : tools,
        stopWhen: major === 7 ? ai7.isStepCount(5) : ai6.stepCountIs(5),
        onError: () => {},
        ...(options.messages === undefined ? { prompt: "Do it." } : {}),
        ...options,
      } as never);
      return {
        text,
        messages: response.messages,
        requests: models.requests,
        toModel: resultsIn(models.requests),
      };
    },
  };
}

function isSource(tools: ToolSource | AiSdkToolSet): tools is ToolSource {
  return typeof (tools as ToolSource).callTool === "function";
}

function resultsIn(requests: readonly ModelRequest[]): LoopOutcome["toModel"] {
  const messages = requests.at(-1)?.prompt.filter(({ role }) => role === "tool") ?? [];
  return messages.flatMap(({ content }) =>
    (content as { output?: LoopOutcome["toModel"][number] }[]).flatMap(({ output }) => output ?? []),
  );
}

function loopsOf(sdk: typeof ai7, major: 6 | 7): readonly Loop[] {
  return [
    loop("generateText", major, (options) => sdk.generateText(options)),
    loop("streamText", major, async (options) => {
      const stream = sdk.streamText(options);
      await stream.consumeStream();
      return { text: await stream.text, response: await stream.response };
    }),
    loop("an agent", major, ({ prompt, messages, abortSignal, ...agent }: LoopOptions) => {
      const question = prompt === undefined ? { messages } : { prompt };
      return new sdk.ToolLoopAgent(agent as never).generate({ ...question, abortSignal } as never);
    }),
  ];
}

/** Every way of both majors. */
export const LOOPS: readonly Loop[] = [...loopsOf(ai7, 7), ...loopsOf(ai6 as unknown as typeof ai7, 6)];
