import type { McpError } from "@jackfield/mcp-core";

/** Work whose promise may be settled before the work itself is done. */
export interface PendingWork {
  /** Settles with the work, or rejects earlier: with `aborted()` when the signal fires, or with the error of `giveUp`. */
  run<T>(
    work: () => Promise<T>,
    options: { readonly signal?: AbortSignal | undefined; readonly aborted: () => McpError },
  ): Promise<T>;
  /** Rejects all pending work. */
  giveUp(error: McpError): void;
}

/** Tracks the pending promises of one fake, so that none of them outlives it. */
export function createPendingWork(): PendingWork {
  const rejections = new Set<(error: McpError) => void>();
  return {
    run(work, { signal, aborted }) {
      return new Promise((resolve, reject) => {
        const release = () => {
          rejections.delete(give);
          signal?.removeEventListener("abort", abort);
        };
        const give = (error: unknown) => {
          release();
          reject(error);
        };
        const abort = () => give(aborted());
        if (signal?.aborted) return give(aborted());
        rejections.add(give);
        signal?.addEventListener("abort", abort, { once: true });
        work().then((value) => {
          release();
          resolve(value);
        }, give);
      });
    },
    giveUp(error) {
      for (const reject of [...rejections]) reject(error);
    },
  };
}
