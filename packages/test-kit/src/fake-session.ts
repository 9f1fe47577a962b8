import {
  type CatalogItems,
  type CatalogKind,
  type Handshake,
  type JsonObject,
  type Listing,
  McpError,
  type PriorHandshake,
  type ServerNotification,
  type Session,
  type SessionMethod,
  type SessionParams,
  type SessionRequestOptions,
  type SessionResult,
  type ToolDefinition,
  toMcpError,
} from "@jackfield/mcp-core";
import { createHold } from "./hold.ts";
import { createPendingWork } from "./pending-work.ts";

/** One request as the session received it. */
export interface RecordedRequest {
  readonly method: SessionMethod;
  /** `{}` if the method has none. */
  readonly params: JsonObject;
  /** Includes deadlines, which the fake does not enforce: that is up to the runtime under test. */
  readonly options: SessionRequestOptions;
}

/** Answers a request. An error that it throws rejects the request. */
export type FakeAnswer = (
  method: SessionMethod,
  params: JsonObject,
  options: SessionRequestOptions,
) => unknown | Promise<unknown>;

/** Options of `createFakeSession`. */
export interface FakeSessionOptions {
  /** Overrides the default: a modern server with tools that announces changes. `prior` follows `era`. */
  readonly handshake?: Partial<Handshake> | undefined;
  /** Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The items of the other kinds. Default: none. */
  readonly items?: { readonly [K in CatalogKind]?: readonly CatalogItems[K][] } | undefined;
  /** Returned with every list. */
  readonly ttlMs?: number | undefined;
  /** Default: `tools/call` echoes its arguments as JSON in a text block, everything else is empty. */
  readonly answer?: FakeAnswer | undefined;
}

/** A session in which the test plays the server. */
export interface FakeSession extends Session {
  /** Requests in order of arrival, including aborted ones. */
  readonly requests: readonly RecordedRequest[];
  /** The kinds that were listed, in order. */
  readonly listed: readonly CatalogKind[];
  /** Whether the session has ended, by `close()` or `lose()`. */
  readonly closed: boolean;
  /** How often `close()` was called. */
  readonly closeCount: number;
  /** Sets the tools of the next list, without a notification. */
  setTools(tools: readonly ToolDefinition[]): void;
  /** The same for any kind. */
  setItems<K extends CatalogKind>(kind: K, items: readonly CatalogItems[K][]): void;
  /** Lists reject with the error until this is called with `undefined`. */
  failLists(error: McpError | undefined): void;
  /** Lists hang until the returned function is called; their signals still work. */
  holdLists(): () => void;
  /** `close()` ends the session but does not resolve until the returned function is called. */
  holdClose(): () => void;
  notify(notification: ServerNotification): void;
  /** Reports that the session was initialised again. */
  renew(): void;
  /** Ends the session as a crash would. */
  lose(cause: McpError): void;
}

/** Creates a session without a server. */
export function createFakeSession(options: FakeSessionOptions = {}): FakeSession {
  return new ScriptedSession(options);
}

class ScriptedSession implements FakeSession {
  readonly handshake: Handshake;
  readonly requests: RecordedRequest[] = [];
  readonly listed: CatalogKind[] = [];
  closeCount = 0;
  readonly #options: FakeSessionOptions;
  readonly #items: Map<CatalogKind, readonly CatalogItems[CatalogKind][]>;
  readonly #pending = createPendingWork();
  readonly #lists = createHold();
  readonly #closing = createHold();
  readonly #notified = new Set<(notification: ServerNotification) => void>();
  readonly #renewed = new Set<() => void>();
  readonly #ended = new Set<(cause?: McpError) => void>();
  #end: { readonly cause: McpError | undefined } | undefined;
  #listError: McpError | undefined;

  constructor(options: FakeSessionOptions) {
    this.#options = options;
    this.handshake = fakeHandshake(options.handshake ?? {});
    this.#items = new Map(
      Object.entries({ ...options.items }) as [CatalogKind, CatalogItems[CatalogKind][]][],
    );
    if (options.tools) this.setTools(options.tools);
  }

  get closed(): boolean {
    return this.#end !== undefined;
  }

  list<K extends CatalogKind>(kind: K, { signal }: { readonly signal: AbortSignal }): Promise<Listing<K>> {
    this.listed.push(kind);
    return this.#run(signal, async () => {
      await this.#lists.passed();
      if (this.#listError) throw this.#listError;
      const { ttlMs } = this.#options;
      const items = [...(this.#items.get(kind) ?? [])] as CatalogItems[K][];
      return { items, ...(ttlMs === undefined ? {} : { ttlMs }) };
    });
  }

  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options: SessionRequestOptions = {},
  ): Promise<SessionResult<M>> {
    const request: RecordedRequest = { method, params: params ?? {}, options };
    this.requests.push(request);
    return this.#run(options.signal, async () => {
      const answer = this.#options.answer ?? defaultAnswer;
      try {
        return (await answer(method, request.params, options)) as SessionResult<M>;
      } catch (error) {
        throw toMcpError(error, "MCP_INTERNAL", `The fake's answer to "${method}" failed.`);
      }
    });
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.setItems("tools", tools);
  }

  setItems<K extends CatalogKind>(kind: K, items: readonly CatalogItems[K][]): void {
    this.#items.set(kind, items);
  }

  failLists(error: McpError | undefined): void {
    this.#listError = error;
  }

  holdLists(): () => void {
    return this.#lists.take();
  }

  holdClose(): () => void {
    return this.#closing.take();
  }

  notify(notification: ServerNotification): void {
    for (const listener of [...this.#notified]) listener(notification);
  }

  renew(): void {
    for (const listener of [...this.#renewed]) listener();
  }

  lose(cause: McpError): void {
    this.#finish(cause);
  }

  onNotification(listener: (notification: ServerNotification) => void): () => void {
    this.#notified.add(listener);
    return () => this.#notified.delete(listener);
  }

  onRenewed(listener: () => void): () => void {
    this.#renewed.add(listener);
    return () => this.#renewed.delete(listener);
  }

  onClose(listener: (cause?: McpError) => void): () => void {
    if (this.#end) listener(this.#end.cause);
    else this.#ended.add(listener);
    return () => this.#ended.delete(listener);
  }

  close(): Promise<void> {
    this.closeCount += 1;
    this.#finish(undefined);
    return this.#closing.passed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#end) return Promise.reject(endedError(this.#end.cause, "not-sent"));
    const outcome = signal?.aborted ? "not-sent" : "unknown";
    const aborted = () => new McpError("MCP_ABORTED", "The caller gave up.", { outcome });
    return this.#pending.run(work, { signal, aborted });
  }

  #finish(cause: McpError | undefined): void {
    if (this.#end) return;
    this.#end = { cause };
    this.#pending.giveUp(endedError(cause, "unknown"));
    const listeners = [...this.#ended];
    this.#ended.clear();
    for (const listener of listeners) listener(cause);
  }
}

function endedError(cause: McpError | undefined, outcome: "not-sent" | "unknown"): McpError {
  if (!cause) return new McpError("MCP_CLOSED", "The fake session was closed.", { outcome });
  return new McpError("MCP_SESSION_LOST", `The fake session was lost: ${cause.message}`, { outcome, cause });
}

function fakeHandshake(overrides: Partial<Handshake>): Handshake {
  const era = overrides.era ?? "modern";
  const capabilities = { tools: { listChanged: true } };
  const protocolVersion = era === "modern" ? "2026-07-28" : "2025-11-25";
  const at = Date.now();
  const discover = { supportedVersions: [protocolVersion], capabilities };
  const prior: PriorHandshake = era === "modern" ? { era, at, discover } : { era, at };
  const serverInfo = { name: "fake", version: "1.0.0" };
  return { era, protocolVersion, serverInfo, capabilities, prior, ...overrides };
}

const EMPTY_ANSWERS: { readonly [M in SessionMethod]?: SessionResult<M> } = {
  "resources/read": { contents: [] },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: [] } },
};

function defaultAnswer(method: SessionMethod, params: JsonObject): unknown {
  if (method !== "tools/call") return structuredClone(EMPTY_ANSWERS[method] ?? {});
  return { content: [{ type: "text", text: JSON.stringify(params.arguments ?? {}) }] };
}
