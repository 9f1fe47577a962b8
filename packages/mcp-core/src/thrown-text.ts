/** The text of a thrown value for a log line: `Error: no such file`. Never throws. */
export function thrownText(thrown: unknown): string {
  return written(() => String(thrown));
}

/** Like `thrownText`, without the error's name: `no such file`. */
export function thrownMessage(thrown: unknown): string {
  return written(() => String(thrown instanceof Error ? thrown.message : thrown));
}

/** Some libraries throw objects without a prototype, on which `String` throws. */
function written(write: () => string): string {
  try {
    return write();
  } catch {
    return "a value without a text";
  }
}
