import type { JsonObject } from "@jackfield/mcp-core";
import { isAnswer, type RpcError, type RpcId, type RpcMessage } from "./rpc-message.ts";

/** A request that the server makes of the client. */
export interface HttpServerRequest {
  /** For example `ping`, `roots/list`, `sampling/createMessage` or `elicitation/create`. */
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** `pending` is the id of the very request in whose course this one is made. Default: an id of the server's own. */
  readonly id?: RpcId | "pending" | undefined;
  /** Whether the client's request is answered only after this one was. Default false. */
  readonly waits?: boolean | undefined;
}

/** What is wrong with what a request is answered, as JSON-RPC. */
export interface HttpAnswerFault {
  /** Answers this error; the request is not carried out. */
  readonly rpcError?: RpcError | undefined;
  /**
   * Answers request 1 as "1" (`string`), as a request that nobody has made (`unknown`), or as none (`null`). `swapped` waits
   * for a second request and gives each answer the other's id.
   */
  readonly answerId?: "string" | "unknown" | "null" | "swapped" | undefined;
  /** Before the answer come two to requests that nobody has made, with a number and a text as their ids. */
  readonly strayAnswers?: boolean | undefined;
  /** Answers twice; after a JSON answer the second comes on the GET stream. */
  readonly duplicateAnswers?: boolean | undefined;
  /** Sends the answer and whatever comes before it, progress for example, as one JSON array. */
  readonly batch?: boolean | undefined;
  /** `get-stream` answers the POST with 202 and sends everything that belongs to it on the GET stream. */
  readonly answerOn?: "get-stream" | undefined;
  /** Before it answers the server asks something itself. */
  readonly ask?: HttpServerRequest | undefined;
}

/** A way to the client. What comes last, an answer, ends it if it serves one request only. */
export type HttpWay = (value: unknown, isLast: boolean) => void;

/** What the answer to one request goes through. */
export interface HttpAnswering {
  /** The id of the request. */
  readonly id: RpcId;
  readonly fault: HttpAnswerFault;
  /** The response to the POST. */
  readonly request: HttpWay;
  /** Whether the response has room for more than the answer. */
  readonly isStream: boolean;
  /** The GET stream. */
  readonly session: HttpWay;
  /** Shared by all requests of a server. */
  readonly swaps: IdSwaps;
  /** Resolves when the client has answered the request with this id. */
  answered(id: RpcId): Promise<unknown>;
}

/** Sends what belongs to a request, in the order given. */
export function createAnswerer(answering: HttpAnswering): (message: RpcMessage) => void {
  const { fault, isStream, request, session } = answering;
  const beside = isStream ? request : session;
  const before: RpcMessage[] = [];
  return (message) => {
    if (!isAnswer(message)) {
      if (fault.batch) before.push(message);
      else if (isStream) request(message, false);
      // What remains is a notification before a JSON answer, which has no room for it.
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

/** Holds an answer until another one comes with which it can change ids. */
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
