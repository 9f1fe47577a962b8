import { ERROR_CODES, type ErrorCode } from "./error-code.ts";
import type { SourceLocation } from "./source-location.ts";

/** Which step of a server's life an error belongs to. */
export type Phase = "config" | "approve" | "resolve" | "spawn" | "handshake" | "list" | "call" | "close";

/**
 * What is known of a request that failed. `not-sent`: no write was attempted. `rejected`: refused before it was processed.
 * `unknown`: it may have been carried out, wholly or in part.
 */
export type CallOutcome = "not-sent" | "rejected" | "unknown";

/**
 * The login that a refused request needs (`MCP_AUTH_REQUIRED`), so that a program can ask its user for it: pass it to `beginLogin`, or show
 * it on a page. It holds no secret.
 */
export interface NeededLogin {
  /** The server's name as configured. */
  readonly server: string;
  /** The user whose login it is; missing for the owner of the runtime. */
  readonly principal?: string | undefined;
  /** The scopes that are needed, as far as the server has named them. */
  readonly scopes: readonly string[];
}

/** Details of an error besides its code and message. */
export interface McpErrorDetails {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly phase?: Phase | undefined;
  readonly outcome?: CallOutcome | undefined;
  readonly location?: SourceLocation | undefined;
  /** The HTTP status of the server's response. */
  readonly httpStatus?: number | undefined;
  /** The JSON-RPC error code of the server's response. */
  readonly rpcCode?: number | undefined;
  /** How long the server asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The end of the server process's standard error, redacted. */
  readonly stderr?: string | undefined;
  /** The login that is needed, if a login helps. */
  readonly login?: NeededLogin | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("jackfield.McpError");

/** The only error Jackfield throws. Its message says what happened, to which server, and what to do next; it carries no secret. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: ErrorCode;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly phase: Phase | undefined;
  readonly outcome: CallOutcome | undefined;
  readonly location: SourceLocation | undefined;
  readonly httpStatus: number | undefined;
  readonly rpcCode: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly stderr: string | undefined;
  readonly login: NeededLogin | undefined;

  constructor(code: ErrorCode, message: string, details: McpErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.server = details.server;
    this.tool = details.tool;
    this.phase = details.phase;
    this.outcome = details.outcome;
    this.location = details.location;
    this.httpStatus = details.httpStatus;
    this.rpcCode = details.rpcCode;
    this.retryAfterMs = details.retryAfterMs;
    this.stderr = details.stderr;
    this.login = details.login;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether reconnecting may help. It does not mean that a call may be repeated. */
  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  /** The error as data that is safe to show or send: without stack and cause. */
  toJSON(): McpErrorReport {
    const {
      code,
      message,
      server,
      tool,
      phase,
      outcome,
      location,
      httpStatus,
      rpcCode,
      retryAfterMs,
      stderr,
      login,
    } = this;
    const report = {
      code,
      message,
      server,
      tool,
      phase,
      outcome,
      location,
      httpStatus,
      rpcCode,
      retryAfterMs,
      stderr,
    };
    return login === undefined ? report : { ...report, login };
  }
}

/** An `McpError` as data. */
export interface McpErrorReport extends Omit<McpErrorDetails, "cause"> {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Whether a value is an `McpError` from any copy of the package and, if `code` is given, has that code. */
export function isMcpError(value: unknown, code?: ErrorCode): value is McpError {
  if (typeof value !== "object" || value === null) return false;
  try {
    if (!(BRAND in value)) return false;
    return code === undefined || ("code" in value && value.code === code);
  } catch {
    return false; // `in` throws on a revoked proxy.
  }
}

/** The value itself if it is an `McpError`; else one with the given code and details, and the value as its cause. */
export function toMcpError(
  value: unknown,
  code: ErrorCode,
  message: string,
  details: McpErrorDetails = {},
): McpError {
  return isMcpError(value) ? value : new McpError(code, message, { ...details, cause: value });
}
