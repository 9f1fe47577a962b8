/** Where the agent's words appear. */
export interface Screen {
  /** How many characters fit on a line; `Infinity` where lines have no end, as in a file. */
  readonly columns: number;
  /** Prints one line, on a line of its own. */
  write(line: string): void;
  /** Prints a piece of text as it comes, without ending the line. */
  print(text: string): void;
  /** Ends the line that `print` has begun, if it has. */
  endLine(): void;
}

/** A stream that may be a terminal. */
export type ScreenStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** A screen on a stream. */
export function openScreen(stream: ScreenStream): Screen {
  let isMidLine = false;
  const endLine = () => {
    if (isMidLine) stream.write("\n");
    isMidLine = false;
  };
  return {
    endLine,
    get columns() {
      return stream.columns ?? Number.POSITIVE_INFINITY;
    },
    write(line) {
      endLine();
      stream.write(`${line}\n`);
    },
    print(text) {
      if (text === "") return;
      stream.write(text);
      isMidLine = !text.endsWith("\n");
    },
  };
}

/** The beginning of a text that fits into so many characters, on one line. */
export function fitLine(text: string, columns: number): string {
  const line = text.replace(/\s*[\r\n\t]\s*/g, " ");
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

/** A text in lines that fit, broken between words where that is possible, each begun with `indent`. */
export function wrapLines(text: string, columns: number, indent: string): string[] {
  const width = Math.max(20, columns - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width));
  }
  return [...lines, line].map((whole) => indent + whole);
}
