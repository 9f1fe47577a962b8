import type { FaultStep } from "./fault-brain.ts";
import { IdSwaps } from "./http-answer.ts";
import {
  agreedVersion,
  createHttpConversation,
  type ExecutedCall,
  type HttpConversation,
} from "./http-conversation.ts";
import type { EventStream } from "./http-event-stream.ts";
import {
  createDetachedExchange,
  createJsonExchange,
  createStreamExchange,
  type HttpExchange,
  type HttpExchangeContext,
} from "./http-exchange.ts";
import { createHttpFaultPlan, type HttpFaultPlan } from "./http-fault-plan.ts";
import type { HttpFault, HttpFaultScript } from "./http-fault-script.ts";
import { type HttpIncoming, messagePath } from "./http-incoming.ts";
import { isRefusal, isRefusedUnheard, MOVED_PATH, refuse, reply } from "./http-refusal.ts";
import { createHttpSessions, type HttpSessions } from "./http-sessions.ts";
import { createHttpStreams, type HttpStreams } from "./http-streams.ts";
import { createHttpTimers } from "./http-timers.ts";
import { createViolationWatch } from "./http-violations.ts";
import { isAnswer, type RpcId, type RpcMessage } from "./rpc-message.ts";

/** Handles every request as the script says. */
export interface HttpRouter {
  readonly calls: readonly ExecutedCall[];
  readonly streams: HttpStreams;
  readonly sessions: HttpSessions;
  readonly violations: readonly string[];
  route(incoming: HttpIncoming): void;
  setScript(script: HttpFaultScript): void;
  forgetSessions(): void;
  loseSessions(): void;
  /** Ends every timer. */
  close(): void;
}

/** What a router needs from its server. */
export interface HttpRouterOptions {
  onChanged(): void;
  /** Resolves when a client has answered the request with this id. */
  answered(id: RpcId): Promise<unknown>;
}

/** Creates a router without sessions or streams. */
export function createHttpRouter(script: HttpFaultScript, options: HttpRouterOptions): HttpRouter {
  return new ScriptedRouter(script, options);
}

const OPENING_METHODS = ["initialize", "server/discover"];

class ScriptedRouter implements HttpRouter {
  readonly sessions = createHttpSessions();
  readonly streams: HttpStreams;
  readonly #timers = createHttpTimers();
  readonly #watch = createViolationWatch();
  readonly #subscriptions = new Map<RpcId, EventStream>();
  readonly #messageStreams = new Map<string, EventStream>();
  readonly #swaps = new IdSwaps();
  readonly #conversation: HttpConversation;
  readonly #options: HttpRouterOptions;
  #script: HttpFaultScript;
  #plan: HttpFaultPlan;
  #failsNextInitialize = false;

  constructor(script: HttpFaultScript, options: HttpRouterOptions) {
    this.#options = options;
    this.streams = createHttpStreams(this.#timers, options.onChanged);
    this.#script = script;
    this.#conversation = createHttpConversation(script);
    this.#plan = createHttpFaultPlan(script);
  }

  get calls(): readonly ExecutedCall[] {
    return this.#conversation.calls;
  }

  get violations(): readonly string[] {
    return this.#watch.violations;
  }

  setScript(script: HttpFaultScript): void {
    this.#script = script;
    this.#conversation.setScript(script);
    this.#plan = createHttpFaultPlan(script);
  }

  forgetSessions(): void {
    this.sessions.endAll();
    this.streams.endSessionStreams();
    this.#options.onChanged();
  }

  loseSessions(): void {
    this.forgetSessions();
    // In the old transport a session is its stream and cannot be renewed, so no `initialize` has to fail.
    this.#failsNextInitialize = this.#script.answer !== "legacy-sse";
  }

  close(): void {
    this.#timers.clear();
  }

  route(incoming: HttpIncoming): void {
    const { method, pathname, body, response } = incoming;
    const isLegacySse = this.#script.answer === "legacy-sse";
    if (!isLegacySse) this.#watch.see(incoming);
    if (isLegacySse && method === "POST" && incoming.session === undefined) {
      reply(response, { status: this.#script.postStatus ?? 405 });
      return;
    }
    if (this.#isStranger(incoming)) return;
    const places = [body?.method ?? method, method];
    const fault = pathname === MOVED_PATH ? {} : this.#plan.next(places);
    this.#timers.after(fault.lateMs ?? 0, () => this.#serve(incoming, fault));
  }

  /** Refuses a request without the right `Authorization` or with an unknown session; returns whether it did. */
  #isStranger({ session, headers, response }: HttpIncoming): boolean {
    const { authorization } = this.#script;
    if (authorization && !authorization.includes(headers.authorization ?? "")) {
      reply(response, { status: 401, headers: { "www-authenticate": "Bearer" } });
      return true;
    }
    return this.#isForgotten(session, response);
  }

  #isForgotten(session: string | undefined, response: HttpIncoming["response"]): boolean {
    if (session === undefined || this.sessions.has(session)) return false;
    reply(response, this.#script.unknownSession ?? { status: 404, body: "Session not found" });
    return true;
  }

  #serve(incoming: HttpIncoming, fault: HttpFault): void {
    const { method, body, pathname: path, session, response } = incoming;
    if (fault.forget) this.forgetSessions();
    if (this.#isForgotten(session, response)) return;
    const isMethodServed = (method === "POST" && body) || method === "GET" || method === "DELETE";
    if (!isMethodServed) reply(response, { status: 405 });
    else if (isRefusedUnheard(fault)) refuse(response, fault, { path, timers: this.#timers });
    else if (method === "POST" && body) this.#post(incoming, body, fault);
    else if (method === "GET") this.#get(incoming, fault);
    else this.#delete(incoming, fault);
    this.#options.onChanged();
  }

  #post(incoming: HttpIncoming, message: RpcMessage, fault: HttpFault): void {
    const { response, session, pathname: path } = incoming;
    const { id, method = "" } = message;
    if (method === "initialize" && this.#failsNextInitialize) {
      this.#failsNextInitialize = false;
      reply(response, { status: 500 });
      return;
    }
    if (this.#isSessionMissing(method, session)) {
      reply(response, { status: 400, body: "Mcp-Session-Id is required" });
      return;
    }
    const steps = this.#conversation.receive(message, session, fault);
    const version = method === "initialize" ? agreedVersion(steps) : undefined;
    if (version !== undefined) this.#watch.agree(version);
    if (isRefusal(fault)) {
      refuse(response, fault, { path, timers: this.#timers });
      return;
    }
    this.#nameSession(method, incoming);
    if (id === undefined || isAnswer(message)) {
      reply(response, { status: 202 });
      for (const step of steps) this.#send(step, undefined);
      return;
    }
    const exchange = this.#openExchange(incoming, id, fault);
    for (const step of steps) this.#timers.after(step.afterMs, () => this.#send(step, exchange));
  }

  #isSessionMissing(method: string, session: string | undefined): boolean {
    const { sessionless, era = "legacy" } = this.#script;
    return era === "legacy" && !sessionless && !OPENING_METHODS.includes(method) && session === undefined;
  }

  #nameSession(method: string, { response }: HttpIncoming): void {
    const { answer, sessionless, sessionId, sessionIdChanges } = this.#script;
    if (answer === "legacy-sse" || sessionless) return;
    if (method !== "initialize" && !sessionIdChanges) return;
    response.setHeader("mcp-session-id", this.sessions.open(sessionId));
  }

  #openExchange(incoming: HttpIncoming, id: RpcId, fault: HttpFault): HttpExchange {
    const { answer = "json" } = this.#script;
    const context: HttpExchangeContext = {
      id,
      fault,
      swaps: this.#swaps,
      session: (value, isLast) => this.streams.say(value, { fault: isLast ? fault : undefined }),
      answered: this.#options.answered,
    };
    if (answer === "legacy-sse") {
      const stream = this.#messageStreams.get(incoming.session ?? "");
      const way: HttpExchangeContext["session"] = (value, isLast) =>
        stream?.send(value, { fault: isLast ? fault : undefined });
      return createDetachedExchange(incoming, context, way);
    }
    if (fault.answerOn === "get-stream") return createDetachedExchange(incoming, context);
    const isSubscription = incoming.body?.method === "subscriptions/listen";
    if (answer === "json" && !isSubscription) return createJsonExchange(incoming, fault, context);
    const stream = this.streams.openForRequest(incoming, fault, this.#script);
    if (isSubscription) this.#keepSubscription(id, stream, incoming);
    return createStreamExchange(stream, fault, context);
  }

  #keepSubscription(id: RpcId, stream: EventStream, { response }: HttpIncoming): void {
    this.#subscriptions.set(id, stream);
    response.on("close", () => this.#subscriptions.delete(id));
  }

  #send({ message, channel }: FaultStep, exchange: HttpExchange | undefined): void {
    if (channel === "session") this.streams.say(message);
    else if (channel === "request") exchange?.(message);
    else this.#subscriptions.get(channel.subscription)?.send(message);
  }

  #get(incoming: HttpIncoming, fault: HttpFault): void {
    const { answer, endpoint, sessionId } = this.#script;
    if (answer !== "legacy-sse") {
      this.streams.openForSession(incoming, fault, this.#script);
      return;
    }
    const session = this.sessions.open(sessionId);
    const named = endpoint === undefined ? messagePath(session) : endpoint;
    const greeting = named === null ? "" : `event: endpoint\ndata: ${named}\n\n`;
    const stream = this.streams.openForMessages(incoming, fault, session, greeting);
    this.#messageStreams.set(session, stream);
    incoming.response.on("close", () => {
      this.sessions.end(session);
      this.#messageStreams.delete(session);
      this.#options.onChanged();
    });
  }

  #delete({ session, response, pathname: path }: HttpIncoming, fault: HttpFault): void {
    if (session !== undefined) this.sessions.end(session);
    if (isRefusal(fault)) refuse(response, fault, { path, timers: this.#timers });
    else reply(response, { status: 204 });
  }
}
