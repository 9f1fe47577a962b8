import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CatalogKind,
  createDeadline,
  type Handshake,
  type HostHandlers,
  type JsonObject,
  type Listing,
  type Logger,
  type McpError,
  type ResolvedServer,
  raceSignal,
  type Session,
  type SessionMethod,
  type SessionParams,
  type SessionRequestOptions,
  type SessionResult,
  type ToolDefinition,
} from "@jackfield/mcp-core";
import {
  closedError,
  endError,
  forgottenSessionError,
  lossError,
  outdatedPriorError,
  pendingRequestError,
  type RequestContext,
  requestError,
} from "../errors/request-error.ts";
import type { ErrorContext } from "../errors/wording.ts";
import { HEADER_MISMATCH, ProtocolFault, URL_ELICITATION_REQUIRED } from "../faults.ts";
import type { Transport } from "../transport.ts";
import type { Connection } from "./connection.ts";
import type { Negotiated } from "./era.ts";
import { contradictsPrior, ENVELOPE_KEYS } from "./handshake.ts";
import {
  answerQuestions,
  askable,
  openRequiredUrls,
  readQuestions,
  requiredUrls,
  withAnswers,
} from "./input-required.ts";
import { ItemReader } from "./items.ts";
import { type CompleteLimits, listAll, remaining, withoutRest } from "./lists.ts";
import {
  createMirroredSecretWarning,
  mirroredArguments,
  withoutUnmirrorableTools,
} from "./mirrored-headers.ts";
import {
  NextRound,
  type PendingRequest,
  type RequestEnd,
  type RequestOwner,
  resultOf,
} from "./pending-request.ts";
import { type AnsweredMethod, isListMethod, readResult, withoutType } from "./results.ts";
import type { ServerRequests } from "./server-requests.ts";
import type { SessionListeners } from "./session-listeners.ts";
import { ChangeSubscription } from "./subscriptions.ts";

export interface SessionOptions {
  readonly server: ResolvedServer;
  readonly limits: CompleteLimits;
  readonly negotiated: Negotiated;
  /** The host's own handlers. */
  readonly handlers: HostHandlers;
  readonly questions: ServerRequests;
  readonly listeners: SessionListeners;
  readonly log: Logger;
}

/** A conversation whose handshake is complete. It owns the transport from now on. */
export class ProtocolSession implements Session {
  readonly handshake: Handshake;
  readonly #server: ResolvedServer;
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #handlers: HostHandlers;
  readonly #questions: ServerRequests;
  readonly #listeners: SessionListeners;
  readonly #log: Logger;
  readonly #limits: CompleteLimits;
  readonly #items: ItemReader;
  readonly #isModern: boolean;
  /** Marked parameters are repeated in headers (SEP-2243). */
  readonly #mirrors: boolean;
  /** Changes are reported only if they were asked for. */
  readonly #changes: ChangeSubscription | undefined;
  readonly #warnOfMirroredSecrets: (tool: ToolDefinition) => void;
  readonly #ended = new AbortController();
  readonly #absent = new Set<CatalogKind>();
  /** Replaces `logging/setLevel` in the modern era. */
  #logLevel: string | undefined;
  #isUnconfirmed: boolean;
  #end: { readonly cause: McpError | undefined } | undefined;
  #closing: Promise<void> | undefined;

  constructor({ server, limits, negotiated, handlers, questions, listeners, log }: SessionOptions) {
    const { connection, handshake, isUnconfirmed } = negotiated;
    const { transport } = connection;
    this.handshake = handshake;
    this.#server = server;
    this.#connection = connection;
    this.#transport = transport;
    this.#handlers = handlers;
    this.#questions = questions;
    this.#listeners = listeners;
    this.#log = log;
    this.#limits = limits;
    this.#items = new ItemReader(log);
    this.#isModern = handshake.era === "modern";
    this.#mirrors = this.#isModern && transport.hasPerRequestStream === true;
    this.#warnOfMirroredSecrets = createMirroredSecretWarning(log);
    this.#isUnconfirmed = isUnconfirmed;
    transport.onRenewed?.(() => this.#announceRenewal());
    if (this.#isModern)
      this.#changes = new ChangeSubscription({
        connection,
        capabilities: handshake.capabilities,
        server: server.name,
        log,
        onChallengeMet: transport.onChallengeMet,
        onRestored: () => this.#announceRenewal(),
      });
    connection.isListening = true;
    connection.listener = {
      onServerMessage: (message, stream) => {
        if (this.#changes?.take(message)) return;
        if (!("id" in message) && message.method !== "notifications/cancelled")
          listeners.tellNotification({ method: message.method, params: message.params });
        else if (!this.#isModern) this.#questions.take(message, stream);
      },
      onAbandoned: (request) => questions.abandoned(request),
      onEnd: () => this.#lose(lossError(this.#context()), connection.isIdle),
    };
    // An unconfirmed server is asked for changes after the first request, so that opening costs nothing.
    if (!isUnconfirmed) setImmediate(() => !this.#end && connection.isIdle && this.#changes?.open());
  }

  async list<K extends CatalogKind>(
    kind: K,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Listing<K>> {
    const { maxTotalMs } = this.#limits;
    const deadline = maxTotalMs === 0 ? undefined : performance.now() + maxTotalMs;
    const listing = await listAll(kind, {
      deadline,
      limits: this.#limits,
      ended: this.#ended.signal,
      signal,
      capabilities: this.handshake.capabilities,
      absent: this.#absent,
      context: () => this.#context(),
      log: this.#log,
      requestPage: (method, params) =>
        this.#request(method, params, { signal, maxTotalMs: remaining(deadline) }),
    });
    if (kind !== "tools" || !this.#mirrors) return listing;
    const tools = withoutUnmirrorableTools(listing as Listing<"tools">, this.#log);
    tools.items.forEach(this.#warnOfMirroredSecrets);
    return tools as Listing as Listing<K>;
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
  ): Promise<SessionResult<M>> {
    const given = (params ?? {}) as JsonObject;
    const answer =
      (this.#isModern && this.#replacement(method, given, options)) || this.#request(method, given, options);
    return answer as Promise<unknown> as Promise<SessionResult<M>>;
  }

  onNotification: Session["onNotification"] = (listener) => this.#listeners.onNotification(listener);
  onRenewed: Session["onRenewed"] = (listener) => this.#listeners.onRenewed(listener);
  onClose: Session["onClose"] = (listener) => this.#listeners.onClose(listener);

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #request(method: AnsweredMethod, params: JsonObject, options: SessionRequestOptions): Promise<JsonObject> {
    if (this.#end) return Promise.reject(this.#endedError(this.#contextOf(method, params)));
    if (this.#isModern && method === "ping") {
      const reason = `protocol ${this.handshake.protocolVersion} has no such request`;
      const fault = new ProtocolFault("unsupported", reason);
      return Promise.reject(requestError(fault, this.#contextOf(method, params)));
    }
    return this.#connection.request({
      method,
      params: withAnswers(params, options.inputResponses, options.requestState),
      options,
      owner: this.#owner,
      meta: this.#metaOf(params, options),
      headers: this.#headersOf(params, options.tool),
    });
  }

  readonly #owner: RequestOwner = {
    read: (answer, request) => {
      if ("error" in answer && !request.hasRecovered) {
        const recovery = this.#recovery(answer.error, request);
        request.hasRecovered = recovery !== undefined;
        if (recovery) return recovery;
      }
      const result = resultOf(answer);
      if (this.#isModern) return this.#readModern(result, request);
      return this.#readComplete(withoutType(result), request);
    },
    explain: (end, request) => {
      const { method, params } = request.request;
      return endError(end, this.#contextOf(method, params, request), this.#closing !== undefined);
    },
    settled: (request, error) => this.#settled(request.request.method, error as McpError | undefined),
  };

  #metaOf(params: JsonObject, { meta, inputRequired }: SessionRequestOptions): JsonObject | undefined {
    if (!this.#isModern) return meta;
    const own = meta ?? (params._meta as JsonObject | undefined);
    const level = this.#logLevel === undefined ? own : { [ENVELOPE_KEYS.logLevel]: this.#logLevel, ...own };
    const announced = this.#connection.envelope?.[ENVELOPE_KEYS.clientCapabilities];
    return inputRequired === "return" ? askable(level, announced as JsonObject) : level;
  }

  #headersOf(
    params: JsonObject,
    tool: ToolDefinition | undefined,
  ): { readonly [name: string]: string } | undefined {
    if (!this.#mirrors || !tool) return undefined;
    const headers = mirroredArguments(tool, params.arguments);
    if (headers) this.#warnOfMirroredSecrets(tool);
    return headers;
  }

  #readComplete(result: JsonObject, { request: { method, params } }: PendingRequest) {
    const read = readResult(method, result);
    if (!isListMethod(method)) return read;
    const page = withoutRest(method, read, this.#limits);
    return this.#items.read(method, page, params.cursor === undefined);
  }

  /** A modern answer says whether it is complete, or asks for input first. */
  #readModern(result: JsonObject, request: PendingRequest) {
    const { method, options } = request.request;
    // Left out, it means "complete", or that the server is none of this era after all; what a call has done stays done.
    const mayBeLegacy = this.#isUnconfirmed && method !== "tools/call";
    const resultType = result.resultType ?? (mayBeLegacy ? undefined : "complete");
    if (resultType === "complete") return this.#readComplete(withoutType(result), request);
    if (resultType !== "input_required") {
      const type = JSON.stringify(resultType);
      throw new ProtocolFault("invalid", `in its answer to ${method}, "resultType" is ${type}`);
    }
    const questions = readQuestions(result);
    if (options.inputRequired !== "return") return answerQuestions(questions, request, this.#questions);
    return { content: [], ...result, inputRequests: questions.inputRequests };
  }

  /** What is done before a refused request is sent once more; `undefined` if nothing can be done about the refusal. */
  #recovery({ code, data }: { readonly code: number; readonly data?: unknown }, request: PendingRequest) {
    const { tool } = request.request.options;
    if (code === URL_ELICITATION_REQUIRED && this.#handlers.elicit && requiredUrls(data).length > 0)
      return openRequiredUrls(data, request, this.#questions);
    return code === HEADER_MISMATCH && this.#mirrors && tool ? this.#mirrorAnew(tool, request) : undefined;
  }

  /** The server's tool marks other parameters than the one we know: its definition has changed. */
  async #mirrorAnew({ name }: ToolDefinition, request: PendingRequest): Promise<NextRound> {
    const { items } = await this.list("tools", { signal: request.signal });
    const { params } = request.request;
    return new NextRound(
      params,
      this.#headersOf(
        params,
        items.find((tool) => tool.name === name),
      ),
    );
  }

  /** Requests that protocol 2026-07-28 no longer has, carried out by its own means, so that a host need not know the era. */
  #replacement(
    method: SessionMethod,
    params: JsonObject,
    options: SessionRequestOptions,
  ): Promise<JsonObject> | undefined {
    switch (method) {
      case "resources/subscribe":
        return this.#inTime(method, options, () => this.#changes?.subscribe(params.uri as string));
      case "resources/unsubscribe":
        return this.#inTime(method, options, () => this.#changes?.remove(params.uri as string));
      case "logging/setLevel":
        this.#logLevel = params.level as string;
        return Promise.resolve({});
      default:
        return undefined;
    }
  }

  /** Does what a request stands for within the request's deadline. */
  async #inTime(
    method: string,
    { signal, timeoutMs = this.#limits.callTimeoutMs }: SessionRequestOptions,
    work: () => Promise<void> | undefined,
  ): Promise<JsonObject> {
    const failed = (end: RequestEnd) =>
      endError(end, { ...this.#context(), method, isWritten: true }, this.#closing !== undefined);
    if (this.#ended.signal.aborted) throw this.#endedError(this.#contextOf(method, {}));
    using deadline = createDeadline({
      signal,
      timeoutMs,
      aborted: (reason) => failed({ kind: "aborted", reason }),
      expired: () => failed({ kind: "expired", limitMs: timeoutMs, isTotal: false }),
    });
    try {
      await raceSignal(Promise.resolve(work()), deadline.signal);
      return {};
    } catch (error) {
      throw failed(
        this.#ended.signal.aborted ? { kind: "ended", cause: this.#end?.cause } : { kind: "failed", error },
      );
    }
  }

  #endedError(context: RequestContext): McpError {
    const cause = this.#closing ? undefined : this.#end?.cause;
    return cause ? pendingRequestError(cause, context) : closedError(context);
  }

  /** Some errors of one request show that no other will be served either. */
  #settled(method: string, error: McpError | undefined): void {
    if (!error) this.#isUnconfirmed = false;
    else if (error.code === "MCP_SESSION_LOST" && error.httpStatus !== undefined)
      this.#lose(forgottenSessionError(error.httpStatus, this.#context()));
    else if (this.#isUnconfirmed && contradictsPrior(method, error))
      this.#lose(outdatedPriorError(this.#context(), error));
    if (!this.#end) this.#changes?.open();
  }

  #lose(cause: McpError, isIdle = false): void {
    if (this.#end) return;
    this.#stop(cause);
    void this.#transport.close({ hurry: true });
    // Pending requests reject before the close listeners are called.
    if (isIdle) this.#listeners.tellClosed(cause);
    else setImmediate(() => this.#listeners.tellClosed(cause));
  }

  async #shutDown(): Promise<void> {
    const isLost = this.#end !== undefined;
    if (!isLost) this.#stop(undefined);
    await this.#transport.close();
    if (isLost) return;
    await nextTurn(); // as in `#lose`
    this.#listeners.tellClosed(undefined);
  }

  #stop(cause: McpError | undefined): void {
    this.#end = { cause };
    this.#ended.abort();
    this.#changes?.close();
    this.#connection.end(cause);
  }

  #announceRenewal(): void {
    this.#absent.clear();
    this.#listeners.tellRenewed();
  }

  #contextOf(method: string, params: JsonObject, request?: PendingRequest): RequestContext {
    return {
      ...this.#context(),
      method,
      tool: method === "tools/call" ? (params.name as string) : undefined,
      cursor: params.cursor as string | undefined,
      isWritten: request?.isWritten === true,
      isWaiting: request?.isWaiting === true,
      strays: request?.strays,
    };
  }

  #context(): ErrorContext {
    return { server: this.#server, facts: this.#transport.facts() };
  }
}
