import type { JsonObject } from "@jackfield/mcp-core";
import { fillArguments } from "./argument-filling.ts";
import { type ChatMessage, type ChatRequest, type ChatTool, messageText } from "./chat-request.ts";
import { withoutQuotedText } from "./prompt-values.ts";
import { chooseTool } from "./tool-choice.ts";
import { describeToolResult } from "./tool-result-text.ts";

/** The name under which the stand-in answers, whatever model was asked for. */
export const OFFLINE_MODEL = "offline-stand-in";

/** What the model says: words, or one tool call. */
export type ChatReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string; readonly args: JsonObject };

/** The tool by which others are found. */
const SEARCH = "search_tools";

const INTRODUCTION = `(This is ${OFFLINE_MODEL}: not a language model, but rules that pick a tool by its words.)`;

/**
 * Answers a conversation by rule; the same conversation always gets the same answer. What a person says becomes a call
 * of the tool whose words it shares; what a tool answers is repeated in words.
 */
export function replyTo(request: ChatRequest): ChatReply {
  const last = request.messages.at(-1);
  const hasSearched = last?.role === "tool" && last.toolCallId?.startsWith(SEARCH) === true;
  if (last?.role === "tool" && !hasSearched) return say(describeToolResult(last.content), request.messages);
  const said = hasSearched ? request.messages.findLast(({ role }) => role === "user") : last;
  const prompt = said === undefined ? "" : messageText(said);
  const tool = chooseTool(
    prompt,
    request.tools.filter(({ name }) => name !== SEARCH),
  );
  if (tool === undefined && !hasSearched && request.tools.some(({ name }) => name === SEARCH)) {
    const args = { query: withoutQuotedText(prompt) };
    return { kind: "tool-call", id: `${SEARCH}_${request.messages.length}`, name: SEARCH, args };
  }
  if (tool === undefined) return say(describeAbilities(request.tools), request.messages);
  const { args, missing } = fillArguments(tool.parameters, prompt);
  if (missing.length > 0) return say(askFor(tool, missing), request.messages);
  return { kind: "tool-call", id: `call_${request.messages.length}`, name: tool.name, args };
}

/** The first text of a conversation introduces the stand-in. */
function say(text: string, earlier: readonly ChatMessage[]): ChatReply {
  const introduced = earlier.some((message) => message.role === "assistant" && messageText(message) !== "");
  return { kind: "text", text: introduced ? text : `${INTRODUCTION}\n${text}` };
}

function describeAbilities(tools: readonly ChatTool[]): string {
  if (tools.length === 0) return "I can only call tools, and none are available.";
  const names = tools.slice(0, 5).map((tool) => tool.name);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
  return (
    `I cannot talk, I can only call tools: ${names.join(", ")}${more}. Name what you want in a tool's own words, and ` +
    'put the values in quotes, for example: write a file with path "hello.txt" and content "Hello".'
  );
}

function askFor(tool: ChatTool, missing: readonly string[]): string {
  const named = missing.map((name) => `${name} "…"`).join(" and ");
  return `For ${tool.name} I need more from you. Say it again with ${named}.`;
}
