import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** The agent's output. */
export interface Screen {
  /** Cells in a line (a Chinese character or an emoji takes two); `Infinity` if lines have no limit, as in a file. */
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

/** Cuts a text to one line of at most `columns` cells. */
export function fitLine(text: string, columns: number): string {
  // Each run of white space is tried from its beginning alone, which keeps the work linear.
  const line = text.replace(/(?<!\s)\s*[\r\n\t]\s*/g, " ");
  if (stringWidth(line) <= columns) return line;
  const rows = wrapAnsi(line, Math.max(1, columns - 1), { hard: true, wordWrap: false, trim: false });
  return `${rows.slice(0, rows.indexOf("\n"))}…`;
}

/** Like `fitLine`, padded with spaces. */
export function fillLine(text: string, columns: number): string {
  const line = fitLine(text, columns);
  return line + " ".repeat(Math.max(0, columns - stringWidth(line)));
}

/** Wraps a text, between words where possible, and begins each line with `indent`. */
export function wrapLines(text: string, columns: number, indent: string): string[] {
  const width = Math.max(20, columns - indent.length);
  const lines = wrapAnsi(text.replace(/\s+/g, " "), width, { hard: true }).split("\n");
  return lines.map((line) => indent + line);
}
