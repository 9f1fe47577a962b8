import { McpError } from "@jackfield/mcp-core";
import { unlessGivenUp } from "../given-up.ts";

/** Runs work of the same key one after the other, in order of arrival. Work of different keys runs concurrently. */
export interface KeyedTurns {
  /**
   * Runs the work in its turn, and settles as it does.
   *
   * @throws McpError `MCP_ABORTED` if the signal fires before the turn comes; the work then never starts
   */
  take<T>(key: string, work: (hadToWait: boolean) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createKeyedTurns(): KeyedTurns {
  const ends = new Map<string, Promise<void>>();
  return {
    async take(key, work, signal) {
      const before = ends.get(key);
      const { promise: end, resolve: finish } = Promise.withResolvers<void>();
      // A waiter that aborts must not let the next one run before its predecessors end.
      const turnEnd = before ? before.then(() => end) : end;
      ends.set(key, turnEnd);
      try {
        if (before) await unlessGivenUp(before, signal, aborted);
        if (signal.aborted) throw aborted(signal);
        return await work(before !== undefined);
      } finally {
        finish();
        void turnEnd.then(() => {
          if (ends.get(key) === turnEnd) ends.delete(key);
        });
      }
    },
  };
}

function aborted(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "Waiting for access to a login was aborted.", { cause: signal.reason });
}
