import { McpError } from "@jackfield/mcp-core";

/** Settles as the work does, or rejects as soon as whoever waits has given up; the work goes on. */
export async function unlessGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {}); // nobody may be left to hear of it
  if (signal.aborted) throw givenUp(signal);
  const { promise: end, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(givenUp(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, end]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The error of a login that nobody waits for any more. */
export function givenUp(signal: AbortSignal): McpError {
  return new McpError("MCP_ABORTED", "The login was given up.", { cause: signal.reason });
}
