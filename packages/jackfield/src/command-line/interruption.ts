import { McpError } from "@jackfield/mcp-core";

/** The error of a command that its user ended with Ctrl+C. */
export function interruption(): McpError {
  return new McpError("MCP_ABORTED", "Ctrl+C cancelled the command before it finished.");
}

/**
 * The work's result, unless the signal fires first. The work itself is not cancelled, so it must have started nothing that has to be ended.
 *
 * @throws the signal's reason
 */
export async function untilInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp = () => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason);
  });
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([interrupted, work]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
