/** What was thrown, as a log line has it: `Error: no such file`. Never throws, whatever it is given. */
export function thrownText(thrown: unknown): string {
  return written(() => String(thrown));
}

/** The same without the name of the error: `no such file`. */
export function thrownMessage(thrown: unknown): string {
  return written(() => String(thrown instanceof Error ? thrown.message : thrown));
}

/** Libraries throw objects without a prototype too, which have no text, and nothing is worth another error. */
function written(write: () => string): string {
  try {
    return write();
  } catch {
    return "a value without a text";
  }
}
