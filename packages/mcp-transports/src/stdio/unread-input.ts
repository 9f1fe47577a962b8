import type { Writable } from "node:stream";

/**
 * Tells that a process has closed its standard input, by ending for instance, with bytes in it that it had not read. On
 * Linux a process's standard streams are socket pairs, and a socket whose other end was closed over unread bytes reads
 * ECONNRESET (unix(7)). Node.js never reads the socket behind a child's input, so it is asked to. Elsewhere nothing is
 * told: silence means that it is not known.
 */
export function watchUnreadInput(stdin: Writable, onUnread: () => void): void {
  const socket = stdin as Writable & { _read?(size: number): void; push?(chunk: unknown): boolean };
  if (process.platform !== "linux" || !socket._read) return;
  // What a process writes to its own input is nobody's business; the stream would take it for an error.
  socket.push = () => false;
  stdin.on("error", ({ code, syscall }: NodeJS.ErrnoException) => {
    if (code === "ECONNRESET" && syscall === "read") onUnread();
  });
  socket._read(0);
}
