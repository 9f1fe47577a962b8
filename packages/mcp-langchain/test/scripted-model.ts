import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** What the model replies in one step: a text, tool calls, or a whole message. */
export type Step =
  | string
  | AIMessage
  | readonly { readonly tool: string; readonly args: Record<string, unknown> }[];

/** A model that replies with one step after the other, and records what it receives. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  /** The names of the tools on offer at each step. */
  readonly offered: string[][] = [];
  boundTools: BindToolsInput[] = [];
  #calls = 0;
  readonly #steps: readonly Step[];

  /** The API that it says it is for. */
  readonly kind: string;

  constructor(steps: readonly Step[], kind = "scripted") {
    super({});
    this.#steps = steps;
    this.kind = kind;
  }

  override _llmType(): string {
    return this.kind;
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.boundTools = tools;
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const step = this.#steps[this.prompts.length];
    if (step === undefined) throw new Error(`The script has only ${this.#steps.length} steps.`);
    this.prompts.push(messages);
    this.offered.push(this.boundTools.map((tool) => ("name" in tool ? String(tool.name) : "")));
    return { generations: [{ text: typeof step === "string" ? step : "", message: this.#toMessage(step) }] };
  }

  #toMessage(step: Step): AIMessage {
    if (typeof step === "string") return new AIMessage(step);
    if (!Array.isArray(step)) return step as AIMessage;
    const calls = step.map(({ tool: name, args }) => {
      const id = `call-${this.#calls++}`;
      return { type: "tool_call" as const, id, name, args };
    });
    return new AIMessage({ content: "", tool_calls: calls });
  }
}
