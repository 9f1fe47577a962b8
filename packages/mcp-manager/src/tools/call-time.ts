import {
  type CallOptions,
  createDeadline,
  DEFAULT_LIMITS,
  type Deadline,
  MAX_TIMER_MS,
  McpError,
  type RequestOptions,
  type ServerLimits,
  type ToolCall,
} from "@jackfield/mcp-core";
import type { ManagedServer } from "../server/managed-server.ts";
import type { WatchedSession } from "../server/watched-session.ts";
import { abortedBeforeSending, detailsOf, unavailable } from "./call-error.ts";

/** The time of one request, in milliseconds: until an answer or increasing progress, and in total. `0` = no limit. */
type RequestTime = Required<{ readonly [K in "timeoutMs" | "maxTotalMs"]: number }>;

/**
 * The time a call or another request has left, all its waits and attempts included. Measured by the monotonic clock, so that an
 * adjustment of the system time ends no call. Milliseconds; `0` = no limit.
 */
export class CallTime {
  readonly #startedAt = performance.now();
  /** Since when an answer or progress is awaited. */
  #workedAt = this.#startedAt;
  readonly #idleMs: number;
  readonly #totalMs: number;

  constructor(
    { timeoutMs, maxTotalMs }: Pick<RequestOptions, "timeoutMs" | "maxTotalMs">,
    limits: ServerLimits = {},
  ) {
    this.#idleMs = timeoutMs ?? limits.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs;
    this.#totalMs = maxTotalMs ?? limits.maxTotalMs ?? DEFAULT_LIMITS.maxTotalMs;
  }

  /** The shorter of the two limits. */
  get limitMs(): number {
    return shorter(this.#idleMs, this.#totalMs);
  }

  /** For a request that is sent now. */
  left(): RequestTime {
    const now = performance.now();
    return {
      timeoutMs: rest(this.#idleMs, now - this.#workedAt),
      maxTotalMs: rest(this.#totalMs, now - this.#startedAt),
    };
  }

  /** For waiting until the server is ready. */
  waitMs(): number {
    const { timeoutMs, maxTotalMs } = this.left();
    return shorter(timeoutMs, maxTotalMs);
  }

  /** For another attempt; `Infinity` = no limit. */
  leftMs(): number {
    const now = performance.now();
    const idleMs = this.#idleMs === 0 ? Number.POSITIVE_INFINITY : this.#idleMs - (now - this.#workedAt);
    const totalMs = this.#totalMs === 0 ? Number.POSITIVE_INFINITY : this.#totalMs - (now - this.#startedAt);
    return Math.min(idleMs, totalMs);
  }

  /**
   * The server has worked on a request that is lost, or on others for whose end the request waited. Restarts the time for an answer or
   * progress, because it is unknown here when progress was last reported. The total time goes on.
   */
  worked(): void {
    this.#workedAt = performance.now();
  }
}

/** The shorter of two limits of which `0` is none. */
function shorter(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b);
}

/** The rest of a limit: at least 1, because 0 means no limit. */
function rest(limitMs: number, elapsedMs: number): number {
  if (limitMs === 0) return 0;
  return Math.min(MAX_TIMER_MS, Math.max(1, limitMs - Math.floor(elapsedMs)));
}

/** The deadline of a wait that counts against a call's time. @param expired - the message when the time is over */
export function callDeadline(
  { tool, options }: Pick<ToolCall, "tool" | "options">,
  time: CallTime,
  expired: () => string,
): Deadline {
  return createDeadline({
    signal: options.signal,
    timeoutMs: time.waitMs(),
    aborted: () => abortedBeforeSending(tool),
    expired: () => new McpError("MCP_CALL_TIMEOUT", expired(), { ...detailsOf(tool), outcome: "not-sent" }),
  });
}

/** The share of a call's remaining time that a list may take: a server that never sends one can still be called. */
const SHARE_OF_LIST = 0.5;

/**
 * Waits for a session and, where possible, for its tools: a call is judged by what the server lists now (threat T78). The wait counts
 * against the call's time; the rest is for the request.
 *
 * @throws McpError with outcome `not-sent`: why there is no session, `MCP_CALL_TIMEOUT`, or `MCP_ABORTED`.
 */
export async function waitForListedServer(
  call: { readonly tool: ToolCall["tool"]; readonly options: CallOptions },
  time: CallTime,
  server: ManagedServer,
): Promise<WatchedSession> {
  const { tool } = call;
  using deadline = callDeadline(
    call,
    time,
    () =>
      `Server "${tool.server}" was not ready for tool "${tool.originalName}" within ${time.limitMs} ms, so the call was not sent; see its state in servers(), or raise timeoutMs.`,
  );
  try {
    return await server.listedSession(deadline, () => time.leftMs() * SHARE_OF_LIST);
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw unavailable(tool, cause);
  }
}
