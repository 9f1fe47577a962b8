import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { API_RULES } from "../api-rules.ts";
import { startLocalHttpServer } from "./local-http-server.ts";

/** What a model says in one turn. */
export type ModelTurn = string | { readonly tool: string; readonly args: JsonObject };

/** A stand-in for the APIs of five makers of models: OpenAI's two, Anthropic's, Gemini's and Bedrock's. */
export interface ModelApi extends AsyncDisposable {
  readonly url: string;
  /** The requests it was sent, in order. */
  readonly bodies: readonly JsonObject[];
  /** Why requests were refused, as the real API would refuse them. */
  readonly refusals: readonly string[];
}

type Kind = "responses" | "chat" | "anthropic" | "gemini" | "bedrock";

/** @param turns - what the model says, the last one again and again */
export async function startModelApi(turns: readonly ModelTurn[]): Promise<ModelApi> {
  const bodies: JsonObject[] = [];
  const refusals: string[] = [];
  const server = await startLocalHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text) as JsonObject;
    const kind = kindOf(request.url ?? "");
    const turn = turns[Math.min(bodies.length, turns.length - 1)] ?? "";
    bodies.push(body);
    const wrong = [
      ...(hasHalfPair(text) ? ["no low surrogate in string"] : []),
      ...toolProblems(kind, body),
      ...problemsOf(kind, body),
    ];
    refusals.push(...wrong);
    response.writeHead(wrong.length > 0 ? 400 : 200, { "content-type": "application/json" });
    const message = wrong.join("; ");
    const refusal = { type: "error", message, error: { type: "invalid_request_error", code: 400, message } };
    response.end(JSON.stringify(wrong.length > 0 ? refusal : answer(kind, turn, bodies.length)));
  });
  return { url: server.origin, bodies, refusals, [Symbol.asyncDispose]: () => server.close() };
}

function kindOf(path: string): Kind {
  if (path.includes("/responses")) return "responses";
  if (path.includes("/chat/completions")) return "chat";
  if (path.includes("/messages")) return "anthropic";
  return path.includes("/converse") ? "bedrock" : "gemini";
}

/** Strict parsers of JSON refuse an escaped half of a surrogate pair. */
function hasHalfPair(json: string): boolean {
  return !(JSON.stringify(JSON.parse(json)).match(/\\ud[89a-f][0-9a-f]{2}/i) === null);
}

function answer(kind: Kind, turn: ModelTurn, at: number): object {
  const said = typeof turn === "string" ? turn : undefined;
  const call = typeof turn === "string" ? undefined : { id: `call_${at}`, name: turn.tool, args: turn.args };
  const written = call && JSON.stringify(call.args);
  switch (kind) {
    case "responses":
      return {
        ...{ id: `resp_${at}`, object: "response", created_at: 1, status: "completed", model: "m" },
        ...{ error: null, incomplete_details: null, tools: [] },
        output: call
          ? [
              {
                type: "function_call",
                id: `fc_${at}`,
                call_id: call.id,
                name: call.name,
                arguments: written,
                status: "completed",
              },
            ]
          : [
              {
                type: "message",
                id: `msg_${at}`,
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: said, annotations: [] }],
              },
            ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      };
    case "chat":
      return {
        ...{ id: `chat_${at}`, object: "chat.completion", created: 1, model: "m" },
        choices: [
          {
            index: 0,
            finish_reason: call ? "tool_calls" : "stop",
            message: {
              role: "assistant",
              content: said ?? null,
              ...(call && {
                tool_calls: [
                  { id: call.id, type: "function", function: { name: call.name, arguments: written } },
                ],
              }),
            },
          },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
    case "anthropic":
      return {
        ...{ id: `msg_${at}`, type: "message", role: "assistant", model: "m", stop_sequence: null },
        content: call
          ? [{ type: "tool_use", id: call.id, name: call.name, input: call.args }]
          : [{ type: "text", text: said }],
        stop_reason: call ? "tool_use" : "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      };
    case "gemini":
      return {
        candidates: [
          {
            index: 0,
            finishReason: "STOP",
            content: {
              role: "model",
              parts: [call ? { functionCall: { name: call.name, args: call.args } } : { text: said }],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      };
    case "bedrock":
      return {
        output: {
          message: {
            role: "assistant",
            content: [
              call ? { toolUse: { toolUseId: call.id, name: call.name, input: call.args } } : { text: said },
            ],
          },
        },
        stopReason: call ? "tool_use" : "end_turn",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
      };
  }
}

/** The parts of the last tool's result in a request: texts as they are, media by their type in ‹›. */
export function toolResultIn(body: JsonObject): readonly string[] {
  if (Array.isArray(body.input)) return partsOf(body.input.findLast(isToolOutput)?.output);
  const contents = (body.messages ?? body.contents) as readonly JsonObject[];
  const last = contents.findLast(
    ({ role, content, parts }) =>
      role === "tool" ||
      JSON.stringify([content, parts]).includes("oolResult") ||
      JSON.stringify([content, parts]).match(/"tool_result"|"functionResponse"/),
  );
  if (last === undefined) return [];
  if (last.role === "tool") return partsOf(last.content);
  if (Array.isArray(last.parts)) return last.parts.flatMap(geminiPart);
  return (last.content as readonly JsonObject[]).flatMap((block) => {
    if (block.type === "tool_result") return partsOf(block.content);
    return isRecord(block.toolResult) ? partsOf(block.toolResult.content) : [];
  });
}

function isToolOutput(item: unknown): item is JsonObject {
  return isRecord(item) && item.type === "function_call_output";
}

function partsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  return Array.isArray(content) ? content.map(partText) : [];
}

function partText(part: unknown): string {
  if (!isRecord(part)) return String(part);
  if (typeof part.text === "string") return part.text;
  const media = JSON.stringify(part).match(
    /data:([\w.+-]+\/[\w.+-]+);base64|"(?:media_type|mimeType)":"([^"]+)"|"format":"(\w+)"/,
  );
  return media ? `‹${media[1] ?? media[2] ?? media[3]}›` : JSON.stringify(part);
}

function geminiPart(part: unknown): readonly string[] {
  if (!isRecord(part)) return [];
  if (isRecord(part.inlineData)) return [`‹${String(part.inlineData.mimeType)}›`];
  if (!isRecord(part.functionResponse)) return [];
  const { response, parts } = part.functionResponse as { response: JsonObject; parts?: readonly unknown[] };
  const value = response.content ?? response.result ?? response.error ?? response;
  const detail = isRecord(value) && Object.keys(value).join() === "details" ? value.details : value;
  return [typeof detail === "string" ? detail : JSON.stringify(detail), ...(parts ?? []).flatMap(geminiPart)];
}

// ------------------------------------------------------------------------------------------------------------ what APIs refuse

const IMAGE_STARTS: Readonly<Record<string, string>> = {
  "image/gif": "R0lGOD",
  "image/jpeg": "/9j/",
  "image/png": "iVBORw0KGgo",
  "image/webp": "UklGR",
};

/** By the texts of errors of the real APIs in public reports. */
function problemsOf(kind: Kind, body: JsonObject): readonly string[] {
  const written = toolResultIn(body).filter((text) => /[A-Za-z0-9+/]{300}/.test(text));
  const asText = written.map(() => "base64 as text");
  switch (kind) {
    case "chat": {
      const messages = body.messages as readonly JsonObject[];
      const tools = messages
        .filter(({ role }) => role === "tool")
        .flatMap(({ content }) => (Array.isArray(content) ? content : []));
      return [
        ...asText,
        ...strictTools(body),
        ...tools
          .filter((part) => part.type !== "text")
          .map(() => "Invalid value: 'image'. Supported values are: 'text'."),
      ];
    }
    case "anthropic":
      return [
        ...asText,
        ...(body.messages as readonly JsonObject[]).flatMap(({ content }) =>
          Array.isArray(content) ? content.flatMap(anthropicProblems) : [],
        ),
      ];
    case "responses":
      return [...asText, ...dataUrls(body).flatMap(imageProblems)];
    case "gemini":
      return [
        ...asText,
        ...(JSON.stringify(body).match(/"mimeType":"[^"]+"/g) ?? [])
          .filter((type) => !/png|jpeg|webp|pdf/.test(type))
          .map((type) => `Unsupported MIME type: ${type}`),
      ];
    case "bedrock":
      return asText;
  }
}

const RULES_OF = {
  responses: API_RULES["OpenAI Responses"],
  chat: API_RULES["OpenAI Chat Completions"],
  anthropic: API_RULES.Anthropic,
  gemini: API_RULES.Gemini,
  bedrock: API_RULES["Amazon Bedrock"],
} as const;

/** One tool that is refused fails the whole request. A schema that a provider's package left out is none that the API sees. */
function toolProblems(kind: Kind, body: JsonObject): readonly string[] {
  return toolsIn(kind, body).flatMap(({ name, schema }) =>
    schema === undefined ? [] : (RULES_OF[kind]?.(schema) ?? []).map((why) => `${name}: ${why}`),
  );
}

/** The tools that a request offers, with the schemas as the API gets them. */
function toolsIn(
  kind: Kind,
  body: JsonObject,
): readonly { readonly name: string; readonly schema: unknown }[] {
  const { tools, toolConfig } = body as Readonly<Record<string, unknown>> & {
    readonly tools?: readonly Readonly<Record<string, unknown>>[];
    readonly toolConfig?: { readonly tools?: readonly { toolSpec?: JsonObject }[] };
  };
  const of = (tool: unknown, key: string) =>
    isRecord(tool) ? [{ name: String(tool.name), schema: tool[key as keyof typeof tool] as unknown }] : [];
  switch (kind) {
    case "responses":
      return (tools ?? [])
        .filter(({ type }) => type === "function")
        .flatMap((tool) => of(tool, "parameters"));
    case "chat":
      return (tools ?? []).flatMap((tool) => of(tool.function, "parameters"));
    case "anthropic":
      return (tools ?? []).flatMap((tool) => of(tool, "input_schema"));
    case "gemini":
      return (tools ?? []).flatMap(({ functionDeclarations }) =>
        (Array.isArray(functionDeclarations) ? functionDeclarations : []).flatMap((tool) =>
          of(tool, "parameters"),
        ),
      );
    case "bedrock":
      return (toolConfig?.tools ?? []).flatMap(({ toolSpec }) =>
        isRecord(toolSpec?.inputSchema)
          ? [{ name: String(toolSpec?.name), schema: toolSpec.inputSchema.json }]
          : [],
      );
  }
}

function anthropicProblems(block: JsonObject): readonly string[] {
  if (block.type === "text")
    return /\S/.test(String(block.text)) ? [] : ["text content blocks must contain non-whitespace text"];
  if (block.type === "tool_result")
    return Array.isArray(block.content) ? block.content.flatMap(anthropicProblems) : [];
  if (!isRecord(block.source) || block.source.type !== "base64") return [];
  const { media_type: type, data } = block.source;
  if (block.type === "document")
    return type === "application/pdf" ? [] : ["document: Input should be 'application/pdf'"];
  return [...imageProblems([String(type), String(data)]), ...sizeProblems(String(data))];
}

function sizeProblems(data: string): readonly string[] {
  const start = Buffer.from(data.slice(0, 32), "base64");
  if (data.length > 5 * 2 ** 20) return ["image exceeds 5 MB maximum"];
  if (!data.startsWith(IMAGE_STARTS["image/png"] ?? "") || start.length < 24) return [];
  return Math.max(start.readUInt32BE(16), start.readUInt32BE(20)) > 8_000
    ? ["At least one of the image dimensions exceed max allowed size: 8000 pixels"]
    : [];
}

function imageProblems([type, data]: readonly [type: string, data: string]): readonly string[] {
  if (type === "application/pdf") return [];
  const start = IMAGE_STARTS[type];
  if (start === undefined) return [`media_type: ${type} is not supported`];
  return data.startsWith(start) ? [] : [`the image is no ${type}`];
}

function dataUrls(body: JsonObject): readonly (readonly [string, string])[] {
  return [...JSON.stringify(body).matchAll(/"data:([^;"]+);base64,([^"]*)"/g)].map(
    ([, type = "", data = ""]) => [type, data],
  );
}

/** Tools that say that they are strict, and are not. */
function strictTools(body: JsonObject): readonly string[] {
  const tools = (body.tools ?? []) as readonly { function: { strict?: boolean; parameters: JsonObject } }[];
  return tools.flatMap((tool) =>
    tool.function.strict === true ? openObjects(tool.function.parameters) : [],
  );
}

function openObjects(schema: unknown): readonly string[] {
  if (!isRecord(schema)) return [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const names = Array.isArray(schema.required) ? schema.required : [];
  const isOpen = [schema.type].flat().includes("object") && schema.additionalProperties !== false;
  return [
    ...(isOpen ? ["'additionalProperties' is required to be supplied and to be false."] : []),
    ...Object.keys(properties)
      .filter((name) => !names.includes(name))
      .map(() => "'required' is required to be an array including every key in properties."),
    ...Object.values(properties).flatMap(openObjects),
  ];
}
