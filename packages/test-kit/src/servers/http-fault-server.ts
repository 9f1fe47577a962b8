import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createConditions } from "./condition.ts";
import type { ExecutedCall } from "./http-conversation.ts";
import type { HttpFaultScript } from "./http-fault-script.ts";
import { readIncoming } from "./http-incoming.ts";
import { createHttpRouter, type HttpRouter } from "./http-router.ts";
import type { HttpStreamRecord } from "./http-streams.ts";
import { createRequestLog, type RecordedHttpRequest } from "./request-log.ts";
import type { RpcMessage } from "./rpc-message.ts";

/** A server for Streamable HTTP or the old SSE transport, in this process, on a port of its own. */
export interface HttpFaultServer extends AsyncDisposable {
  readonly url: string;
  /** Every request since the start that was read completely, in order of arrival. */
  readonly requests: readonly RecordedHttpRequest[];
  /** Every tool call since the start that was carried out, even if its answer did not reach the client. */
  readonly calls: readonly ExecutedCall[];
  /** Every event stream since the start, in order of opening, with its current state. */
  readonly streams: readonly HttpStreamRecord[];
  /** The ids of the sessions that are valid now. */
  readonly sessions: readonly string[];
  /** How clients of Streamable HTTP have violated the specification, one sentence each. Violations are not refused. */
  readonly violations: readonly string[];
  /** How many connections have been accepted since the start. */
  readonly connectionCount: number;
  /** How many calls with this `nonce` among their arguments were carried out. */
  timesCarriedOut(nonce: string): number;
  /** Resolves with the first past or future request for which `test` returns true. */
  received(test: (request: RecordedHttpRequest) => boolean): Promise<RecordedHttpRequest>;
  /** Resolves as soon as `test` returns true; it runs now and whenever one of the properties above changes. */
  until(test: () => boolean): Promise<void>;
  /** Replaces the script and resets its counts. Sessions and streams stay. */
  setScript(script: HttpFaultScript): void;
  /** Sends a message, or a request if it has an `id`, on every open GET stream. */
  notify(message: Omit<RpcMessage, "jsonrpc">): void;
  /** Ends every open GET stream; the sessions stay valid. */
  endStreams(): void;
  /** Invalidates every session and ends its GET streams. Requests with its id are refused from now on. */
  forgetSessions(): void;
  /**
   * Forgets the sessions and fails the next `initialize`, so that a client cannot renew its session. With `legacy-sse`, it only
   * forgets them: there a session is its stream and cannot be renewed.
   */
  loseSessions(): void;
  /** Ends the server and every connection. Idempotent. */
  close(): Promise<void>;
}

/** Options of `startHttpFaultServer`. */
export interface HttpFaultServerOptions {
  /** Default: a free one. Set it to restart a closed server on its port. */
  readonly port?: number | undefined;
}

/**
 * Starts a server that follows the script, on 127.0.0.1.
 *
 * @throws Error if the port is taken.
 */
export async function startHttpFaultServer(
  script: HttpFaultScript = {},
  { port = 0 }: HttpFaultServerOptions = {},
): Promise<HttpFaultServer> {
  const server = new ScriptedHttpServer(script);
  await server.listen(port);
  return server;
}

class ScriptedHttpServer implements HttpFaultServer {
  url = "";
  connectionCount = 0;
  readonly #log = createRequestLog();
  readonly #conditions = createConditions();
  readonly #router: HttpRouter;
  readonly #connectionNumbers = new WeakMap<Socket, number>();
  readonly #server = createServer((request, response) => {
    // A request that is cut off or is not JSON ends its own connection, not the test's process.
    this.#handle(request, response).catch(() => response.destroy());
  });
  #closed: Promise<unknown> | undefined;

  constructor(script: HttpFaultScript) {
    this.#router = createHttpRouter(script, {
      onChanged: () => this.#conditions.check(),
      answered: (id) => this.#log.received(({ body }) => body?.id === id && body.method === undefined),
    });
    this.#server.on("connection", (socket: Socket) => {
      this.#connectionNumbers.set(socket, this.connectionCount);
      this.connectionCount += 1;
      this.#conditions.check();
    });
  }

  async listen(port: number): Promise<void> {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
    const address = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${address.port}/mcp`;
  }

  get requests(): readonly RecordedHttpRequest[] {
    return this.#log.requests;
  }

  get calls(): readonly ExecutedCall[] {
    return this.#router.calls;
  }

  get streams(): readonly HttpStreamRecord[] {
    return this.#router.streams.records;
  }

  get sessions(): readonly string[] {
    return this.#router.sessions.ids;
  }

  get violations(): readonly string[] {
    return this.#router.violations;
  }

  timesCarriedOut(nonce: string): number {
    return this.calls.filter((call) => call.arguments.nonce === nonce).length;
  }

  received(test: (request: RecordedHttpRequest) => boolean): Promise<RecordedHttpRequest> {
    return this.#log.received(test);
  }

  until(test: () => boolean): Promise<void> {
    return this.#conditions.until(test);
  }

  setScript(script: HttpFaultScript): void {
    this.#router.setScript(script);
  }

  notify(message: Omit<RpcMessage, "jsonrpc">): void {
    this.#router.streams.broadcast({ jsonrpc: "2.0", ...message });
  }

  endStreams(): void {
    this.#router.streams.endSessionStreams();
  }

  forgetSessions(): void {
    this.#router.forgetSessions();
  }

  loseSessions(): void {
    this.#router.loseSessions();
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      this.#router.close();
      this.#closed = once(this.#server.close(), "close");
      this.#server.closeAllConnections();
    }
    await this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#connectionNumbers.get(request.socket) ?? 0;
    const incoming = await readIncoming(request, response, connection);
    const { method, path, headers, body } = incoming;
    this.#log.add({ method, path, headers, body, connection });
    this.#conditions.check();
    this.#router.route(incoming);
  }
}
