import { createInterface, cursorTo, type Interface } from "node:readline";
import { openScreen, type Screen, type ScreenStream } from "./screen.ts";

/** Input and output of a chat. Text written while the person types appears above the typed line. */
export interface Terminal extends Screen {
  /** The next line, or `undefined` once there is no more: end of input, Ctrl+C at the prompt, or `close()`. */
  readLine(prompt: string): Promise<string | undefined>;
  /**
   * Asks a question that must not be answered by accident: lines entered before it do not count. Only one question is asked at a
   * time. `undefined` also when `signal` is aborted.
   */
  ask(question: string, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
  /**
   * Lends the two streams to something that reads from them itself, such as `promptApprover`. Until it is done, output is held
   * back; a partly typed line is restored afterwards.
   */
  lend<Result>(use: () => Promise<Result>): Promise<Result>;
  /** Listens for Ctrl+C; the returned function stops it. Without a listener, Ctrl+C closes the terminal. */
  onInterrupt(listener: () => void): () => void;
  close(): void;
}

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: ScreenStream;
  /** Whether keys are read one by one, which is how Ctrl+C is seen. Default: whether the output is a terminal. */
  readonly terminal?: boolean | undefined;
}

/** Opens a terminal on two streams. It keeps reading during an answer, so that Ctrl+C can stop it. */
export function openTerminal(streams: TerminalStreams): Terminal {
  return new ReadlineTerminal(streams);
}

class ReadlineTerminal implements Terminal {
  readonly #streams: TerminalStreams;
  readonly #screen: Screen;
  readonly #entered: string[] = [];
  readonly #interrupts = new Set<() => void>();
  /** Output that is held back. */
  readonly #pendingOutput: (() => void)[] = [];
  /** `undefined` while the streams are lent. */
  #lines: Interface | undefined;
  #waiting: { readonly prompt: string; answer(line: string | undefined): void } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(streams: TerminalStreams) {
    this.#streams = streams;
    this.#screen = openScreen(streams.output);
    this.#lines = this.#open();
  }

  get columns(): number {
    return this.#screen.columns;
  }

  write(line: string): void {
    const lines = this.#lines;
    const show = () => this.#screen.write(line);
    if (this.#isClosed || (lines !== undefined && this.#waiting === undefined)) show();
    // Nothing can be put above a typed line that spans several rows; the text waits until the line is entered.
    else if (lines === undefined || lines.getCursorPos().rows > 0) this.#pendingOutput.push(show);
    else {
      cursorTo(this.#streams.output, 0);
      this.#streams.output.write("\u001b[K");
      show();
      lines.prompt(true);
    }
  }

  print(text: string): void {
    const show = () => this.#screen.print(text);
    if (this.#isClosed || (this.#lines !== undefined && this.#waiting === undefined)) show();
    else this.#pendingOutput.push(show);
  }

  endLine(): void {
    this.#screen.endLine();
  }

  async readLine(prompt: string): Promise<string | undefined> {
    return this.#entered.shift() ?? this.#next(prompt);
  }

  ask(question: string, { signal }: { readonly signal: AbortSignal }): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const giveUp = () => this.#answerPrompt(undefined);
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        return signal.aborted ? undefined : await this.#next(question);
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    });
  }

  lend<Result>(use: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      const begun = this.#lines?.line ?? "";
      const lent = this.#lines;
      this.#lines = undefined;
      lent?.close();
      try {
        return await use();
      } finally {
        if (!this.#isClosed) this.#takeBack(begun);
      }
    });
  }

  onInterrupt(listener: () => void): () => void {
    this.#interrupts.add(listener);
    return () => this.#interrupts.delete(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines?.close();
    this.#answerPrompt(undefined);
  }

  #open(): Interface {
    const { input, output, terminal } = this.#streams;
    const lines = createInterface({ input, output, ...(terminal === undefined ? {} : { terminal }) });
    lines.on("line", (line) =>
      this.#waiting === undefined ? this.#entered.push(line) : this.#answerPrompt(line),
    );
    lines.on("SIGINT", () => {
      if (this.#interrupts.size === 0) this.close();
      for (const listener of [...this.#interrupts]) listener();
    });
    lines.on("close", () => {
      if (lines === this.#lines) this.close();
    });
    return lines;
  }

  #takeBack(begun: string): void {
    this.#lines = this.#open();
    this.#flush();
    if (this.#waiting === undefined) return;
    this.endLine();
    this.#lines.setPrompt(this.#waiting.prompt);
    this.#lines.prompt();
    this.#lines.write(begun);
  }

  #next(prompt: string): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    this.endLine();
    this.#lines?.setPrompt(prompt);
    this.#lines?.prompt();
    return new Promise((answer) => {
      this.#waiting = { prompt, answer };
    });
  }

  #answerPrompt(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#lines !== undefined || this.#isClosed) this.#flush();
    waiting?.answer(line);
  }

  #flush(): void {
    for (const show of this.#pendingOutput.splice(0)) show();
  }

  /** Runs tasks one at a time: two questions at once could not be told apart. */
  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
