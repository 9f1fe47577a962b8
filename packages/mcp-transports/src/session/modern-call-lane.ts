import type { JsonObject, SessionRequestOptions, ToolDefinition } from "@jackfield/mcp-core";
import { areCacheHintsOrMissing } from "../plain-values.ts";
import type { CallLane, CallLaneOptions } from "./call-lane.ts";
import type { RpcAnswer } from "./direct-requests.ts";
import type { Carrier, Exchange } from "./exchange.ts";
import type { Exchanges } from "./exchanges.ts";
import { type AnsweredMethod, isPlainAnswerTo } from "./keeping-schema.ts";
import { hasMarks } from "./mirrored-parameters.ts";
import { sendRequest } from "./send-request.ts";

export interface ModernLaneOptions extends CallLaneOptions {
  readonly method: AnsweredMethod;
  /** Whether parameters that a tool marks are repeated in headers. */
  readonly mirrors: boolean;
}

/**
 * The lane of the modern era (MCP 2026-07-28): a call carries the envelope, and its answer says whether it is complete. Any other answer
 * (a request for input, an error, an unusual result) is left to the SDK, which is given the call together with its answer.
 */
export function createModernLane(options: ModernLaneOptions): CallLane {
  return new ModernLane(options);
}

class ModernLane implements CallLane {
  readonly #options: ModernLaneOptions;
  /** A cache, because looking for marks takes longer than the rest of a call. */
  readonly #marked = new WeakMap<ToolDefinition, boolean>();

  constructor(options: ModernLaneOptions) {
    this.#options = options;
  }

  call(params: JsonObject, request: SessionRequestOptions): Promise<JsonObject> | undefined {
    if (this.#isForSdk(request)) return undefined;
    const { exchanges, method } = this.#options;
    const carrier = new ModernCall(this.#options, params, request);
    return exchanges.carry<JsonObject>({ method, params, request, carrier });
  }

  /** The SDK handles parameters that are repeated in headers, and input requests that the caller answers. */
  #isForSdk({ tool, inputRequired, inputResponses, requestState }: SessionRequestOptions): boolean {
    if (inputRequired === "return" || inputResponses !== undefined || requestState !== undefined) return true;
    return tool !== undefined && this.#options.mirrors && this.#isMarked(tool);
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
  readonly #options: ModernLaneOptions;
  readonly #params: JsonObject;
  readonly #request: SessionRequestOptions;
  #givenUp: AbortController | undefined;

  constructor(options: ModernLaneOptions, params: JsonObject, request: SessionRequestOptions) {
    this.#options = options;
    this.#params = params;
    this.#request = request;
  }

  answered(exchange: Exchange<JsonObject>, given: RpcAnswer): void {
    const { method, exchanges, cutList } = this.#options;
    const answer =
      "result" in given ? ({ ...given, result: cutList(method, given.result) } as typeof given) : given;
    const result = "result" in answer ? completeResult(answer.result, method) : undefined;
    if (result) exchange.succeed(result);
    else if ("result" in answer && isListing(method))
      this.#repair(exchange, answer, answer.result).catch((error) => exchange.onFailed(error));
    else this.#continueThroughSdk(exchange, withCacheHints(answer, method), exchanges);
  }

  givenUp(exchange: Exchange<JsonObject>): void {
    this.#options.exchanges.direct.giveUp(exchange);
    this.#givenUp?.abort(new Error("the caller no longer waits"));
  }

  /** The SDK would refuse a whole list for one invalid item. */
  async #repair(exchange: Exchange<JsonObject>, answer: RpcAnswer, given: JsonObject): Promise<void> {
    const { exchanges, method, repairList } = this.#options;
    const list = await repairList(exchange.subject, given);
    if (!exchange.isWanted()) return;
    const result = completeResult(list, method);
    if (result) exchange.succeed(result);
    else
      this.#continueThroughSdk(
        exchange,
        withCacheHints({ ...answer, result: list } as RpcAnswer, method),
        exchanges,
      );
  }

  #continueThroughSdk(exchange: Exchange<JsonObject>, answer: RpcAnswer, exchanges: Exchanges): void {
    const { clients, method } = this.#options;
    const outgoing = { method, params: this.#params, meta: this.#request.meta };
    this.#givenUp = new AbortController();
    exchanges.continueThroughSdk(exchange, answer, this.#givenUp.signal, (watch) =>
      sendRequest(clients, outgoing, watch),
    );
  }
}

/** Adds missing cache hints, because the SDK refuses lists and resources without them. */
function withCacheHints(answer: RpcAnswer, method: AnsweredMethod): RpcAnswer {
  const holds = isListing(method) || method === "resources/read";
  if (!holds || !("result" in answer) || answer.result.resultType !== "complete") return answer;
  return { ...answer, result: { ttlMs: 0, cacheScope: "private", ...answer.result } };
}

function isListing(method: AnsweredMethod): boolean {
  return method.endsWith("/list");
}

/** The result without `resultType`, if it is complete and has the common form. */
function completeResult(
  { resultType, ...result }: JsonObject,
  method: AnsweredMethod,
): JsonObject | undefined {
  const isPlain =
    resultType === "complete" && areCacheHintsOrMissing(result) && isPlainAnswerTo(method)(result);
  return isPlain ? result : undefined;
}
