import type { ErrorCode } from "./error-code.ts";
import type { NeededLogin } from "./mcp-error.ts";
import type { DefinedIn, TransportKind } from "./server-definition.ts";
import type { Implementation, ProtocolEra } from "./session.ts";

/**
 * The state of a server.
 *
 * `idle` not connected and nothing scheduled · `connecting` an attempt is under way · `ready` the handshake is done · `backoff` the
 * next attempt is scheduled · `failed` nothing is scheduled · `closing` its session is being closed · `closed` removed for good.
 */
export type ServerStatus = "idle" | "connecting" | "ready" | "backoff" | "failed" | "closing" | "closed";

/** An error as shown to users: without stack and secrets. */
export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The end of the server process's standard error, redacted. */
  readonly stderr?: string | undefined;
  /** The login that is needed, if a login helps. */
  readonly login?: NeededLogin | undefined;
}

/** Where the offered tools come from. `stale`: from a catalog entry that is out of date. */
export type ToolsFrom = "live" | "cache" | "stale" | "none";

/** The public state of a server. An immutable copy. */
export interface ServerSnapshot {
  readonly name: string;
  readonly status: ServerStatus;
  /** Missing if the entry is too malformed to tell. */
  readonly transport?: TransportKind | undefined;
  /** Epoch milliseconds of the last status change; for a `ready` server, of when it became ready. */
  readonly since: number;
  /** The last error, while it explains the status or missing tools. */
  readonly error?: ErrorReport | undefined;
  /** Epoch milliseconds of the next attempt, in `backoff`. */
  readonly retryAt?: number | undefined;
  /** How many of its tools are offered. */
  readonly tools: number;
  readonly toolsFrom: ToolsFrom;
  readonly era?: ProtocolEra | undefined;
  /** The server's name and version as it reports them; while it is not connected, those in the catalog. */
  readonly serverInfo?: Implementation | undefined;
  /** The server's instructions for using its tools, from the same source. Untrusted text, of which a model reads a line at most, where tools are searched for. */
  readonly instructions?: string | undefined;
  /** How many tool calls were sent to it since the runtime was started or the server was configured. */
  readonly calls: number;
  /** How many of them failed with an error other than `MCP_ABORTED`. A result with `isError` is not a failure. */
  readonly failures: number;
  readonly definedIn: DefinedIn;
}
