/** The tool every call goes to. It answers with the text it was given. */
export const ECHO_TOOL = "echo";

/** How many tools each server offers. */
export const TOOLS_PER_SERVER = 10;

/** A JSON-RPC message as far as the servers look at it. */
export interface IncomingMessage {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** What each server lists. */
export const TOOLS = toolsOf(TOOLS_PER_SERVER);

/** What a server lists that has so many tools. */
export function toolsOf(count: number): object[] {
  return Array.from({ length: count }, (_, index) => tool(index === 0 ? ECHO_TOOL : `tool-${index}`));
}

/** Answers a request of the legacy era as JSON text; `undefined` for a notification. */
export function answer({ id, method, params }: IncomingMessage, tools = TOOLS): string | undefined {
  if (id === undefined) return undefined;
  const result = method === "tools/list" ? { tools } : resultOf(method, params);
  const outcome = result ? { result } : { error: { code: -32601, message: `Method not found: ${method}` } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...outcome });
}

function resultOf(method: string | undefined, params: IncomingMessage["params"]): object | undefined {
  switch (method) {
    case "tools/call":
      return { content: [{ type: "text", text: readText(params?.arguments) }] };
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "bench-server", version: "1.0.0" },
      };
    case "ping":
      return {};
    default:
      return undefined;
  }
}

/** The text, once or as often as is asked for: so a long answer needs no long request. */
function readText(args: unknown): string {
  if (typeof args !== "object" || args === null || !("text" in args)) return "";
  return "repeat" in args ? String(args.text).repeat(Number(args.repeat)) : String(args.text);
}

/** Like a tool of a real server: about 600 bytes of schema. */
function tool(name: string): object {
  const field = (description: string) => ({ type: "string", description });
  return {
    name,
    description:
      "Answers with the text it was given, so that a client can see that the right call was answered.",
    inputSchema: {
      type: "object",
      properties: {
        text: field("The text that is answered, unchanged, whatever it says."),
        repeat: { type: "integer", minimum: 1, description: "How often the text is answered." },
        language: field("The language of the text, as a BCP 47 tag, for example en-GB; it changes nothing."),
        audience: {
          type: "string",
          enum: ["user", "assistant", "both"],
          description: "Whom the text is meant for.",
        },
        priority: {
          type: "number",
          minimum: 0,
          maximum: 1,
          description: "How much it matters, from 0 to 1.",
        },
        tags: { type: "array", items: { type: "string" }, description: "Words to file the text under." },
      },
      required: ["text"],
      additionalProperties: false,
    },
  };
}
