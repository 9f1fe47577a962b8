import { raceSignal } from "./deadline.ts";
import { McpError } from "./mcp-error.ts";

/** Runs work of the same key one after the other, in order of arrival. Work of different keys runs concurrently. */
export class KeyedQueue {
  readonly #ends = new Map<string, Promise<void>>();

  /**
   * Runs the work in its turn, and settles as it does. Work that fails does not stop the next.
   *
   * @param work - is told whether it had to wait
   * @param signal - ends the wait; work that has begun goes on. Default: waits until the turn comes
   * @throws McpError `MCP_ABORTED` if the signal fires before the turn comes; the work then never starts
   */
  async run<T>(
    key: string,
    work: (hadToWait: boolean) => Promise<T>,
    signal?: AbortSignal | undefined,
  ): Promise<T> {
    const before = this.#ends.get(key);
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    // Who gives up waiting must not let the next one run before its predecessors end.
    const turnEnd = before ? before.then(() => end) : end;
    this.#ends.set(key, turnEnd);
    try {
      if (before) await (signal ? raceSignal(before, signal, aborted) : before);
      if (signal?.aborted) throw aborted(signal);
      return await work(before !== undefined);
    } finally {
      finish();
      void turnEnd.then(() => {
        if (this.#ends.get(key) === turnEnd) this.#ends.delete(key);
      });
    }
  }
}

function aborted({ reason }: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The wait for earlier work was aborted.", { cause: reason });
}
