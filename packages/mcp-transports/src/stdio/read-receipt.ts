import type { Writable } from "node:stream";

/** Gathers evidence of whether a process has read what it was sent. */
export interface ReadReceipt {
  /** So many messages are handed to the system. */
  wrote(messages: number): void;
  /** An answer came, so a request was read. */
  answered(): void;
  /**
   * Whether the process has read anything; `undefined` if that is not known. Call it when the process has ended.
   * `isPipeClosed`: no other process, such as a child that it left behind, holds its pipes open.
   */
  hasRead(isPipeClosed: boolean): boolean | undefined;
}

/**
 * Watches the input of a child process. On Linux a process's standard streams are socket pairs, and a socket whose other end
 * was closed over unread bytes reads ECONNRESET (unix(7)); one whose other end was gone before refuses a write with EPIPE.
 * Node.js never reads the socket behind a child's input, so a read is started here. On other systems, only an answer, or
 * that nothing was sent, is proof.
 */
export function createReadReceipt(stdin: Writable | null): ReadReceipt {
  let written = 0;
  let isAnswered = false;
  let isReturned = false;
  const isTelling = stdin !== null && watchReturns(stdin, () => (isReturned = true));

  return {
    wrote(messages) {
      written += messages;
    },
    answered() {
      isAnswered = true;
    },
    hasRead(isPipeClosed) {
      if (isAnswered) return true;
      if (written === 0) return false;
      if (!isTelling) return undefined;
      // Of several messages it may have read the first.
      if (isReturned) return written === 1 ? false : undefined;
      return isPipeClosed ? true : undefined;
    },
  };
}

/** Returns false where the system does not tell. */
function watchReturns(stdin: Writable, onReturned: () => void): boolean {
  const socket = stdin as Writable & { _read?(size: number): void; push?(chunk: unknown): boolean };
  if (process.platform !== "linux" || !socket._read) return false;
  // What a process writes to its own input is ignored; the stream would take it for an error.
  socket.push = () => false;
  stdin.on("error", ({ code, syscall }: NodeJS.ErrnoException) => {
    if (`${syscall} ${code}` === "read ECONNRESET" || `${syscall} ${code}` === "write EPIPE") onReturned();
  });
  socket._read(0);
  return true;
}
