import type { JsonObject, SessionRequestOptions } from "@jackfield/mcp-core";
import type { ClientAccess } from "./client-access.ts";
import { errorOf, type RpcAnswer } from "./direct-requests.ts";
import type { Carrier, Exchange } from "./exchange.ts";
import type { Exchanges } from "./exchanges.ts";
import { withAnswers } from "./input-required.ts";
import { type AnsweredMethod, isPlainAnswerTo, keepingSchema } from "./keeping-schema.ts";
import type { ListRepairer } from "./list-repairer.ts";
import type { CutList } from "./session-list.ts";

/**
 * Requests that bypass the SDK's client, which inspects every answer three times and gives every call a timer and several promises. A
 * lane recognises the common form of an answer itself; any other answer goes through the SDK's schemas.
 */
export interface CallLane {
  /**
   * Makes a call. Rejects with an `McpError`. `undefined` if the call needs something that only the SDK's client can do.
   *
   * @param params - for a tool call, they contain the tool's `name`
   */
  call(params: JsonObject, request: SessionRequestOptions): Promise<JsonObject> | undefined;
}

export interface CallLaneOptions {
  readonly exchanges: Exchanges;
  readonly clients: ClientAccess;
  readonly cutList: CutList;
  readonly repairList: ListRepairer;
}

export interface LegacyLaneOptions extends CallLaneOptions {
  readonly method: AnsweredMethod;
}

/** The lane of the legacy era. Messages have no envelope there, so all methods are carried alike. */
export function createLegacyLane(options: LegacyLaneOptions): CallLane {
  return new LegacyLane(options);
}

/** It is the carrier of all its calls, so that a call needs no object beside its exchange. */
class LegacyLane implements CallLane, Carrier<JsonObject> {
  readonly #method: AnsweredMethod;
  readonly #exchanges: Exchanges;
  readonly #clients: ClientAccess;
  readonly #isPlainAnswer: (result: unknown) => result is JsonObject;
  readonly #cutList: CutList;
  readonly #repairList: ListRepairer;

  constructor({ method, exchanges, clients, cutList, repairList }: LegacyLaneOptions) {
    this.#method = method;
    this.#exchanges = exchanges;
    this.#clients = clients;
    this.#isPlainAnswer = isPlainAnswerTo(method);
    this.#cutList = cutList;
    this.#repairList = repairList;
  }

  call(params: JsonObject, request: SessionRequestOptions): Promise<JsonObject> {
    return this.#exchanges.carry<JsonObject>({
      method: this.#method,
      params: withAnswers(params, request),
      request,
      carrier: this,
    });
  }

  answered(exchange: Exchange<JsonObject>, answer: RpcAnswer): void {
    if (!("result" in answer)) {
      exchange.onFailed(errorOf(answer));
      return;
    }
    const result = this.#cutList(this.#method, answer.result);
    if (this.#isPlainAnswer(result) && !("resultType" in result)) exchange.succeed(result);
    else this.#check(exchange, result).catch((error) => exchange.onFailed(error));
  }

  givenUp(exchange: Exchange<JsonObject>): void {
    this.#exchanges.direct.giveUp(exchange);
  }

  async #check(exchange: Exchange<JsonObject>, given: unknown): Promise<void> {
    const own = withoutResultType(given);
    const result = this.#isPlainAnswer(own)
      ? own
      : await this.#repairList(exchange.subject, own as JsonObject);
    if (this.#isPlainAnswer(result)) return exchange.succeed(result);
    const { sdk } = await this.#clients.get();
    const outcome = await keepingSchema(sdk, this.#method)["~standard"].validate(result);
    if (!outcome.issues) {
      exchange.succeed(outcome.value);
      return;
    }
    const issues = outcome.issues.map(({ message }) => message).join("; ");
    exchange.onFailed(new SyntaxError(`Invalid result for ${this.#method}: ${issues}`));
  }
}

/** Removes a member of the modern era that means nothing here. */
function withoutResultType(result: unknown): unknown {
  if (typeof result !== "object" || result === null || !("resultType" in result)) return result;
  const { resultType: _, ...rest } = result;
  return rest;
}
