import type { Logger } from "@jackfield/mcp-core";

/**
 * Counts answers to no pending request: late ones, second ones, ones with an id that was never sent. They are logged when
 * their number reaches 1, 10, 100 and so on, so that a server cannot fill the log with them.
 */
export function createStrayAnswerLog({
  server,
  log,
}: {
  readonly server: string;
  readonly log: Logger;
}): () => void {
  let count = 0;
  let nextReport = 1;
  return () => {
    count += 1;
    if (count < nextReport) return;
    nextReport *= 10;
    log("debug", "The server sent answers to no pending request; they are ignored.", { server, count });
  };
}
