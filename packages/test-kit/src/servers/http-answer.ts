import type { JsonObject } from "@jackfield/mcp-core";
import { isAnswer, type RpcError, type RpcId, type RpcMessage } from "./rpc-message.ts";

/** A request from the server to the client. */
export interface HttpServerRequest {
  /** For example `ping`, `roots/list`, `sampling/createMessage` or `elicitation/create`. */
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** `pending` reuses the id of the client's request that is being served. Default: an id of the server's own. */
  readonly id?: RpcId | "pending" | undefined;
  /** Whether the client's request is answered only after this one is. Default false. */
  readonly waits?: boolean | undefined;
}

/** Faults in the JSON-RPC answer to a request. */
export interface HttpAnswerFault {
  /** Answers with this error; the request is not carried out. */
  readonly rpcError?: RpcError | undefined;
  /**
   * The id of the answer to request 1: "1" (`string`), that of a request that was never made (`unknown`), or `null`. `swapped` waits
   * for a second request and gives each answer the other's id.
   */
  readonly answerId?: "string" | "unknown" | "null" | "swapped" | undefined;
  /** Sends two answers to requests that were never made first, with a number and a string as ids. */
  readonly strayAnswers?: boolean | undefined;
  /** Answers twice. After a JSON answer, the second is sent on the GET stream. */
  readonly duplicateAnswers?: boolean | undefined;
  /** Sends the answer and everything before it, such as progress, as one JSON array. */
  readonly batch?: boolean | undefined;
  /** `get-stream` answers the POST with 202 and sends its messages on the GET stream. */
  readonly answerOn?: "get-stream" | undefined;
  /** Sends this request to the client before the answer. */
  readonly ask?: HttpServerRequest | undefined;
}

/** Sends a value to the client. The last one, an answer, ends a channel that serves one request only. */
export type HttpWay = (value: unknown, isLast: boolean) => void;

/** The fault and the channels for the answer to one request. */
export interface HttpAnswering {
  /** The id of the request. */
  readonly id: RpcId;
  readonly fault: HttpAnswerFault;
  /** The response to the POST. */
  readonly request: HttpWay;
  /** Whether the response can carry more than the answer. */
  readonly isStream: boolean;
  /** The GET stream. */
  readonly session: HttpWay;
  /** Shared by all requests of a server. */
  readonly swaps: IdSwaps;
  /** Resolves when the client has answered the request with this id. */
  answered(id: RpcId): Promise<unknown>;
}

/** Sends the messages of a request, in the order given. */
export function createAnswerer(answering: HttpAnswering): (message: RpcMessage) => void {
  const { fault, isStream, request, session } = answering;
  const beside = isStream ? request : session;
  const before: RpcMessage[] = [];
  return (message) => {
    if (!isAnswer(message)) {
      if (fault.batch) before.push(message);
      else if (isStream) request(message, false);
      // Otherwise dropped: a JSON answer cannot carry a notification.
      return;
    }
    const answer = () => {
      if (fault.strayAnswers) for (const stray of STRAY_ANSWERS) beside(stray, false);
      giveAnswer(message, answering, before);
    };
    if (fault.ask) ask(fault.ask, answering, beside, answer);
    else answer();
  };
}

/** Holds an answer until there is another one to swap ids with. */
export class IdSwaps {
  #waiting: { readonly message: RpcMessage; readonly send: (message: RpcMessage) => void } | undefined;

  add(message: RpcMessage, send: (message: RpcMessage) => void): void {
    const other = this.#waiting;
    this.#waiting = other ? undefined : { message, send };
    if (!other) return;
    other.send({ ...other.message, id: message.id });
    send({ ...message, id: other.message.id });
  }
}

const STRAY_ANSWERS = [987_654_321, "never asked"].map((id) => ({ jsonrpc: "2.0", id, result: {} }));

function giveAnswer(
  message: RpcMessage,
  { fault, swaps, ...ways }: HttpAnswering,
  before: RpcMessage[],
): void {
  const send = (answer: unknown) => {
    const value = fault.batch ? [...before, answer] : answer;
    const { duplicateAnswers } = fault;
    if (duplicateAnswers && ways.isStream) ways.request(value, false);
    ways.request(value, true);
    if (duplicateAnswers && !ways.isStream) ways.session(value, false);
  };
  if (fault.answerId === "swapped") swaps.add(message, send);
  else send(withId(message, fault.answerId));
}

function withId(message: RpcMessage, answerId: "string" | "unknown" | "null" | undefined): unknown {
  switch (answerId) {
    case "string":
      return { ...message, id: String(message.id) };
    case "unknown":
      return { ...message, id: 987_654_321 };
    case "null":
      return { ...message, id: null };
    default:
      return message;
  }
}

function ask(
  { method, params, id, waits }: HttpServerRequest,
  answering: HttpAnswering,
  way: HttpWay,
  then: () => void,
): void {
  const own = id === "pending" ? answering.id : (id ?? `${method} for ${answering.id}`);
  way({ jsonrpc: "2.0", id: own, method, ...(params ? { params } : {}) }, false);
  if (waits) void answering.answered(own).then(then);
  else then();
}
