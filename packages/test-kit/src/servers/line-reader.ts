import type { Readable } from "node:stream";

/** The listeners of `readLines`. */
export interface LineListeners {
  onLine(line: string): void;
  /** `rest` is the text after the last LF. */
  onEnd(rest: string): void;
}

/** Reads lines that end with LF. `node:readline` does not fit: it also ends a line at U+2028, which JSON may contain. */
export function readLines(stream: Readable, { onLine, onEnd }: LineListeners): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  stream.on("end", () => onEnd(rest));
}
