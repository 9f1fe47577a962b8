import type { JsonObject, McpError, ToolDefinition } from "@jackfield/mcp-core";
import type { CallLane, CallLaneOptions, LaneCall } from "./call-lane.ts";
import type { RpcAnswer } from "./direct-requests.ts";
import type { Carrier, Exchange } from "./exchange.ts";
import type { Exchanges } from "./exchanges.ts";
import { hasMarks } from "./mirrored-parameters.ts";
import { isPlainResult } from "./plain-result.ts";
import { mirrorsParameters, sendRequest } from "./send-request.ts";

const METHOD = "tools/call";

/**
 * The lane of the era of MCP 2026-07-28: a call carries the envelope, and its answer says whether it is complete. Whatever else an answer
 * says, a question, an error, a result of another kind, is left to the SDK, which is given the call together with its answer.
 */
export function createModernLane(options: CallLaneOptions): CallLane {
  return new ModernLane(options);
}

class ModernLane implements CallLane {
  readonly #options: CallLaneOptions;
  /** Looking for marks takes longer than the rest of a call. */
  readonly #marked = new WeakMap<ToolDefinition, boolean>();

  constructor(options: CallLaneOptions) {
    this.#options = options;
  }

  /** Parameters that are repeated in headers, and questions that are answered by the caller, are the SDK's affair. */
  takes({ request }: LaneCall): boolean {
    const { tool, inputRequired, inputResponses, requestState } = request;
    if (inputRequired === "return" || inputResponses !== undefined || requestState !== undefined)
      return false;
    return tool === undefined || !mirrorsParameters(this.#options.clients) || !this.#isMarked(tool);
  }

  call(call: LaneCall): Promise<JsonObject> {
    const { exchanges } = this.#options;
    const { params, request, limits } = call;
    const subject = { method: METHOD, tool: params.name as string | undefined };
    const carrier = new ModernCall(this.#options, call);
    const exchange = exchanges.begin<JsonObject>({ subject, request, limits, carrier });
    exchanges.direct.send(exchange, METHOD, request.meta ? { ...params, _meta: request.meta } : params);
    return exchange.outcome;
  }

  #isMarked(tool: ToolDefinition): boolean {
    const known = this.#marked.get(tool);
    if (known !== undefined) return known;
    const isMarked = hasMarks(tool);
    this.#marked.set(tool, isMarked);
    return isMarked;
  }
}

class ModernCall implements Carrier<JsonObject> {
  readonly #options: CallLaneOptions;
  readonly #call: LaneCall;
  #givenUp: AbortController | undefined;

  constructor(options: CallLaneOptions, call: LaneCall) {
    this.#options = options;
    this.#call = call;
  }

  answered(exchange: Exchange<JsonObject>, answer: RpcAnswer): void {
    const result = "result" in answer ? completeResult(answer.result) : undefined;
    if (result) exchange.succeed(result);
    else this.#handOver(exchange, answer, this.#options.exchanges);
  }

  settled(exchange: Exchange<JsonObject>, error?: McpError): void {
    if (error) {
      this.#options.exchanges.direct.giveUp(exchange);
      this.#givenUp?.abort(new Error("the caller no longer waits"));
    }
    this.#options.onSettled(error);
  }

  #handOver(exchange: Exchange<JsonObject>, answer: RpcAnswer, exchanges: Exchanges): void {
    const { clients } = this.#options;
    const { params, request } = this.#call;
    this.#givenUp = new AbortController();
    exchanges.handOver(exchange, answer, this.#givenUp.signal, (watch) =>
      sendRequest(clients, { method: METHOD, params, meta: request.meta }, watch),
    );
  }
}

/** A result that is complete, and of the kind nearly every one is, without the word that says so. */
function completeResult({ resultType, ...result }: JsonObject): JsonObject | undefined {
  return resultType === "complete" && isPlainResult(result) ? result : undefined;
}
