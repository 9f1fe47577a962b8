import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createFaultBrain, type FaultBrain, type FaultStep } from "./fault-brain.ts";
import type { HttpFaultScript, HttpRefusal } from "./fault-script.ts";
import { createRequestLog, type RecordedHttpRequest } from "./request-log.ts";
import { isAnswer, type RpcId, type RpcMessage } from "./rpc-message.ts";

/** A Streamable HTTP server in this process, on a port of its own. */
export interface HttpFaultServer extends AsyncDisposable {
  readonly url: string;
  /** Every request since the start, in order of arrival. */
  readonly requests: readonly RecordedHttpRequest[];
  /** The ids of the sessions that are valid now. */
  readonly sessions: readonly string[];
  /** Resolves with the first request for which the test holds, be it past or future. */
  received(test: (request: RecordedHttpRequest) => boolean): Promise<RecordedHttpRequest>;
  /** Replaces the script; what earlier calls changed is forgotten, sessions stay valid. */
  setScript(script: HttpFaultScript): void;
  /** Sends a message on every open GET stream. */
  notify(message: Omit<RpcMessage, "jsonrpc">): void;
  /** Invalidates every session and ends its streams: its id gets 404 from now on. */
  forgetSessions(): void;
  /** Ends the server and every connection. Idempotent. */
  close(): Promise<void>;
}

/** Starts a server that follows the script, on 127.0.0.1. */
export async function startHttpFaultServer(script: HttpFaultScript = {}): Promise<HttpFaultServer> {
  const server = new ScriptedHttpServer(script);
  await server.listen();
  return server;
}

const STREAM_HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const SIGN_IN_PAGE: HttpRefusal = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><title>Sign in</title>",
};

class ScriptedHttpServer implements HttpFaultServer {
  url = "";
  readonly #log = createRequestLog();
  readonly #server = createServer((request, response) => {
    // A request that breaks off or is not JSON ends its own connection, not the test's process.
    this.#handle(request, response).catch(() => response.destroy());
  });
  readonly #sessions = new Set<string>();
  readonly #streams = new Set<ServerResponse>();
  readonly #unsaid: RpcMessage[] = [];
  readonly #subscriptions = new Map<RpcId, ServerResponse>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #refused = new Map<string, number>();
  #script: HttpFaultScript;
  #brain: FaultBrain;
  #closed: Promise<unknown> | undefined;

  constructor(script: HttpFaultScript) {
    this.#script = script;
    this.#brain = createFaultBrain(script);
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}/mcp`;
  }

  get requests(): readonly RecordedHttpRequest[] {
    return this.#log.requests;
  }

  get sessions(): readonly string[] {
    return [...this.#sessions];
  }

  received(test: (request: RecordedHttpRequest) => boolean): Promise<RecordedHttpRequest> {
    return this.#log.received(test);
  }

  setScript(script: HttpFaultScript): void {
    this.#script = script;
    this.#brain = createFaultBrain(script);
    this.#refused.clear();
  }

  notify(message: Omit<RpcMessage, "jsonrpc">): void {
    for (const stream of this.#streams) writeEvent(stream, { jsonrpc: "2.0", ...message });
  }

  forgetSessions(): void {
    this.#sessions.clear();
    for (const stream of this.#streams) stream.end();
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#closed = once(this.#server.close(), "close");
      this.#server.closeAllConnections();
    }
    await this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const body = text === "" ? undefined : (JSON.parse(text) as RpcMessage);
    const { method = "", headers } = request;
    this.#log.add({ method, headers, body });

    const session = headers["mcp-session-id"]?.toString();
    if (session !== undefined && !this.#sessions.has(session)) {
      refuse(response, { status: 404, body: "Session not found" });
    } else if (method === "POST" && body) this.#post(body, session, response);
    else if (method === "GET") this.#get(response);
    else if (method === "DELETE") this.#delete(session, response);
    else refuse(response, { status: 405 });
  }

  #post(message: RpcMessage, session: string | undefined, response: ServerResponse): void {
    const { id, method = "" } = message;
    if (this.#script.dropOn?.includes(method)) {
      response.socket?.destroy();
      return;
    }
    const refusal = this.#refusal(method, session);
    if (refusal) {
      refuse(response, refusal);
      return;
    }
    if (method === "initialize" && !this.#script.sessionless) {
      response.setHeader("mcp-session-id", this.#openSession());
    }
    const steps = this.#brain.receive(message);
    if (id === undefined || isAnswer(message)) response.writeHead(202).end();
    else if (method === "subscriptions/listen") this.#openSubscription(id, response);
    else if (this.#script.answer === "sse") openStream(response);
    for (const step of steps) this.#after(step.afterMs, () => this.#send(step, response));
  }

  /** Why a request is not served, if it is not. */
  #refusal(method: string, session: string | undefined): HttpRefusal | undefined {
    const { status, html, sessionless, era = "legacy" } = this.#script;
    const refusal = status?.[method];
    const refused = this.#refused.get(method) ?? 0;
    if (refusal && refused < (refusal.times ?? Number.POSITIVE_INFINITY)) {
      this.#refused.set(method, refused + 1);
      return refusal;
    }
    if (html) return SIGN_IN_PAGE;
    const opens = method === "initialize" || method === "server/discover";
    const needsSession = era === "legacy" && !sessionless && !opens;
    return needsSession && session === undefined
      ? { status: 400, body: "Mcp-Session-Id is required" }
      : undefined;
  }

  #openSubscription(id: RpcId, response: ServerResponse): void {
    openStream(response);
    this.#subscriptions.set(id, response);
    response.on("close", () => this.#subscriptions.delete(id));
  }

  #send({ message, channel }: FaultStep, response: ServerResponse): void {
    if (channel === "session") {
      // A client opens its stream after the handshake, at its leisure: until then the message waits.
      if (this.#streams.size === 0) this.#unsaid.push(message);
      else this.notify(message);
      return;
    }
    const target = channel === "request" ? response : this.#subscriptions.get(channel.subscription);
    if (!target || target.writableEnded) return;
    if (target.headersSent) {
      writeEvent(target, message);
      if (isAnswer(message)) target.end();
    } else if (isAnswer(message)) {
      target.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
    }
    // What remains is progress before a JSON answer, which has no room for it.
  }

  #get(response: ServerResponse): void {
    const { get = "stream" } = this.#script;
    if (get === 405) refuse(response, { status: 405, headers: { allow: "POST" } });
    if (get !== "stream") return;
    openStream(response);
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    for (const message of this.#unsaid.splice(0)) writeEvent(response, message);
  }

  #delete(session: string | undefined, response: ServerResponse): void {
    this.#after(this.#script.deleteLateMs ?? 0, () => {
      if (session !== undefined) this.#sessions.delete(session);
      response.writeHead(204).end();
    });
  }

  #openSession(): string {
    const session = randomUUID();
    this.#sessions.add(session);
    return session;
  }

  #after(delayMs: number, act: () => void): void {
    if (delayMs === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(response: ServerResponse, { status, headers = {}, body = "" }: HttpRefusal): void {
  response.writeHead(status, headers).end(body);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, STREAM_HEADERS).flushHeaders();
}

function writeEvent(stream: ServerResponse, message: RpcMessage): void {
  stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
