import type { JsonObject, ToolDefinition } from "@jackfield/mcp-core";
import type { ConversationScript } from "./fault-script.ts";
import { isAnswer, type RpcError, type RpcId, type RpcMessage } from "./rpc-message.ts";
import { answerTool, DEFAULT_TOOLS, ENVIRONMENT_TOOL } from "./tool-answer.ts";

const MODERN_VERSION = "2026-07-28";
const LEGACY_VERSION = "2025-11-25";
const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;
const SERVER_INFO = { name: "jackfield-fault-server", version: "1.0.0" };
const LIST_METHODS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
const CACHEABLE_METHODS = ["server/discover", "resources/read", ...LIST_METHODS];
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** A message to send. */
export interface FaultStep {
  readonly message: RpcMessage;
  /** Counted from the arrival of the message that caused it. */
  readonly afterMs: number;
  /** The message belongs to the request that caused it, to the session as a whole, or to the subscription with this id. */
  readonly channel: "request" | "session" | { readonly subscription: RpcId };
}

/** A server's side of the conversation, independent of the transport. */
export interface FaultBrain {
  /** Returns what to send in response to a message, in order. */
  receive(message: RpcMessage): readonly FaultStep[];
}

/** Options of a brain besides its script. */
export interface FaultBrainOptions {
  /** The result of the tool `environment`, which is offered only if this is set. */
  readonly environment?: JsonObject | undefined;
}

/** Thrown and caught within this file; becomes the error of an answer. */
class Refusal extends Error {
  readonly error: RpcError;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.error = { code, message, ...(data === undefined ? {} : { data }) };
  }
}

/** Makes a brain that follows the script. */
export function createFaultBrain(script: ConversationScript, options: FaultBrainOptions = {}): FaultBrain {
  return new ScriptedBrain(script, options.environment);
}

class ScriptedBrain implements FaultBrain {
  readonly #script: ConversationScript;
  readonly #environment: JsonObject | undefined;
  readonly #subscriptions = new Set<RpcId>();
  #tools: readonly ToolDefinition[];

  constructor(script: ConversationScript, environment: JsonObject | undefined) {
    this.#script = script;
    this.#environment = environment;
    this.#tools = [...(script.tools ?? DEFAULT_TOOLS), ...(environment ? [ENVIRONMENT_TOOL] : [])];
  }

  receive(message: RpcMessage): readonly FaultStep[] {
    const { id, method, params = {} } = message;
    if (isAnswer(message) || method === undefined) return [];
    if (id === undefined) {
      if (method === "notifications/cancelled") this.#subscriptions.delete(params.requestId as RpcId);
      return [];
    }
    const lateMs = this.#script.answerLateMs?.[method] ?? 0;
    const steps = this.#progress(method, params, lateMs);
    if (this.#script.silentOn?.includes(method)) return steps;
    steps.push({ message: this.#answer(id, method, params), afterMs: lateMs, channel: "request" });
    if (method === "tools/call") steps.push(...this.#changeList(lateMs));
    return steps;
  }

  #answer(id: RpcId, method: string, params: JsonObject): RpcMessage {
    try {
      const error = this.#script.errorOn?.[method];
      if (error) throw new Refusal(error.code, error.message, error.data);
      const modern = this.#isModern(method, params);
      if (modern && method === "subscriptions/listen") return this.#acknowledge(id, params);
      const result = this.#result(method, params);
      return { jsonrpc: "2.0", id, result: modern ? this.#stamped(method, result) : result };
    } catch (error) {
      if (error instanceof Refusal) return { jsonrpc: "2.0", id, error: error.error };
      throw error;
    }
  }

  /** Whether a request is of the modern era. Throws a `Refusal` if the script's era does not serve it. */
  #isModern(method: string, params: JsonObject): boolean {
    const { era = "legacy" } = this.#script;
    const meta = (params._meta ?? {}) as JsonObject;
    const requested = meta[META.protocolVersion];
    const modern = method === "server/discover" || requested !== undefined;
    if (era === "legacy" && method === "server/discover") throw methodNotFound(method);
    if (era === "legacy") return false;
    if (era === "modern" && (method === "initialize" || method === "ping")) throw methodNotFound(method);
    if (!modern && era === "dual") return false;
    if (requested === undefined || meta[META.clientCapabilities] === undefined) {
      throw new Refusal(
        -32602,
        `The "_meta" of ${method} lacks the protocol version or the client's capabilities.`,
      );
    }
    const supported = this.#script.protocolVersion ?? MODERN_VERSION;
    if (requested !== supported) {
      const data = { supported: [supported], requested };
      throw new Refusal(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", data);
    }
    return true;
  }

  #result(method: string, params: JsonObject): JsonObject {
    const { resources = [], prompts = [], protocolVersion } = this.#script;
    switch (method) {
      case "server/discover":
        return { supportedVersions: [protocolVersion ?? MODERN_VERSION], ...this.#introduction() };
      case "initialize": {
        const agreed = protocolVersion ?? params.protocolVersion ?? LEGACY_VERSION;
        return { protocolVersion: agreed, serverInfo: SERVER_INFO, ...this.#introduction() };
      }
      case "ping":
      case "logging/setLevel":
      case "resources/subscribe":
      case "resources/unsubscribe":
        return {};
      case "tools/list":
        return this.#page(params.cursor);
      case "tools/call":
        return this.#call(params);
      case "resources/list":
        return { resources };
      case "resources/templates/list":
        return { resourceTemplates: [] };
      case "resources/read":
        return { contents: [{ uri: params.uri, text: `The text of ${String(params.uri)}.` }] };
      case "prompts/list":
        return { prompts };
      case "prompts/get":
        return {
          messages: [{ role: "user", content: { type: "text", text: `The prompt ${String(params.name)}.` } }],
        };
      default:
        throw methodNotFound(method);
    }
  }

  #introduction(): JsonObject {
    const { resources, prompts, instructions } = this.#script;
    const capabilities = {
      tools: { listChanged: true },
      ...(resources ? { resources: { subscribe: true, listChanged: true } } : {}),
      ...(prompts ? { prompts: { listChanged: true } } : {}),
    };
    return { capabilities, ...(instructions === undefined ? {} : { instructions }) };
  }

  #page(cursor: unknown): JsonObject {
    const { pageSize = this.#tools.length, repeatCursor, endlessPages } = this.#script;
    if (repeatCursor) return { tools: this.#tools, nextCursor: "again" };
    const start = cursor === undefined ? 0 : Number(cursor);
    if (endlessPages) return { tools: start === 0 ? this.#tools : [], nextCursor: String(start + 1) };
    const end = start + pageSize;
    const tools = this.#tools.slice(start, end);
    return end < this.#tools.length ? { tools, nextCursor: String(end) } : { tools };
  }

  #call(params: JsonObject): JsonObject {
    const name = String(params.name);
    if (!this.#tools.some((tool) => tool.name === name)) {
      throw new Refusal(-32602, `Unknown tool: ${name}`);
    }
    return answerTool(name, (params.arguments ?? {}) as JsonObject, this.#environment ?? {});
  }

  #progress(method: string, params: JsonObject, lateMs: number): FaultStep[] {
    const progressToken = (params._meta as JsonObject | undefined)?.progressToken;
    const { progress: total = 0, constantProgress } = this.#script;
    if (method !== "tools/call" || progressToken === undefined) return [];
    return Array.from({ length: total }, (_, index) => ({
      message: {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: constantProgress ? 1 : index + 1, total },
      },
      afterMs: (lateMs * (index + 1)) / (total + 1),
      channel: "request",
    }));
  }

  #acknowledge(id: RpcId, params: JsonObject): RpcMessage {
    const notifications = (params.notifications ?? {}) as JsonObject;
    if (notifications.toolsListChanged === true) this.#subscriptions.add(id);
    return {
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [META.subscriptionId]: id }, notifications },
    };
  }

  #changeList(afterMs: number): readonly FaultStep[] {
    const change = this.#script.listChangedAfterCall;
    if (!change) return [];
    if (change !== true) this.#tools = change;
    const message: RpcMessage = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    const { era = "legacy" } = this.#script;
    if (era === "legacy" || (era === "dual" && this.#subscriptions.size === 0)) {
      return [{ message, afterMs, channel: "session" }];
    }
    return [...this.#subscriptions].map((id) => ({
      message: { ...message, params: { _meta: { [META.subscriptionId]: id } } },
      afterMs,
      channel: { subscription: id },
    }));
  }

  /** Adds the members that protocol 2026-07-28 requires in every result, and in cacheable ones. */
  #stamped(method: string, result: JsonObject): JsonObject {
    const cacheable = CACHEABLE_METHODS.includes(method);
    return {
      resultType: "complete",
      ...result,
      ...(cacheable ? { ttlMs: this.#script.ttlMs ?? 0, cacheScope: "private" } : {}),
      _meta: { [META.serverInfo]: SERVER_INFO },
    };
  }
}

function methodNotFound(method: string): Refusal {
  return new Refusal(-32601, `Method not found: ${method}`);
}
