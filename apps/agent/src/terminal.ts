import { createInterface } from "node:readline";

/** Where a person types and reads. */
export interface Terminal {
  /** Prints one line. */
  write(line: string): void;
  /** The next line, or `undefined` once there is no more: end of input, Ctrl+C at the prompt, or `close()`. */
  readLine(prompt: string): Promise<string | undefined>;
  /**
   * Asks something that must not be answered by accident: lines that were entered before it was asked do not count.
   * `undefined` also when `signal` is aborted.
   */
  ask(question: string, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
  /** Listens for Ctrl+C; the returned function stops it. While nobody listens, Ctrl+C closes the terminal. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether keys are read one by one, which is how Ctrl+C is seen. Default: whether the output is a terminal. */
  readonly terminal?: boolean | undefined;
}

type Answer = (line: string | undefined) => void;

/** Opens a terminal on two streams. It reads on while an answer is being made, so that Ctrl+C can stop it. */
export function openTerminal({ input, output, terminal }: TerminalStreams): Terminal {
  const lines = createInterface({ input, output, ...(terminal === undefined ? {} : { terminal }) });
  const entered: string[] = [];
  const interrupts = new Set<() => void>();
  let waiting: Answer | undefined;
  let closed = false;
  const settle = (line: string | undefined): void => {
    const answer = waiting;
    waiting = undefined;
    answer?.(line);
  };
  const next = (prompt: string): Promise<string | undefined> => {
    if (closed) return Promise.resolve(undefined);
    lines.setPrompt(prompt);
    lines.prompt();
    return new Promise((resolve) => {
      waiting = resolve;
    });
  };
  lines.on("line", (line) => (waiting === undefined ? entered.push(line) : settle(line)));
  lines.on("SIGINT", () => {
    if (interrupts.size === 0) lines.close();
    for (const listener of [...interrupts]) listener();
  });
  lines.on("close", () => {
    closed = true;
    settle(undefined);
  });
  return {
    write: (line) => void output.write(`${line}\n`),
    readLine: async (prompt) => entered.shift() ?? next(prompt),
    async ask(question, { signal }) {
      const giveUp = () => settle(undefined);
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        return signal.aborted ? undefined : await next(question);
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    },
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => interrupts.delete(listener);
    },
    close: () => lines.close(),
  };
}
