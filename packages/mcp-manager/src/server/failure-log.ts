import type { Logger, McpError } from "@jackfield/mcp-core";

/** An attempt that is scheduled. */
export interface NextAttempt {
  /** Its number in a row; the first one is 1. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly retryAt: number;
}

interface LoggedFailure {
  readonly code: string;
  readonly message: string;
  readonly attempt: number;
  /** Whose session failed. */
  readonly by: object;
  readonly at: number;
}

/** Sessions of several users that fail within this time fail for one reason. */
const TOGETHER_MS = 60_000;
/** From this attempt on a server that fails as before is tried rarely and for ever. */
const LONG_AGO = 10;

/**
 * Logs failing servers, for all users of a runtime: one line an attempt, with the next one and its time, however many users have a session
 * with the server. Once a server is only tried now and then, it is logged again when something else happens.
 */
export class FailureLog {
  readonly #log: Logger;
  /** The last failure of each server that was logged. */
  readonly #last = new Map<string, LoggedFailure>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param by - whose session it is */
  failed(by: object, server: string, error: McpError, next: NextAttempt | undefined): void {
    const { code, message } = error;
    const now = Date.now();
    const last = this.#last.get(server);
    const attempt = next?.attempt ?? 0;
    const isSame = last?.code === code && last.message === message;
    const isOfAnother = isSame && last.by !== by && attempt <= last.attempt && now - last.at < TOGETHER_MS;
    if (isOfAnother) return;
    this.#last.set(server, { code, message, attempt, by, at: now });
    const level = isSame && attempt > LONG_AGO ? "debug" : "warn";
    if (next === undefined) {
      this.#log(level, message, { server, code });
      return;
    }
    const waitMs = Math.max(0, next.retryAt - now);
    const when = waitMs === 0 ? "now" : `in ${(waitMs / 1_000).toFixed(1)} s`;
    const retryAt = new Date(next.retryAt).toISOString();
    this.#log(level, `${withFullStop(message)} Attempt ${attempt} follows ${when}.`, {
      server,
      code,
      attempt,
      retryAt,
    });
  }

  /** The server can be used: whatever fails next is logged. */
  worked(server: string): void {
    if (!this.#last.delete(server)) return;
    this.#log("info", `Server "${server}" can be used again.`, { server });
  }
}

/** A message may be written with or without a full stop. */
export function withFullStop(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
