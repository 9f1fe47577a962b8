import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { StrayOutput } from "../channel.ts";
import type { ChannelFault } from "../channel-fault.ts";
import { asError } from "../errors/thrown-error.ts";
import { type MessageCheck, unsoundAnswer } from "../message-check.ts";
import { createLineSplitter, type LineSplitter } from "./line-splitter.ts";
import { takeMessages, unreadableAnswerTo } from "./wire-line.ts";

/**
 * The most lines that are read before pending promises may run. A caller that makes its next call after an answer thus keeps the
 * server busy while further answers are read.
 */
const LINES_A_TURN = 32;

/** Reads messages from the standard output of a process. Other lines are counted and skipped. */
export interface MessageReader {
  push(chunk: Buffer): void;
  /** The lines that were no messages. */
  stray(): StrayOutput | undefined;
  readonly strayLines: number;
}

export interface MessageReaderOptions {
  /** `0` means no limit. */
  readonly maxMessageBytes: number;
  readonly check: MessageCheck;
  onMessage(message: JSONRPCMessage): void;
  /** `onMessage` threw. Reading goes on with the next message. */
  onError(error: Error): void;
  /** Reading has ended with `message-too-large`, after everything before that message was read. */
  onFault(fault: ChannelFault): void;
  /** Called with the first line that is no message. */
  onStrayOutput(line: string): void;
}

export function createMessageReader(options: MessageReaderOptions): MessageReader {
  return new PacedReader(options);
}

class PacedReader implements MessageReader {
  readonly #options: MessageReaderOptions;
  readonly #splitter: LineSplitter;
  readonly #strays: StrayLines;
  #lines: string[] = [];
  /** The line that is read next. */
  #next = 0;
  #isScheduled = false;
  #fault: ChannelFault | undefined;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
    this.#strays = createStrayLines(options.onStrayOutput);
    this.#splitter = createLineSplitter(options.maxMessageBytes, (line) => this.#lines.push(line));
  }

  push(chunk: Buffer): void {
    if (this.#fault) return;
    try {
      this.#splitter.push(chunk);
    } catch (fault) {
      this.#fault = fault as ChannelFault;
    }
    if (!this.#isScheduled) this.#readSome();
  }

  stray(): StrayOutput | undefined {
    return this.#strays.summary();
  }

  get strayLines(): number {
    return this.#strays.count;
  }

  #readSome(): void {
    const lines = this.#lines;
    const end = Math.min(this.#next + LINES_A_TURN, lines.length);
    while (this.#next < end) {
      const line = lines[this.#next++] as string;
      if (!takeMessages(line, this.#take)) this.#takeStray(line);
    }
    if (this.#next < lines.length) {
      this.#isScheduled = true;
      // The tick comes after all promises that can run now, and before any other chunk.
      queueMicrotask(() => process.nextTick(() => this.#goOn()));
      return;
    }
    this.#lines = [];
    this.#next = 0;
    if (this.#fault) this.#options.onFault(this.#fault);
  }

  #goOn(): void {
    this.#isScheduled = false;
    this.#readSome();
  }

  /** A call must not wait for an answer that has come and cannot be read. */
  #takeStray(line: string): void {
    this.#strays.add(line);
    const id = unreadableAnswerTo(line);
    const shown = line.length > KEPT_LENGTH ? "" : `: ${line}`;
    if (id !== undefined) this.#pass(unsoundAnswer(id, `its answer is not valid JSON${shown}`));
  }

  readonly #take = (message: JSONRPCMessage, characters: number): boolean => {
    const checked = this.#options.check(message, characters);
    if (checked === undefined) return false;
    this.#pass(checked);
    return true;
  };

  #pass(message: JSONRPCMessage): void {
    try {
      this.#options.onMessage(message);
    } catch (error) {
      this.#options.onError(asError(error));
    }
  }
}

/** What is kept of a line, in characters: more than is shown, so that no half secret is left when it is cut. */
const KEPT_LENGTH = 16 * 1024;

/** Counts the lines on standard output that are not JSON-RPC. */
interface StrayLines {
  readonly count: number;
  add(line: string): void;
  /** `undefined` if there was none. */
  summary(): StrayOutput | undefined;
}

/** `onFirst` receives only the first line: a server that logs to its standard output would fill the host's log as well. */
function createStrayLines(onFirst: (line: string) => void): StrayLines {
  let lines = 0;
  let first = "";
  let last = "";
  return {
    get count() {
      return lines;
    },
    add(line) {
      lines += 1;
      // A slice would keep the whole line alive.
      last = line.length > KEPT_LENGTH ? structuredClone(line.slice(0, KEPT_LENGTH)) : line;
      if (lines > 1) return;
      first = last;
      onFirst(first);
    },
    summary: () => (lines > 0 ? { lines, first, last } : undefined),
  };
}
