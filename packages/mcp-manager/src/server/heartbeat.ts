import { isMcpError, McpError, startTimer, type TransportKind } from "@jackfield/mcp-core";

/** How an unused session is checked for life. Times are milliseconds. */
export interface HeartbeatPolicy {
  /**
   * How long a server may be silent before it is pinged; `0` = never. Default 30,000 for remote servers and `0` for local ones: the
   * exit of a local process is noticed anyway, and one that is busy for a minute must not be killed for it.
   */
  readonly intervalMs: number;
  /** How long the answer to a ping may take. Default 10,000. */
  readonly timeoutMs: number;
  /** The session is dropped after this many unanswered pings in a row. Default 1. */
  readonly threshold: number;
}

/** A heartbeat policy; each missing field has its default. */
export type HeartbeatOptions = { readonly [K in keyof HeartbeatPolicy]?: HeartbeatPolicy[K] | undefined };

/** The default for remote servers. A server that disappears silently is noticed within 40 seconds. */
export const DEFAULT_HEARTBEAT: HeartbeatPolicy = { intervalMs: 30_000, timeoutMs: 10_000, threshold: 1 };

/** The policy for a server with this transport. */
export function heartbeatFor(transport: TransportKind, options: HeartbeatOptions): HeartbeatPolicy {
  const isRemote = transport === "http" || transport === "sse";
  const { intervalMs, timeoutMs, threshold } = DEFAULT_HEARTBEAT;
  return {
    intervalMs: options.intervalMs ?? (isRemote ? intervalMs : 0),
    timeoutMs: options.timeoutMs ?? timeoutMs,
    threshold: options.threshold ?? threshold,
  };
}

/** What is known of pings to one server, over all its sessions. */
export interface PingRecord {
  /**
   * `refused`: the last session was given up because the server refused a ping with an HTTP status. `unsupported`: the next session was
   * refused one, too, so it is the ping that the server does not take.
   */
  verdict?: "refused" | "unsupported" | undefined;
}

/** The session that is watched. */
export interface HeartbeatSubject {
  readonly server: string;
  readonly pings: PingRecord;
  /** Sends a ping. */
  ping(timeoutMs: number): Promise<unknown>;
  /** When the server was last heard, by the monotonic clock, in milliseconds. */
  heardAt(): number;
  /** Whether a request with its own deadline is in flight: a busy server is not pinged. */
  isBusy(): boolean;
}

/** Runs until it is stopped. */
export interface Heartbeat {
  stop(): void;
}

/**
 * Pings a silent server, and reports once when the pings go unanswered. Any answer counts, including the error of a server that does
 * not know `ping` ([S5]). A refusal with an HTTP status does not: the session may be unknown to the server, or a gateway answers for it. A
 * server that refuses the ping of a fresh session as well is not pinged any more.
 *
 * @param lost - called with `MCP_SESSION_LOST` when the threshold is reached; no ping follows
 */
export function createHeartbeat(
  policy: HeartbeatPolicy,
  subject: HeartbeatSubject,
  lost: (error: McpError) => void,
): Heartbeat {
  const { intervalMs, timeoutMs, threshold } = policy;
  const { pings } = subject;
  let isStopped = intervalMs === 0 || pings.verdict === "unsupported";
  let timer: NodeJS.Timeout | undefined;

  function arm(): void {
    if (isStopped) return;
    const quietMs = performance.now() - subject.heardAt();
    const waitMs = subject.isBusy() ? intervalMs : Math.max(1, intervalMs - quietMs);
    timer = startTimer(() => void beat(), waitMs);
    timer.unref(); // A heartbeat does not keep the process alive.
  }

  async function beat(): Promise<void> {
    let missed: unknown;
    for (let misses = 0; misses < threshold; misses += 1) {
      const isQuiet = performance.now() - subject.heardAt() >= intervalMs;
      if (isStopped || subject.isBusy() || !isQuiet) return arm();
      try {
        await subject.ping(timeoutMs);
        pings.verdict = undefined;
        return arm();
      } catch (error) {
        const { rpcCode, httpStatus } = isMcpError(error) ? error : {};
        if (rpcCode !== undefined && httpStatus === undefined) return arm();
        if (httpStatus !== undefined && pings.verdict === "refused") {
          pings.verdict = "unsupported";
          return;
        }
        missed = error;
      }
    }
    if (isStopped) return;
    isStopped = true;
    if (isMcpError(missed) && missed.httpStatus !== undefined) pings.verdict = "refused";
    lost(unhealthy(subject.server, policy, missed));
  }

  arm();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function unhealthy(server: string, { threshold, timeoutMs }: HeartbeatPolicy, cause: unknown): McpError {
  const pings = threshold === 1 ? "a ping" : `${threshold} pings in a row`;
  const message = `Server "${server}" did not answer ${pings} within ${timeoutMs} ms; reconnecting.`;
  return new McpError("MCP_SESSION_LOST", message, { server, cause });
}
