import {
  type ElicitationAnswer,
  type ElicitationRequest,
  type HostHandlers,
  isMcpError,
  isRecord,
  type JsonObject,
  type Logger,
  McpError,
  type ServerRequestContext,
  thrownText,
} from "@jackfield/mcp-core";
import type { JSONRPCRequest, RequestId } from "@modelcontextprotocol/client";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  ProtocolFault,
  RpcError,
  TransportFault,
} from "../faults.ts";
import type { Connection, ServerMessage } from "./connection.ts";
import { addressToOpen } from "./input-required.ts";
import type { Answer, PendingRequest } from "./pending-request.ts";
import { isText } from "./results.ts";

/** No honest server has this many requests open at once. */
const MOST_OPEN = 1000;
/** A server can cancel its requests as soon as it has sent them, but their handlers still run. */
const MOST_AT_WORK = 1000;
/** Over HTTP, each answer takes a connection of its own, which the server can hold as long as it likes. */
const MOST_CONNECTIONS = 16;
/** In characters. An answer repeats the id and keeps it in memory while it waits. */
const LONGEST_ID = 1024;

export interface ServerRequestsOptions {
  readonly server: string;
  /** The host's own, which determine the announced capabilities. They answer what belongs to no call, or to one without its own. */
  readonly handlers: HostHandlers;
  /** The user for whom the session was opened. */
  readonly principal: string | undefined;
  readonly log: Logger;
}

/** Whose question a request of the server is. */
interface Question {
  /** The calls that it may belong to; empty if it belongs to none. Those that were given up lately are among them. */
  readonly calls: readonly PendingRequest[];
  /** Whether it belongs to a call beyond doubt: to the only one of `calls`, or, if there is none, to one that has ended. */
  readonly isBound: boolean;
  /** The requests that may wait for its answer: until then, their idle deadlines are suspended. */
  readonly waiting: readonly PendingRequest[];
}

/**
 * How long a call that was given up counts as one that a question may belong to, in milliseconds: the server may have asked before it
 * heard of the end, or work on. Longer would keep other users of the session from being asked for no reason.
 */
const DOUBTFUL_MS = 60_000;

/** Whether a request is made for a caller. Lists, pings and the handshake are the runtime's own. */
function isCall(method: string): boolean {
  return method !== "ping" && method !== "initialize" && !method.endsWith("/list");
}

/** Who answers a question. */
interface Respondent<H extends keyof HostHandlers> {
  readonly handler: HostHandlers[H];
  readonly principal: string | undefined;
  /** The calls that it may belong to and that somebody still waits for. */
  readonly calls: readonly PendingRequest[];
}

/**
 * Finds who answers: the caller, if all calls that the question may belong to have the same user and the same handler. `undefined`: nobody
 * may. Waiting until fewer calls are pending would not help: the one that ends first may be the one that the server asks for, and
 * the question would then reach the user of another.
 */
function respondentTo<H extends keyof HostHandlers>(
  name: H,
  { handlers, principal }: ServerRequestsOptions,
  { calls, isBound }: Question,
): Respondent<H> | undefined {
  const runtime: Respondent<H> = { handler: handlers[name], principal, calls: [] };
  const isSame = (one: Respondent<H>, other: Respondent<H>) =>
    one.handler === other.handler && one.principal === other.principal;
  const waiting = calls.filter((call) => call.isPending);
  const [first = runtime, ...others] = calls.map(({ request: { options } }) => ({
    handler: options.handlers?.[name] ?? handlers[name],
    principal: options.principal ?? principal,
    calls: waiting,
  }));
  if (!others.every((other) => isSame(first, other))) return undefined;
  return waiting.length > 0 || (!isBound && isSame(first, runtime)) ? first : undefined;
}

/** A question that nobody may answer, or whose call ended before its answer. */
const DECLINED = Symbol("declined");

const DECLINED_BECAUSE =
  "A question of the server was declined: its call has ended, or it may belong to calls of different users or with different handlers.";

/** Answers what a server asks: by requests of its own in the legacy era, within an answer in the modern one. */
export class ServerRequests {
  /** The connection whose server asks. */
  connection: Connection | undefined;
  readonly #options: ServerRequestsOptions;
  /** Requests whose answers have not been accepted. Some servers use an id twice. */
  readonly #open = new Map<RequestId, AbortController[]>();
  #openCount = 0;
  #atWork = 0;
  #connections = 0;
  readonly #waiting: (() => void)[] = [];
  /** Calls that were given up lately, the oldest first, with the time on the clock of `performance.now()`. */
  #abandoned: { readonly call: PendingRequest; readonly at: number }[] = [];

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Takes a request of a legacy server, or the withdrawal of one. `stream`: our request on whose stream it came, if known. */
  take(message: ServerMessage, stream: JSONRPCRequest | undefined): void {
    if (!("id" in message)) this.#withdraw(message.params?.requestId as RequestId);
    else if (this.#mayAsk(message.id)) this.#answer(message, this.#questionOn(stream));
  }

  /** A call was given up that the server may still work on. */
  abandoned(call: PendingRequest): void {
    if (!isCall(call.request.method)) return;
    this.#forgetOld();
    this.#abandoned.push({ call, at: performance.now() });
  }

  /**
   * Answers one of the questions that a modern server asks within an answer.
   *
   * @throws ProtocolFault `unsupported` for a question that the host cannot answer, McpError if its handler fails
   */
  async answerInput(question: unknown, call: PendingRequest, signal: AbortSignal): Promise<JsonObject> {
    const { method, params } = isRecord(question) ? question : ({} as { [name: string]: unknown });
    if (!isText(method) || !isMethod(method))
      throw new ProtocolFault("invalid", `its question is not one that a host answers: ${String(method)}`);
    if (this.#options.handlers[HANDLERS[method]] === undefined)
      throw new ProtocolFault("unsupported", `no handler answers ${method}`);
    try {
      return await this.#ask(method, params, { calls: [call], isBound: true, waiting: [] }, signal);
    } catch (error) {
      throw this.#unanswered(method, error);
    }
  }

  /** The stream of a request names it beyond doubt. On any other, each call that the server knows of may be the one. */
  #questionOn(stream: JSONRPCRequest | undefined): Question {
    const waiting = [...(this.connection?.pending ?? [])].filter(({ isAnswered }) => !isAnswered);
    if (stream) {
      const owner = waiting.filter(({ id }) => id === stream.id);
      return isCall(stream.method)
        ? { calls: owner, isBound: true, waiting: owner }
        : { calls: [], isBound: false, waiting: owner };
    }
    this.#forgetOld();
    const isAskable = ({ isWritten, request }: PendingRequest) => isWritten && isCall(request.method);
    const lately = this.#abandoned.map(({ call }) => call);
    return { calls: [...waiting.filter(isAskable), ...lately], isBound: false, waiting };
  }

  #forgetOld(): void {
    const now = performance.now();
    this.#abandoned = this.#abandoned.filter(({ at }) => now - at < DOUBTFUL_MS);
  }

  /** Ends the connection to a server with too many open requests: it would go on, and nothing that it says can be relied on. */
  #mayAsk(id: RequestId): boolean {
    const transport = this.connection?.transport;
    if (!transport || this.connection?.isEnded) return false;
    if (!transport.fail) return true; // a server in this process can do worse
    if (String(id).length > LONGEST_ID) return false;
    if (this.#openCount < MOST_OPEN) return true;
    transport.fail(new TransportFault({ kind: "too-many-questions", limit: MOST_OPEN }));
    return false;
  }

  #answer({ id, method, params }: JSONRPCRequest, question: Question): void {
    const asked = new AbortController();
    this.#openCount += 1;
    this.#open.set(id, [...(this.#open.get(id) ?? []), asked]);
    const reply = (answer: object) => {
      if (!asked.signal.aborted) void this.#reply(asked, { jsonrpc: "2.0", id, ...answer } as Answer);
    };
    const isKnown = isMethod(method) && this.#options.handlers[HANDLERS[method]] !== undefined;
    if (method === "ping") reply({ result: {} });
    else if (!isKnown) reply({ error: { code: METHOD_NOT_FOUND, message: "Method not found" } });
    else
      this.#ask(method, params, question, asked.signal).then(
        (result) => reply({ result }),
        (error) => reply({ error: errorFor(error) }),
      );
  }

  async #ask(
    method: AskedMethod,
    given: unknown,
    question: Question,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { server, log } = this.#options;
    const params = isRecord(given) ? (given as JsonObject) : {};
    if (this.#atWork >= MOST_AT_WORK)
      throw new RpcError({ code: INTERNAL_ERROR, message: "too many requests at once" });
    if (method === "elicitation/create" && params.mode === "url" && addressToOpen(params.url) === undefined) {
      log("warn", "The server asks to open an address that is neither https nor on this machine.");
      return { action: "decline" };
    }
    const respondent = respondentTo(HANDLERS[method], this.#options, question);
    if (!respondent) {
      log("warn", DECLINED_BECAUSE, { method });
      return decline(method);
    }
    const { handler, principal, calls } = respondent;
    const [only] = calls.length === 1 ? calls : [];
    const call = only && {
      method: only.request.method,
      tool: only.request.method === "tools/call" ? (only.request.params.name as string) : undefined,
      meta: only.request.options.meta,
      principal,
    };
    const over = new AbortController();
    const context = { server, signal: AbortSignal.any([signal, over.signal]), principal, call };
    const release = this.connection?.hold(question.waiting);
    this.#atWork += 1;
    const answered = this.#guarded(method, over.signal, () =>
      ANSWERS[method](params, handler as never, context),
    );
    void answered
      .catch(() => {})
      .finally(() => {
        this.#atWork -= 1;
        release?.();
      });
    if (calls.length === 0) return answered;
    const ended = allEnded(calls).then(() => {
      over.abort(new Error("the call that the question belongs to has ended"));
      return DECLINED;
    });
    const outcome = await Promise.race([answered, ended]);
    return outcome === DECLINED ? decline(method) : (outcome as JsonObject);
  }

  async #guarded(method: string, over: AbortSignal, answer: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await answer();
    } catch (error) {
      if (!isRpcError(error) && !over.aborted)
        this.#options.log("warn", `The host's handler for "${method}" failed.`, { error: thrownText(error) });
      throw error;
    }
  }

  async #reply(asked: AbortController, answer: Answer): Promise<void> {
    if (this.connection?.transport.hasConnections) {
      if (this.#connections < MOST_CONNECTIONS) this.#connections += 1;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    await this.connection?.reply(answer).catch(() => {}); // only the server waits for it
    this.#close(answer.id as RequestId, asked);
    const next = this.#waiting.shift();
    if (next) next();
    else this.#connections -= 1;
  }

  #withdraw(id: RequestId): void {
    const asked = this.#open.get(id)?.[0];
    if (asked === undefined) return;
    asked.abort(new Error("the server withdrew its request"));
    this.#close(id, asked);
  }

  #close(id: RequestId, asked: AbortController): void {
    const all = this.#open.get(id);
    if (!all?.includes(asked)) return;
    this.#openCount -= 1;
    if (all.length === 1) this.#open.delete(id);
    else
      this.#open.set(
        id,
        all.filter((one) => one !== asked),
      );
  }

  /** A modern server asks within an answer, so only the caller can be told. */
  #unanswered(method: string, cause: unknown): unknown {
    const { server } = this.#options;
    const message = `Server "${server}" first asked the host for input ("${method}"), but the host's handler failed; the request was not carried out.`;
    const details = { server, phase: "call", outcome: "rejected", rpcCode: rpcCodeOf(cause), cause } as const;
    return new McpError("MCP_REQUEST_REJECTED", message, details);
  }
}

const HANDLERS = {
  "elicitation/create": "elicit",
  "sampling/createMessage": "sample",
  "roots/list": "roots",
} as const satisfies { [method: string]: keyof HostHandlers };

type AskedMethod = keyof typeof HANDLERS;

function isMethod(method: string): method is AskedMethod {
  return Object.hasOwn(HANDLERS, method);
}

/** How each question is put to its handler, and the answer checked. */
const ANSWERS: {
  readonly [M in AskedMethod]: (
    params: JsonObject,
    handler: HostHandlers[(typeof HANDLERS)[M]],
    context: ServerRequestContext,
  ) => Promise<JsonObject>;
} = {
  async "elicitation/create"(params, elicit, context) {
    const elicitation = readElicitation(params);
    const answer: ElicitationAnswer = (await elicit?.(elicitation, context)) ?? { action: "cancel" };
    if (elicitation.mode === "url" || answer.action !== "accept" || !answer.content) return { ...answer };
    return { ...answer, content: withDefaults(elicitation.requestedSchema, answer.content) };
  },
  async "sampling/createMessage"(params, sample, context) {
    const answer = await sample?.({ ...params }, context);
    if (!isRecord(answer) || !isText(answer.role) || !isText(answer.model) || answer.content === undefined)
      throw new TypeError("its answer is not a message with role, model and content");
    return answer;
  },
  async "roots/list"(_params, list, context) {
    const roots = (await list?.(context)) ?? [];
    return { roots: roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
  },
};

/** @throws RpcError for a question that cannot be declined otherwise */
function decline(method: AskedMethod): JsonObject {
  if (method === "elicitation/create") return { action: "decline" };
  throw new RpcError({ code: INTERNAL_ERROR, message: "The client declined to answer." });
}

/** One after the other, because a server can ask a thousand times during a thousand calls. */
async function allEnded(calls: readonly PendingRequest[]): Promise<void> {
  for (const { signal } of calls)
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** Without a mode it is a form (MCP 2025-06-18 has no other mode). */
function readElicitation({ message, mode = "form", requestedSchema, url }: JsonObject): ElicitationRequest {
  const isUsable = isText(message) && (mode === "url" ? isText(url) : mode === "form");
  if (!isUsable) throw new RpcError({ code: INVALID_PARAMS, message: "Invalid elicitation request" });
  return mode === "url"
    ? { message, mode, url: addressToOpen(url) }
    : { message, mode: "form", requestedSchema: requestedSchema as JsonObject | undefined };
}

/** The fields that the user left out, with the defaults of the form (SEP-1034). */
function withDefaults<C extends JsonObject>(schema: JsonObject | undefined, content: C): C {
  const properties = isRecord(schema?.properties) ? Object.entries(schema.properties) : [];
  const missing = properties.flatMap(([name, field]) =>
    isRecord(field) && field.default !== undefined && content[name] === undefined
      ? [[name, field.default]]
      : [],
  );
  return { ...content, ...Object.fromEntries(missing) };
}

/** The server learns that a handler failed, with the code if the host chose one, but not why. */
function errorFor(error: unknown): { code: number; message: string } {
  if (isRpcError(error)) return { code: error.code, message: error.message };
  return { code: rpcCodeOf(error) ?? INTERNAL_ERROR, message: "The client could not answer." };
}

/** `instanceof` throws for a revoked proxy, which a handler may throw. */
function isRpcError(error: unknown): error is RpcError {
  try {
    return error instanceof RpcError;
  } catch {
    return false;
  }
}

/** A thrown value whose members cannot be read has no code. A `DOMException` has one with another meaning. */
function rpcCodeOf(error: unknown): number | undefined {
  try {
    if (isMcpError(error)) return error.rpcCode;
    if (!(error instanceof Error) || !("code" in error) || error instanceof DOMException) return undefined;
    return Number.isSafeInteger(error.code) ? (error.code as number) : undefined;
  } catch {
    return undefined;
  }
}
