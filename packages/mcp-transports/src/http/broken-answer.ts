import type { FeedEnd } from "./event-feed.ts";

/**
 * The error of a request that was accepted and whose answer broke off. It has a message, but neither a status nor a cause: what stopped
 * the attempt to resume the answer, such as 404, 401 or a refused connection, must not be read as the outcome of the request.
 */
export function brokenAnswer({ error, refusal }: FeedEnd): Error {
  const { code = error?.message } = (error ?? {}) as { readonly code?: unknown };
  const reason = refusal ? `resuming it was refused with HTTP ${refusal.status}` : code;
  return new Error(`its answer broke off${reason === undefined ? "" : `: ${reason}`}`);
}
