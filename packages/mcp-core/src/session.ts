import type { AuthPort } from "./auth-port.ts";
import type { SessionRequestOptions } from "./call-options.ts";
import type { ToolCallResult } from "./content.ts";
import type {
  CompletionRequest,
  CompletionResult,
  GetPromptResult,
  PromptDefinition,
  ReadResourceResult,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from "./context-source.ts";
import type { HostHandlers } from "./host-handlers.ts";
import type { Logger } from "./logger.ts";
import type { McpError } from "./mcp-error.ts";
import type { TraceRequest } from "./request-trace.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import type { ToolDefinition } from "./tool.ts";
import type { JsonObject } from "./values.ts";

/** `modern`: protocol 2026-07-28 and later, stateless. `legacy`: the `initialize` handshake, 2024-10-07 to 2025-11-25. */
export type ProtocolEra = "modern" | "legacy";

/** A party's name and version (MCP `Implementation`). */
export type Implementation = { name: string; version: string; title?: string | undefined };

/** The result of the handshake that opened a session. */
export interface Handshake {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly serverInfo?: Implementation | undefined;
  readonly capabilities: JsonObject;
  readonly instructions?: string | undefined;
  /** Pass it as `prior` when connecting to the server again. */
  readonly prior: PriorHandshake;
}

/**
 * What an earlier handshake learned. A modern one saves the next connection every round trip, a legacy one the probe. A legacy
 * verdict must expire: an upgraded server still answers `initialize`.
 */
export type PriorHandshake =
  | {
      readonly era: "modern";
      /** When it was learned, epoch milliseconds. */
      readonly at: number;
      /** The whole result of `server/discover`. */
      readonly discover: JsonObject;
    }
  | {
      readonly era: "legacy";
      /** When it was learned, epoch milliseconds. */
      readonly at: number;
      /** Set if an entry for Streamable HTTP led to a server that speaks only the older HTTP+SSE, which is then tried first. */
      readonly transport?: "sse" | undefined;
    };

/** The item type of each kind of list. */
export interface CatalogItems {
  tools: ToolDefinition;
  resources: ResourceDefinition;
  resourceTemplates: ResourceTemplateDefinition;
  prompts: PromptDefinition;
}

/** A kind of items that a server can list. */
export type CatalogKind = keyof CatalogItems;

/** A list with all its pages, as far as `mostListed` allows. */
export interface Listing<K extends CatalogKind = CatalogKind> {
  readonly items: readonly CatalogItems[K][];
  /** The server lists more, which was left out. Default false. */
  readonly isCut?: boolean | undefined;
  /** How long the server says the list may be relied on, in milliseconds (SEP-2549). */
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: "public" | "private" | undefined;
}

/** The requests a session can make besides listing, with their parameters and answers. */
export interface SessionMethods {
  "tools/call": { params: { name: string; arguments?: JsonObject | undefined }; result: ToolCallResult };
  "resources/read": { params: { uri: string }; result: ReadResourceResult };
  "resources/subscribe": { params: { uri: string }; result: JsonObject };
  "resources/unsubscribe": { params: { uri: string }; result: JsonObject };
  "prompts/get": {
    params: { name: string; arguments?: { [name: string]: string } | undefined };
    result: GetPromptResult;
  };
  "completion/complete": { params: CompletionRequest; result: CompletionResult };
  "logging/setLevel": { params: { level: string }; result: JsonObject };
  ping: { params: undefined; result: JsonObject };
}

/** A request a session can make. */
export type SessionMethod = keyof SessionMethods;
/** The parameters of a request. */
export type SessionParams<M extends SessionMethod> = SessionMethods[M]["params"];
/** The answer to a request. */
export type SessionResult<M extends SessionMethod> = SessionMethods[M]["result"];

/** A notification from the server. */
export interface ServerNotification {
  readonly method: string;
  readonly params?: unknown;
}

/**
 * An initialised session with one server. When it ends, every pending request rejects: with `MCP_CLOSED` after `close()`, otherwise
 * with `MCP_SESSION_LOST`, `MCP_LIMIT_EXCEEDED`, or, for a tool call that was sent, `MCP_OUTCOME_UNKNOWN`. Every error is an
 * `McpError`.
 */
export interface Session extends AsyncDisposable {
  readonly handshake: Handshake;
  /**
   * Lists one kind completely, or throws: a session never returns a partial list. Of a list that is longer than `mostListed`, the
   * first items are returned, marked as `isCut`, and no further page is requested. Items that are not valid MCP are left out and
   * logged; if no item is valid, it throws `MCP_PROTOCOL_VIOLATED`. If a server with resources answers `resources/templates/list`
   * with -32601, the list is empty and is not requested again in that session.
   */
  list<K extends CatalogKind>(kind: K, options: { readonly signal: AbortSignal }): Promise<Listing<K>>;
  /**
   * Makes one request.
   *
   * @throws McpError whose `outcome` says what is known: `not-sent`, `rejected` before it was processed, or `unknown`.
   */
  request<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options?: SessionRequestOptions,
  ): Promise<SessionResult<M>>;
  /** Adds a listener and returns the function that removes it, as `onRenewed` and `onClose` do. */
  onNotification(listener: (notification: ServerNotification) => void): () => void;
  /** The transport has re-initialised the session: everything listed before must be listed again. */
  onRenewed(listener: () => void): () => void;
  /** The session has ended. `cause` is missing after `close()`. A listener added afterwards is called at once. */
  onClose(listener: (cause?: McpError) => void): () => void;
  /** Ends the session and releases everything opened for it. Idempotent; resolves when all is released. */
  close(): Promise<void>;
}

/** Options of a connection attempt. */
export interface ConnectOptions {
  /** Aborts the attempt. The connector's own deadline is the server's `connectTimeoutMs`. */
  readonly signal: AbortSignal;
  /** What an earlier handshake learned, if there was one. */
  readonly prior?: PriorHandshake | undefined;
  /** The user on whose behalf the server is reached, if one runtime serves several users. */
  readonly principal?: string | undefined;
  readonly handlers?: HostHandlers | undefined;
  readonly auth?: AuthPort | undefined;
  /** Follows each request of the session. Default: nothing does. */
  readonly trace?: TraceRequest | undefined;
  /**
   * How long the host gives the session to close, in milliseconds. A local server is asked to end by the end of its input, after two fifths
   * of it by SIGTERM, and after two more killed. Default 5,000.
   */
  readonly closeTimeoutMs?: number | undefined;
  /**
   * Called before a session that its server has lost is begun anew on the same connection; resolves when that may be done. A runtime
   * spreads the handshakes of many sessions that are lost at once. Default: at once.
   */
  readonly beforeRenewal?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly log: Logger;
}

/**
 * Opens a session, or throws after releasing whatever it had opened. The port that transports implement.
 *
 * @throws McpError `MCP_CONFIG_INVALID` (an unusable working directory or URL), `MCP_CONNECT_FAILED`, `MCP_CONNECT_TIMEOUT`,
 * `MCP_COMMAND_NOT_FOUND`, `MCP_SERVER_EXITED`, `MCP_LIMIT_EXCEEDED`, `MCP_PROTOCOL_VIOLATED`, `MCP_PROTOCOL_UNSUPPORTED`,
 * `MCP_AUTH_REQUIRED`, `MCP_TRANSPORT_UNSUPPORTED` or `MCP_ABORTED`.
 */
export type Connector = (server: ResolvedServer, options: ConnectOptions) => Promise<Session>;
