import { McpError } from "@jackfield/mcp-core";

/** Settles as the work does, or rejects with `toError(signal)` when the signal fires; the work goes on. */
export async function unlessGivenUp<T>(
  work: Promise<T>,
  signal: AbortSignal,
  toError: (signal: AbortSignal) => McpError = givenUp,
): Promise<T> {
  work.catch(() => {}); // it may fail after the caller has stopped waiting
  if (signal.aborted) throw toError(signal);
  const { promise: end, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(toError(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, end]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The error of a login that the caller cancelled. */
export function givenUp(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was aborted.", { cause: signal.reason });
}
