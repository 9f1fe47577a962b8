import type { JsonObject, McpError, SessionRequestOptions } from "@jackfield/mcp-core";
import type { ClientAccess } from "./client-access.ts";
import type { RequestLimits } from "./deadline-sweep.ts";
import { errorOf, type RpcAnswer } from "./direct-requests.ts";
import { type Carrier, type Exchange, requestSubject } from "./exchange.ts";
import type { Exchanges } from "./exchanges.ts";
import { withAnswers } from "./input-required.ts";
import { type AnsweredMethod, isPlainAnswerTo, keepingSchema } from "./keeping-schema.ts";
import type { ListRepairer } from "./list-repairer.ts";

/** A call as its caller requested it. */
export interface LaneCall {
  /** For a tool call, they contain the tool's `name`. */
  readonly params: JsonObject;
  readonly request: SessionRequestOptions;
  readonly limits: RequestLimits;
}

/**
 * Requests that bypass the SDK's client, which inspects every answer three times and gives every call a timer and several promises. A
 * lane recognises the common form of an answer itself; any other answer goes through the SDK's schemas.
 */
export interface CallLane {
  /** Whether a call needs nothing that only the SDK's client can do. */
  takes(call: LaneCall): boolean;
  /** Rejects with an `McpError`. */
  call(call: LaneCall): Promise<JsonObject>;
}

export interface CallLaneOptions {
  readonly exchanges: Exchanges;
  readonly clients: ClientAccess;
  /** Called when a call has ended, with its error if it failed. */
  onSettled(error?: McpError): void;
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
  readonly #onSettled: (error?: McpError) => void;
  readonly #repairList: ListRepairer;

  constructor({ method, exchanges, clients, onSettled, repairList }: LegacyLaneOptions) {
    this.#method = method;
    this.#exchanges = exchanges;
    this.#clients = clients;
    this.#isPlainAnswer = isPlainAnswerTo(method);
    this.#onSettled = onSettled;
    this.#repairList = repairList;
  }

  takes(): boolean {
    return true;
  }

  call({ params, request, limits }: LaneCall): Promise<JsonObject> {
    const subject = requestSubject(this.#method, params);
    const { meta } = request;
    const exchange = this.#exchanges.begin<JsonObject>({ subject, request, limits, carrier: this });
    this.#exchanges.direct.send(
      exchange,
      this.#method,
      withAnswers(meta ? { ...params, _meta: meta } : params, request),
    );
    return exchange.outcome;
  }

  answered(exchange: Exchange<JsonObject>, answer: RpcAnswer): void {
    if (!("result" in answer)) {
      exchange.onFailed(errorOf(answer));
      return;
    }
    const result = withoutResultType(answer.result);
    if (this.#isPlainAnswer(result)) exchange.succeed(result);
    else this.#check(exchange, result).catch((error) => exchange.onFailed(error));
  }

  settled(exchange: Exchange<JsonObject>, error?: McpError): void {
    if (error) this.#exchanges.direct.giveUp(exchange);
    this.#onSettled(error);
  }

  async #check(exchange: Exchange<JsonObject>, given: unknown): Promise<void> {
    const result = await this.#repairList(exchange.subject, given as JsonObject);
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
