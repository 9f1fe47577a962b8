import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** What the model says in one step: a text, or calls of tools. */
export type Step = string | readonly { readonly tool: string; readonly args: Record<string, unknown> }[];

/** A model that says one step after the other, and remembers what it was given. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  boundTools: BindToolsInput[] = [];
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    super({});
    this.#steps = steps;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.boundTools = tools;
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const step = this.#steps[this.prompts.length];
    if (step === undefined) throw new Error(`The script has only ${this.#steps.length} steps.`);
    this.prompts.push(messages);
    return { generations: [{ text: typeof step === "string" ? step : "", message: toMessage(step) }] };
  }
}

function toMessage(step: Step): AIMessage {
  if (typeof step === "string") return new AIMessage(step);
  return new AIMessage({
    content: "",
    tool_calls: step.map(({ tool, args }, index) => ({
      type: "tool_call",
      id: `call-${index}`,
      name: tool,
      args,
    })),
  });
}
