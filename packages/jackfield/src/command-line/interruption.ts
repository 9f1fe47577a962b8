import { McpError } from "@jackfield/mcp-core";

/** Why a command is given up when its user does not want to wait. */
export function interruption(): McpError {
  return new McpError("MCP_ABORTED", "Ctrl+C ended the command before it was done.");
}

/**
 * The work's result, unless the signal fires first. For what has started nothing that would have to be ended: the work is left alone.
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
