import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  CatalogKind,
  Handshake,
  Implementation,
  JsonObject,
  Listing,
  Logger,
  McpError,
  ResolvedServer,
  ServerNotification,
  Session,
  SessionMethod,
  SessionParams,
  SessionRequestOptions,
  SessionResult,
  ToolDefinition,
} from "@jackfield/mcp-core";
import type { Channel } from "../channel.ts";
import type { ErrorContext } from "../errors/error-context.ts";
import { forgottenSessionError, lossError, outdatedPriorError } from "../errors/loss-error.ts";
import { closedError, pendingRequestError } from "../errors/request-error.ts";
import type { Negotiated } from "../negotiation.ts";
import type { ClientAccess } from "./client-access.ts";
import { envelopeOf } from "./envelope.ts";
import { requestSubject } from "./exchange.ts";
import { createExchanges, type Exchanges } from "./exchanges.ts";
import type { AnsweredMethod } from "./keeping-schema.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { withoutUnmirrorableTools } from "./mirrored-parameters.ts";
import { createMirroredSecretWarning } from "./mirrored-secrets.ts";
import type { NotificationRelay } from "./notification-relay.ts";
import { contradictsPrior } from "./outdated-prior.ts";
import { createReplacedRequests, type ReplacedRequests } from "./replaced-requests.ts";
import { mirrorsParameters, sendRequest } from "./send-request.ts";
import { announcedCapabilities, type SessionHandlers } from "./server-requests.ts";
import { type CompleteLimits, completeLimits, remaining } from "./session-limits.ts";
import { createListCut, listAll } from "./session-list.ts";
import { createSessionListeners, type SessionListeners } from "./session-listeners.ts";
import { createStrayAnswerLog } from "./stray-answer-log.ts";
import type { Watch } from "./wire-watch.ts";

export interface OpenSessionOptions {
  readonly clientInfo: Implementation;
  readonly server: ResolvedServer;
  readonly negotiated: Negotiated;
  readonly handlers: SessionHandlers;
  readonly notifications: NotificationRelay;
  readonly log: Logger;
}

/** A session whose handshake is complete. It owns the channel from now on. */
export function createSession(options: OpenSessionOptions): Session {
  return new OpenSession(options);
}

class OpenSession implements Session {
  readonly handshake: Handshake;
  readonly #server: ResolvedServer;
  readonly #clients: ClientAccess;
  readonly #channel: Channel;
  readonly #handlers: SessionHandlers;
  readonly #notifications: NotificationRelay;
  readonly #exchanges: Exchanges;
  readonly #lanes: Lanes;
  readonly #mirrors: boolean;
  readonly #replaced: ReplacedRequests;
  readonly #listeners: SessionListeners;
  readonly #serverLog: { readonly server: string; readonly log: Logger };
  readonly #limits: CompleteLimits;
  readonly #warnOfMirroredSecrets: (tool: ToolDefinition) => void;
  #isUnconfirmed: boolean;
  #end: { readonly cause?: McpError | undefined } | undefined;
  #closing: Promise<void> | undefined;
  readonly #ended = new AbortController();
  readonly #absent = new Set<CatalogKind>();
  readonly #cut = new Set<CatalogKind>();

  constructor({ clientInfo, server, negotiated, handlers, notifications, log }: OpenSessionOptions) {
    this.#server = server;
    this.#limits = completeLimits(server.limits);
    this.#clients = negotiated.clients;
    this.#channel = negotiated.channel;
    this.#handlers = handlers;
    this.#notifications = notifications;
    this.#serverLog = { server: server.name, log };
    this.#listeners = createSessionListeners(this.#serverLog);
    this.#warnOfMirroredSecrets = createMirroredSecretWarning(this.#serverLog);
    this.#isUnconfirmed = negotiated.isUnconfirmed;
    this.handshake = negotiated.handshake;
    const { era, capabilities } = this.handshake;
    this.#mirrors = mirrorsParameters(era, this.#channel.transport);
    this.#exchanges = createExchanges({
      envelope: envelopeOf(this.handshake, { clientInfo, handlers: handlers.base }),
      transport: this.#channel.transport,
      limits: this.#limits,
      context: () => this.#context(),
      onSettled: this.#settled,
      onStrayAnswer: createStrayAnswerLog(this.#serverLog),
    });
    this.#lanes = createLanes({
      era,
      mirrors: this.#mirrors,
      clients: this.#clients,
      exchanges: this.#exchanges,
      cutList: createListCut(this.#limits, (kind) => this.#cut.add(kind)),
      serverLog: this.#serverLog,
    });
    this.#clients.onClose(() => this.#lose(lossError(this.#context()), this.#exchanges.isIdle()));
    this.#channel.onRenewed?.(() => this.#announceRenewal());
    this.#replaced = createReplacedRequests(era, {
      listens: this.#exchanges.listens,
      capabilities,
      ...this.#serverLog,
      onChallengeMet: this.#channel.onChallengeMet,
      onRestored: () => this.#announceRenewal(),
    });
    // An unconfirmed server is asked for changes after the first request, so that opening costs nothing.
    if (!this.#isUnconfirmed)
      setImmediate(() => !this.#end && this.#exchanges.isIdle() && this.#replaced.listen?.());
  }

  async list<K extends CatalogKind>(
    kind: K,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Listing<K>> {
    const deadline = this.#limits.maxTotalMs === 0 ? undefined : performance.now() + this.#limits.maxTotalMs;
    const listing = await listAll(kind, {
      deadline,
      limits: this.#limits,
      cut: this.#cut,
      ended: this.#ended.signal,
      signal,
      capabilities: this.handshake.capabilities,
      absent: this.#absent,
      context: () => this.#context(),
      requestPage: (method, params = {}) =>
        this.#request(method, params, { signal, maxTotalMs: remaining(deadline) }),
    });
    if (kind !== "tools" || !this.#mirrors) return listing;
    const tools = withoutUnmirrorableTools(listing as Listing<"tools">, this.#serverLog);
    tools.items.forEach(this.#warnOfMirroredSecrets);
    return tools as Listing as Listing<K>;
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
  ): Promise<SessionResult<M>> {
    const answer = this.#request(method, (params ?? {}) as JsonObject, options);
    return answer as Promise<unknown> as Promise<SessionResult<M>>;
  }

  /**
   * A request bypasses the SDK's client if there is a lane that takes it. The lane's promise is returned as it is: there are
   * many calls, and each further promise costs every one of them.
   */
  #request(method: AnsweredMethod, params: JsonObject, options: SessionRequestOptions): Promise<JsonObject> {
    if (this.#end) return Promise.reject(this.#endedError(method, params));
    const { meta } = this.#replaced;
    const request = meta ? { ...options, meta: { ...meta, ...options.meta } } : options;
    return this.#lanes.of(method)?.call(params, request) ?? this.#requestThroughSdk(method, params, request);
  }

  async #requestThroughSdk(
    method: AnsweredMethod,
    params: JsonObject,
    options: SessionRequestOptions,
  ): Promise<JsonObject> {
    const replacement = this.#replaced.find(method, params);
    if (replacement) {
      const carryOut = (watch: Watch) => {
        watch.replaced();
        return replacement();
      };
      return this.#exchanges.run(method, params, options, carryOut);
    }
    const marked = this.#mirrors ? options.tool : undefined;
    if (marked) this.#warnOfMirroredSecrets(marked);
    const outgoing = {
      method,
      params,
      meta: options.meta,
      tool: marked,
      input: options,
      announced: announcedCapabilities(this.#handlers.base),
    };
    const send = (watch: Watch) => sendRequest(this.#clients, outgoing, watch);
    return this.#exchanges.run(method, params, options, send);
  }

  onNotification(listener: (notification: ServerNotification) => void): () => void {
    return this.#notifications.listen(listener);
  }

  onRenewed(listener: () => void): () => void {
    return this.#listeners.onRenewed(listener);
  }

  onClose(listener: (cause?: McpError) => void): () => void {
    return this.#listeners.onClose(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #endedError(method: AnsweredMethod, params: JsonObject): McpError {
    const context = { ...this.#context(), ...requestSubject(method, params), isWritten: false };
    const cause = this.#closing ? undefined : this.#end?.cause;
    return cause ? pendingRequestError(cause, context) : closedError(context);
  }

  /** Some errors of one request show that no other will be served either. */
  readonly #settled = (method: string, error?: McpError): void => {
    if (!error) this.#isUnconfirmed = false;
    else if (error.code === "MCP_SESSION_LOST" && error.httpStatus === 404)
      this.#lose(forgottenSessionError(this.#context()));
    else if (this.#isUnconfirmed && contradictsPrior(method, error))
      this.#lose(outdatedPriorError(this.#context(), error));
    if (!this.#end) this.#replaced.listen?.();
  };

  #lose(cause: McpError, isIdle = false): void {
    if (this.#end) return;
    this.#end = { cause };
    this.#stop(cause);
    void this.#channel.close({ hurry: true });
    // Pending requests reject before the close listeners are called.
    if (isIdle) this.#listeners.tellClosed(cause);
    else setImmediate(() => this.#listeners.tellClosed(cause));
  }

  async #shutDown(): Promise<void> {
    const isLost = this.#end !== undefined;
    this.#end ??= {};
    this.#stop();
    await this.#channel.close();
    await this.#clients.close();
    if (isLost) return;
    await nextTurn(); // as in `#lose`
    this.#listeners.tellClosed(undefined);
  }

  #stop(cause?: McpError): void {
    this.#ended.abort();
    this.#replaced.close();
    this.#exchanges.endAll(cause);
  }

  #announceRenewal(): void {
    this.#absent.clear();
    this.#listeners.tellRenewed();
  }

  #context(): ErrorContext {
    return { server: this.#server, facts: this.#channel.facts() };
  }
}
