import { isRecord, type JsonObject } from "@jackfield/mcp-core";

export interface ChatMessage {
  readonly role: string;
  /** Text or a list of parts, as it was sent. */
  readonly content: unknown;
  /** The call that a message of the role `tool` answers. */
  readonly toolCallId?: string | undefined;
}

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonObject;
}

/** What the offline model reads of a request to `/v1/chat/completions`. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Those that may be called: none if `tool_choice` is `none`. */
  readonly tools: readonly ChatTool[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/** The request is not one that the endpoint understands; the message says why. */
export class BadChatRequest extends Error {
  override readonly name = "BadChatRequest";
}

/** Reads a request body. @throws BadChatRequest */
export function parseChatRequest(body: string): ChatRequest {
  const request = parseJson(body);
  if (!isRecord(request)) throw new BadChatRequest("The body must be a JSON object.");
  if (!Array.isArray(request.messages) || request.messages.length === 0) {
    throw new BadChatRequest("`messages` must be a list with at least one message.");
  }
  const tools = Array.isArray(request.tools) && request.tool_choice !== "none" ? request.tools : [];
  const streamOptions = isRecord(request.stream_options) ? request.stream_options : {};
  return {
    messages: request.messages.map(parseMessage),
    tools: tools.map(parseTool),
    stream: request.stream === true,
    includeUsage: streamOptions.include_usage === true,
  };
}

/** The text of a message, whether it was sent as one string or as parts. */
export function messageText(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return "";
  return message.content
    .flatMap((part: unknown) => (isRecord(part) && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}

function parseMessage(message: unknown): ChatMessage {
  if (!isRecord(message) || typeof message.role !== "string") {
    throw new BadChatRequest("Every message must be an object with a `role`.");
  }
  const { role, content, tool_call_id: id } = message;
  return { role, content, ...(typeof id === "string" ? { toolCallId: id } : {}) };
}

function parseTool(tool: unknown): ChatTool {
  const definition = isRecord(tool) && isRecord(tool.function) ? tool.function : {};
  const { name, description, parameters } = definition;
  if (typeof name !== "string") throw new BadChatRequest("Every tool must be a function with a `name`.");
  return {
    name,
    description: typeof description === "string" ? description : "",
    parameters: isRecord(parameters) ? parameters : {},
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new BadChatRequest("The body is not JSON.", { cause });
  }
}
